// The face of stereo matching: checks the images, converts them to gray levels, and matches strips
// of rows, whose borders depend on the size alone, so that threads do not change the result.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/stereo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "flow/flow_gray_pair.h"
#include "flow/stereo/stereo_cpu.h"

namespace fovea::flow {
namespace {

constexpr int kMostCandidates = 1024;
using cpu::kWarmUp;

template <class T>
void require_stereo_image(const char* name, ImageView<const T> image) {
  detail::require_host("stereo", name, image.memory);
  if (image.empty())
    throw InvalidArgument(fmt::format("stereo: {} has {}x{} pixels; expected 1x1 at least", name,
                                      image.width, image.height));
  if (image.channels != 1 && image.channels != 3 && image.channels != 4)
    throw InvalidArgument(
        fmt::format("stereo: {} has {} channels; expected 1, 3 or 4", name, image.channels));
  if constexpr (std::is_same_v<T, float>) require_finite(name, image);
}

template <class T>
Image<std::uint8_t> gray_bytes_of(ImageView<const T> image, const GrayRange& range,
                                  const Exec& exec) {
  Image<std::uint8_t> gray(image.width, image.height);
  parallel_for(exec, image.height, 16, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y)
      for (int x = 0; x < image.width; ++x)
        gray.at(x, y) = static_cast<std::uint8_t>(
            gray_level(brightness(&image.at(x, y), image.channels), range.low, range.scale) + 0.5F);
  });
  return gray;
}

cpu::StereoPlan plan_of(const StereoOptions& options, int width, int height) {
  const bool paths = options.method == StereoMethod::kSemiGlobal;
  cpu::StereoPlan plan;
  plan.method = options.method;
  plan.cost = options.cost;
  plan.width = width;
  plan.height = height;
  plan.least = options.min_disparity;
  plan.count = options.max_disparity - options.min_disparity + 1;
  plan.padded = (plan.count + cpu::kStereoLanes - 1) / cpu::kStereoLanes * cpu::kStereoLanes;
  plan.block =
      options.block.value_or(!paths ? 11 : (options.cost == StereoCost::kAdCensus ? 3 : 5));
  plan.small_penalty = static_cast<int>(std::lround(options.small_penalty * cpu::kCostScale));
  plan.large_penalty = static_cast<int>(std::lround(options.large_penalty * cpu::kCostScale));
  plan.uniqueness = static_cast<float>(options.uniqueness);
  plan.check = options.check ? static_cast<float>(*options.check) : -1.F;
  plan.subpixel = options.subpixel;
  return plan;
}

void check_stereo(const StereoOptions& options) {
  check_options(options);
  const int count = options.max_disparity - options.min_disparity + 1;
  if (count < 2 || count > kMostCandidates)
    throw InvalidArgument(fmt::format(
        "stereo: disparities go from {} to {}; expected 2 to {} of them, the least first",
        options.min_disparity, options.max_disparity, kMostCandidates));
  if (options.block && *options.block % 2 == 0)
    throw InvalidArgument(
        fmt::format("stereo: the block is {} pixels wide; expected an odd number", *options.block));
  if (options.block && *options.block < 3 && options.cost == StereoCost::kNcc)
    throw InvalidArgument(
        fmt::format("stereo: the block is {} pixel wide; correlation (--cost ncc) needs 3 or more",
                    *options.block));
  if (options.large_penalty < options.small_penalty)
    throw InvalidArgument(
        fmt::format("stereo: the large penalty {} is below the small one, {}; expected it above",
                    options.large_penalty, options.small_penalty));
}

// What one strip of rows takes.
struct Strip {
  Strip(const cpu::StereoPlan& plan, const cpu::StereoFrame& left, const cpu::StereoFrame& right)
      : costs(plan, left, right), chooser(plan) {}

  cpu::CostRows costs;
  cpu::RowChooser chooser;
  std::vector<std::uint8_t> volume{};
  std::vector<std::uint16_t> sums{};
};

}  // namespace

std::span<const Choice> choices(StereoMethod) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"sgm", static_cast<int>(StereoMethod::kSemiGlobal)},
       {"block", static_cast<int>(StereoMethod::kBlock)}}};
  return kChoices;
}
std::span<const Choice> choices(StereoCost) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"census", static_cast<int>(StereoCost::kCensus)},
       {"sad", static_cast<int>(StereoCost::kSad)},
       {"ncc", static_cast<int>(StereoCost::kNcc)},
       {"ad-census", static_cast<int>(StereoCost::kAdCensus)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, StereoOptions& options) {
  visit("method", options.method,
        "sgm adds costs along eight paths through each pixel; block takes the best block alone");
  visit("cost", options.cost,
        "how two places are compared; ad-census adds absolute differences to the census where gain "
        "and offset explain the light between the images");
  visit("min-disparity", options.min_disparity, "least disparity that is searched, in pixels",
        -1024, 1023);
  visit("max-disparity", options.max_disparity,
        "greatest disparity that is searched, in pixels; at most 1023 above the least", -1023,
        2046);
  visit("block", options.block,
        "side of the block over which costs are summed, in pixels; an odd number", 1, 31,
        {.absent = "5 with sgm, 3 with sgm and ad-census, 11 with block"});
  visit(
      "small-penalty", options.small_penalty,
      "cost of a step of one pixel of disparity between neighbors, where a census that differs in "
      "all bits costs 31",
      0, cpu::kMostPenalty);
  visit("large-penalty", options.large_penalty,
        "cost of a larger step; it is lowered where gray levels step too", 0, cpu::kMostPenalty);
  visit("uniqueness", options.uniqueness,
        "share by which the next best place must cost more; below it a pixel is not known", 0, 1);
  visit("check", options.check,
        "where two pixels find the same place of the right image and differ by more pixels of "
        "disparity than this, the one of higher cost is not known",
        0, 1024, {.absent = "no check"});
  visit("subpixel", options.subpixel, "interpolate, so that disparities have parts of a pixel",
        {.off_help = "keep disparities at whole pixels"});
  visit("median", options.median,
        "replace each disparity by the median of the 3x3 pixels around it",
        {.off_help = "do not filter disparities by a median"});
  visit("speckle", options.speckle,
        "patches of disparities with fewer pixels are not known; 0 keeps them all", 0, 1e6);
  visit("fill", options.fill, "fill in what is not known from the farther of its sides");
  visit.bytes("memory", options.memory_bytes,
              "memory for the costs of all disparities: fewer threads work where they would take "
              "more, and one works in any case");
}

struct StereoMatcher::Impl {
  StereoOptions options;

  Disparity match(cpu::StereoFrame& left, cpu::StereoFrame& right, const Exec& exec) const;
};

Disparity StereoMatcher::Impl::match(cpu::StereoFrame& left, cpu::StereoFrame& right,
                                     const Exec& exec) const {
  cpu::StereoPlan plan = plan_of(options, left.gray.width(), left.gray.height());
  cpu::prepare_stereo_frame(plan, false, exec, left);
  cpu::prepare_stereo_frame(plan, true, exec, right);
  if (plan.cost == StereoCost::kAdCensus) {
    const cpu::StereoLight light = cpu::measure_light(plan, left, right);
    if (light.explained) {
      cpu::apply_light(light, right.gray);
    } else {
      StereoOptions alone = options;
      alone.cost = StereoCost::kCensus;
      plan = plan_of(alone, plan.width, plan.height);
    }
  }
  Disparity result{Image<float>(plan.width, plan.height), Image<float>(plan.width, plan.height)};
  const auto choice = [&](int y) {
    return cpu::RowChoice{result.disparity.view().row(y), result.confidence.view().row(y)};
  };
  Exec few = exec;
  few.threads = cpu::strip_threads(plan, options.memory_bytes, thread_count(exec));
  parallel_for(few, plan.height, cpu::strip_rows(plan), [&](std::int64_t from, std::int64_t to) {
    Strip strip(plan, left, right);
    const int first = static_cast<int>(from), last = static_cast<int>(to);
    const std::size_t row = plan.row_elements();
    if (!plan.paths()) {
      strip.sums.resize(row);
      for (int y = first; y < last; ++y) {
        throw_if_stopped(exec);
        strip.costs.row(y, strip.sums.data());
        strip.chooser.choose(strip.sums.data(), choice(y));
      }
      return;
    }
    const int top = std::max(0, first - kWarmUp), bottom = std::min(plan.height, last + kWarmUp);
    const int rows = bottom - top;
    strip.volume.resize(row * static_cast<std::size_t>(rows));
    strip.sums.resize(row * static_cast<std::size_t>(rows));
    for (int y = top; y < bottom; ++y) {
      throw_if_stopped(exec);
      strip.costs.row(y, strip.volume.data() + static_cast<std::size_t>(y - top) * row);
    }
    cpu::sum_paths({plan, left.gray.view(), top, rows, strip.volume.data(), strip.sums.data()});
    for (int y = first; y < last; ++y)
      strip.chooser.choose(strip.sums.data() + static_cast<std::size_t>(y - top) * row, choice(y));
  });
  if (options.median) cpu::median_disparity(result.disparity, exec);
  if (options.speckle > 1) cpu::remove_speckles(result.disparity, options.speckle);
  for (int y = 0; y < plan.height; ++y)
    for (int x = 0; x < plan.width; ++x)
      if (!std::isfinite(result.disparity.at(x, y))) result.confidence.at(x, y) = 0;
  if (options.fill) cpu::fill_disparity(result.disparity, exec);
  return result;
}

StereoMatcher::StereoMatcher(const StereoOptions& options)
    : impl_(std::make_unique<Impl>(Impl{options})) {
  check_stereo(options);
  if (options.exec.device.kind == DeviceKind::kCuda)
    throw InvalidArgument(
        "stereo: works on the CPU only, but the device is a GPU; use the device cpu or auto");
  impl_->options.exec.device = Device::cpu();
}
StereoMatcher::StereoMatcher(StereoMatcher&&) noexcept = default;
StereoMatcher& StereoMatcher::operator=(StereoMatcher&&) noexcept = default;
StereoMatcher::~StereoMatcher() = default;
const StereoOptions& StereoMatcher::options() const { return impl_->options; }

template <class T>
Disparity StereoMatcher::match(ImageView<const T> left, ImageView<const T> right) {
  require_stereo_image("the left image", left);
  require_stereo_image("the right image", right);
  if (left.width != right.width || left.height != right.height)
    throw InvalidArgument(fmt::format(
        "stereo: the left image is {}x{}, but the right one is {}x{}; a pair has one size",
        left.width, left.height, right.width, right.height));
  const Exec& exec = impl_->options.exec;
  const GrayRange range = range_of_both(left, right, exec);
  cpu::StereoFrame first{gray_bytes_of(left, range, exec), {}, {}, {}};
  cpu::StereoFrame second{gray_bytes_of(right, range, exec), {}, {}, {}};
  return impl_->match(first, second, exec);
}
template Disparity StereoMatcher::match(ImageView<const std::uint8_t>,
                                        ImageView<const std::uint8_t>);
template Disparity StereoMatcher::match(ImageView<const std::uint16_t>,
                                        ImageView<const std::uint16_t>);
template Disparity StereoMatcher::match(ImageView<const float>, ImageView<const float>);

}  // namespace fovea::flow
