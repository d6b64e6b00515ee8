// The face of distance maps: checks options and frames and passes frames to the engine of the
// device.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/map.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/placed.h"
#include "emd/map/map_engine.h"
#include "emd/map/map_mask.h"

namespace fovea::emd {
namespace {

constexpr const char* kMapName = "emd map";
constexpr double kMostMass = std::numeric_limits<std::uint16_t>::max();

void check_map_options(const MapOptions& options) {
  check_options(options);
  if (options.window % 2 == 0)
    throw InvalidArgument(fmt::format("{}: a window of {}x{} has no center; give an odd side",
                                      kMapName, options.window, options.window));
  if (options.threshold > 0 && options.solver.mass != MassPolicy::kNormalize)
    throw InvalidArgument(fmt::format(
        "{}: a threshold of {} needs masses scaled to 1; take mass policy normalize, or "
        "no threshold",
        kMapName, options.threshold));
}

constexpr int kMostSignatureBins = 64;

std::vector<std::uint16_t> counts_of(std::span<const double> target, const MapPlan& plan) {
  if (target.size() != static_cast<std::size_t>(plan.ground.columns()))
    throw InvalidArgument(fmt::format("{}: the target has {} bins, the ground distance {} columns",
                                      kMapName, target.size(), plan.ground.columns()));
  bool whole = true;
  double greatest = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double mass = target[i];
    if (!std::isfinite(mass) || mass < 0)
      throw InvalidArgument(
          fmt::format("{}: mass {} of the target is {}; masses are 0 or more", kMapName, i, mass));
    whole = whole && mass == std::floor(mass);
    greatest = std::max(greatest, mass);
  }
  if (greatest == 0)
    throw InvalidArgument(fmt::format("{}: the target has no mass in any bin", kMapName));
  whole = whole && greatest <= kMostMass;
  if (!whole && plan.options.solver.mass != MassPolicy::kNormalize)
    throw InvalidArgument(
        fmt::format("{}: a target with a mass of {} needs mass policy normalize; else give whole "
                    "masses up to {}",
                    kMapName, greatest, kMostMass));
  std::vector<std::uint16_t> counts;
  for (const double mass : target)
    counts.push_back(
        static_cast<std::uint16_t>(whole ? mass : std::nearbyint(mass / greatest * kMostMass)));
  return counts;
}

}  // namespace

void describe(OptionVisitor& visit, MapOptions& options) {
  visit("ground", options.ground.name,
        "cost of moving mass between bins: l1, l2 (euclidean), squared (sqeuclidean), threshold:T, "
        "circular, discrete or a file of costs",
        {.value_name = "NAME|FILE", .words = ground_words()});
  visit("window", options.window, "side in pixels of the window around each pixel, odd", 1, 255);
  visit("border", options.border,
        "what a window counts beyond the image's border: clip counts nothing, repeat counts the "
        "border's pixels again");
  visit("threshold", options.threshold,
        "greatest distance that must be exact; greater ones may be lower bounds; 0 makes all exact",
        0, std::numeric_limits<float>::max());
  visit.bytes("cache-bytes", options.cache_bytes,
              "most memory for distances that are kept from frame to frame; 0 keeps none");
  describe(visit, options.solver);
}

MapReport& MapReport::operator+=(const MapReport& later) {
  pixels += later.pixels;
  cached += later.cached;
  duplicate += later.duplicate;
  skipped += later.skipped;
  solved += later.solved;
  solved_by += later.solved_by;
  pivots += later.pivots;
  unproved += later.unproved;
  resets += later.resets;
  entries = later.entries;
  cache_bytes = later.cache_bytes;
  return *this;
}

struct Mapper::Impl {
  explicit Impl(MapPlan what) : plan(std::move(what)) {}

  MapPlan plan;
  Device asked{};  // before it was resolved
  // Where push() puts maps that the caller has no place for. They outlive the engine, which may
  // still be writing to them.
  std::array<Image<float>, kFramesInFlight + 1> maps{};
  std::unique_ptr<MapEngine> engine{};
  MapReport report{};
  std::deque<MappedFrame> in_flight{};  // without their reports
  std::int64_t pushed = 0;              // frames of the video

  void set_target(std::span<const double> target) {
    plan.target = counts_of(target, plan);
    plan.bounds = plan_bounds(plan.ground, plan.target, plan.options.threshold);
  }
  int latency() const { return fovea::detail::on_cuda(plan.options.exec) ? kFramesInFlight : 0; }
  void require_idle(std::string_view what) const {
    if (!in_flight.empty())
      throw InvalidArgument(
          fmt::format("{}: {} while {} frames that were pushed are in flight; call finish() first",
                      kMapName, what, in_flight.size()));
  }
  template <class View>
  void check(const View& view, const MapFrame& frame, int channels) const {
    fovea::detail::require_shape(kMapName, channels == 1 ? "labels" : "masses", view, view.width,
                                 view.height, channels);
    fovea::detail::require_shape(kMapName, "distances", frame.distances, view.width, view.height,
                                 1);
    fovea::detail::require_chosen(kMapName, plan.options.exec, asked,
                                  {frame.labels, frame.bytes, frame.words, frame.distances});
  }

  void submit(const MapFrame& frame) {
    if (!frame.distances.empty()) {
      const fovea::cuda::ScopedDevice here(plan.options.exec.device);
      engine->submit(frame);
    }
    in_flight.push_back({.frame = pushed, .distances = frame.distances});
  }
  // Waits for the oldest frame in flight.
  MappedFrame collect() {
    MappedFrame oldest = in_flight.front();
    in_flight.pop_front();
    report = {};
    if (!oldest.distances.empty()) {
      const fovea::cuda::ScopedDevice here(plan.options.exec.device);
      report = engine->collect();
    }
    oldest.report = report;
    return oldest;
  }

  template <class View>
  void run(const View& view, const MapFrame& frame, int channels) {
    require_idle("a map");
    check(view, frame, channels);
    submit(frame);
    collect();
  }
  // A frame of which only the pixels of its mask are mapped, in host memory.
  template <class View>
  void run_masked(const View& view, const MapFrame& frame, int channels) {
    require_idle("a map");
    check(view, frame, channels);
    fovea::detail::require_shape(kMapName, "mask", frame.mask, view.width, view.height, 1);
    for (const Memory memory : {view.memory, frame.mask.memory, frame.distances.memory})
      fovea::detail::require_host(kMapName, "a frame with a mask", memory);
    const bool there = fovea::detail::on_cuda(plan.options.exec);
    const int reach = channels == 1 ? plan.options.window / 2 : 0;
    const std::vector<Rect<int>> boxes =
        there ? box_around(frame.mask) : boxes_of(frame.mask, reach);
    MapReport total{.entries = report.entries, .cache_bytes = report.cache_bytes};
    for (const Rect<int>& box : boxes) {
      const MapFrame part = cut(frame, reached_from(box, reach, view.width, view.height));
      if (there) map_and_choose(part);
      else map_chosen(part);
      total += report;
    }
    report = total;
  }
  void map_chosen(const MapFrame& part) {
    submit(part);
    collect();
  }
  // Maps all pixels of a part and takes those of its mask.
  void map_and_choose(const MapFrame& part) {
    const ImageView<float>& to = part.distances;
    Image<float> all(to.width, to.height);
    MapFrame unmasked = part;
    unmasked.mask = {};
    unmasked.distances = all;
    submit(unmasked);
    collect();
    for (int y = 0; y < to.height; ++y)
      for (int x = 0; x < to.width; ++x)
        if (part.mask.at(x, y) != 0) to.at(x, y) = all.at(x, y);
  }
  std::span<const MappedFrame> push(const MapFrame& frame) {
    begin();
    collect_until(kFramesInFlight - 1);  // room for this one
    submit(frame);
    ++pushed;
    collect_until(latency());
    return deliver();
  }
  std::span<const MappedFrame> finish() {
    begin();
    collect_until(0);
    pushed = 0;
    return deliver();
  }

  // Returns an image for the result in the same kind of memory as the view; on a GPU it lies on the
  // mapper's.
  template <class View>
  Image<float> map_beside(const View& view) const {
    const fovea::cuda::ScopedDevice here(plan.options.exec.device);
    return {view.width, view.height, 1, fovea::detail::memory_beside(view.memory)};
  }
  // The place of the next map, whose last frame was returned by an earlier call.
  ImageView<float> next_map(ImageView<const std::uint8_t> labels) {
    Image<float>& map = maps[static_cast<std::size_t>(pushed) % maps.size()];
    if (map.width() != labels.width || map.height() != labels.height ||
        map.view().memory != fovea::detail::memory_beside(labels.memory))
      map = map_beside(labels);
    return map.view();
  }

 private:
  // Frames that were collected before a call threw are returned by the next one.
  void begin() {
    if (std::exchange(delivered_, false)) ready_.clear();
  }
  void collect_until(int left) {
    while (std::ssize(in_flight) > left) ready_.push_back(collect());
  }
  std::span<const MappedFrame> deliver() {
    delivered_ = true;
    return ready_;
  }

  std::vector<MappedFrame> ready_{};
  bool delivered_ = true;
};

Mapper::Mapper(std::span<const double> target, const MapOptions& options) {
  check_map_options(options);
  GroundDistance ground = options.ground.resolve(static_cast<int>(target.size()));
  if (std::max(ground.rows(), ground.columns()) > kMostSignatureBins)
    throw InvalidArgument(fmt::format("{}: signatures of {} bins, expected 1 to {}", kMapName,
                                      std::max(ground.rows(), ground.columns()),
                                      kMostSignatureBins));
  impl_ = std::make_unique<Impl>(MapPlan{std::move(ground), options, {}, {}});
  MapPlan& plan = impl_->plan;
  impl_->asked = options.exec.device;
  plan.options.exec = fovea::detail::resolve_exec(kMapName, options.exec, {});
  plan.options.exec.progress = {};
  impl_->set_target(target);
  const fovea::cuda::ScopedDevice here(plan.options.exec.device);
  impl_->engine = fovea::detail::on_cuda(plan.options.exec) ? cuda::make_map_engine(plan)
                                                            : cpu::make_map_engine(plan);
}
Mapper::Mapper(Mapper&&) noexcept = default;
Mapper& Mapper::operator=(Mapper&&) noexcept = default;
Mapper::~Mapper() = default;

void Mapper::set_target(std::span<const double> target) {
  impl_->require_idle("another target");
  impl_->set_target(target);
  const fovea::cuda::ScopedDevice here(impl_->plan.options.exec.device);
  impl_->engine->set_target(impl_->plan);
}

void Mapper::map(ImageView<const std::uint8_t> labels, ImageView<float> distances) {
  impl_->run(labels, {.labels = labels, .distances = distances}, 1);
}
void Mapper::map(ImageView<const std::uint8_t> labels, ImageView<const std::uint8_t> mask,
                 ImageView<float> distances) {
  impl_->run_masked(labels, {.labels = labels, .distances = distances, .mask = mask}, 1);
}
void Mapper::map_histograms(ImageView<const std::uint16_t> masses,
                            ImageView<const std::uint8_t> mask, ImageView<float> distances) {
  impl_->run_masked(masses, {.words = masses, .distances = distances, .mask = mask},
                    impl_->plan.bins());
}
void Mapper::map_histograms(ImageView<const std::uint8_t> masses, ImageView<float> distances) {
  impl_->run(masses, {.bytes = masses, .distances = distances}, impl_->plan.bins());
}
void Mapper::map_histograms(ImageView<const std::uint16_t> masses, ImageView<float> distances) {
  impl_->run(masses, {.words = masses, .distances = distances}, impl_->plan.bins());
}

Image<float> Mapper::map(ImageView<const std::uint8_t> labels) {
  Image<float> distances = impl_->map_beside(labels);
  map(labels, distances);
  return distances;
}
Image<float> Mapper::map_histograms(ImageView<const std::uint8_t> masses) {
  Image<float> distances = impl_->map_beside(masses);
  map_histograms(masses, distances);
  return distances;
}
Image<float> Mapper::map_histograms(ImageView<const std::uint16_t> masses) {
  Image<float> distances = impl_->map_beside(masses);
  map_histograms(masses, distances);
  return distances;
}

std::span<const MappedFrame> Mapper::push(ImageView<const std::uint8_t> labels,
                                          ImageView<float> distances) {
  const MapFrame frame{.labels = labels, .distances = distances};
  impl_->check(labels, frame, 1);
  return impl_->push(frame);
}
std::span<const MappedFrame> Mapper::push(ImageView<const std::uint8_t> labels) {
  return push(labels, impl_->next_map(labels));
}
std::span<const MappedFrame> Mapper::finish() { return impl_->finish(); }
int Mapper::latency() const { return impl_->latency(); }

MapReport Mapper::report() const { return impl_->report; }
void Mapper::forget() {
  impl_->require_idle("forgetting");
  const fovea::cuda::ScopedDevice here(impl_->plan.options.exec.device);
  impl_->engine->forget();
}
std::span<const std::uint16_t> Mapper::target() const { return impl_->plan.target; }
const GroundDistance& Mapper::ground() const { return impl_->plan.ground; }
const MapOptions& Mapper::options() const { return impl_->plan.options; }

std::vector<double> label_histogram(ImageView<const std::uint8_t> labels, int bins) {
  if (bins < 1 || bins > 255)
    throw InvalidArgument(fmt::format("label_histogram: bins is {}; expected 1 to 255", bins));
  fovea::detail::require_host("label_histogram", "the image of labels", labels.memory);
  fovea::detail::require_shape("label_histogram", "labels", labels, labels.width, labels.height, 1);
  std::vector<double> counts(static_cast<std::size_t>(bins), 0.0);
  for (int y = 0; y < labels.height; ++y)
    for (int x = 0; x < labels.width; ++x)
      if (labels.at(x, y) < bins) ++counts[labels.at(x, y)];
  return counts;
}

}  // namespace fovea::emd
