// The face of distance maps: checks options and frames and passes frames to the engine of the
// device.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/map.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/placed.h"
#include "emd/map/map_engine.h"

namespace fovea::emd {
namespace {

constexpr const char* kName = "emd map";
constexpr double kMostMass = std::numeric_limits<std::uint16_t>::max();

void check_map_options(const MapOptions& options) {
  check_options(options);
  if (options.window % 2 == 0)
    throw InvalidArgument(fmt::format("{}: a window of {}x{} has no center; give an odd side",
                                      kName, options.window, options.window));
  if (options.threshold > 0 && options.solver.mass != MassPolicy::kNormalize)
    throw InvalidArgument(fmt::format(
        "{}: a threshold of {} needs masses scaled to 1; take mass policy normalize, or "
        "no threshold",
        kName, options.threshold));
}

std::vector<std::uint16_t> counts_of(std::span<const double> target, const MapPlan& plan) {
  if (target.size() != static_cast<std::size_t>(plan.ground.columns()))
    throw InvalidArgument(fmt::format("{}: the target has {} bins, the ground distance {} columns",
                                      kName, target.size(), plan.ground.columns()));
  bool whole = true;
  double greatest = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double mass = target[i];
    if (!std::isfinite(mass) || mass < 0)
      throw InvalidArgument(
          fmt::format("{}: mass {} of the target is {}; masses are 0 or more", kName, i, mass));
    whole = whole && mass == std::floor(mass);
    greatest = std::max(greatest, mass);
  }
  if (greatest == 0)
    throw InvalidArgument(fmt::format("{}: the target has no mass in any bin", kName));
  whole = whole && greatest <= kMostMass;
  if (!whole && plan.options.solver.mass != MassPolicy::kNormalize)
    throw InvalidArgument(
        fmt::format("{}: a target with a mass of {} needs mass policy normalize; else give whole "
                    "masses up to {}",
                    kName, greatest, kMostMass));
  std::vector<std::uint16_t> counts;
  for (const double mass : target)
    counts.push_back(
        static_cast<std::uint16_t>(whole ? mass : std::nearbyint(mass / greatest * kMostMass)));
  return counts;
}

}  // namespace

void describe(OptionVisitor& visit, MapOptions& options) {
  visit("ground", options.ground.name,
        "cost of moving mass between bins: l1, l2, squared, threshold:T, circular, discrete or a "
        "file of costs",
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
  pivots += later.pivots;
  unproved += later.unproved;
  resets += later.resets;
  entries = later.entries;
  cache_bytes = later.cache_bytes;
  return *this;
}

struct Mapper::State {
  explicit State(MapPlan what) : plan(std::move(what)) {}

  MapPlan plan;
  Device asked{};  // before it was resolved
  std::unique_ptr<MapEngine> engine{};
  MapReport report{};
  int in_flight = 0;

  void set_target(std::span<const double> target) {
    plan.target = counts_of(target, plan);
    plan.bounds = plan_bounds(plan.ground, plan.target, plan.options.threshold);
  }
  void require_idle(std::string_view what) const {
    if (in_flight > 0)
      throw InvalidArgument(fmt::format("{}: {} while {} submitted frames are not collected", kName,
                                        what, in_flight));
  }

  void submit(const MapFrame& frame) {
    const ImageView<float>& out = frame.distances;
    fovea::detail::require_chosen(kName, plan.options.exec, asked,
                                  {frame.labels, frame.bytes, frame.words, out});
    if (!out.empty()) {
      const fovea::cuda::ScopedDevice here(plan.options.exec.device);
      engine->submit(frame);
    }
    ++in_flight;
    empty_.push_back(out.empty());
  }
  MapReport collect() {
    const bool empty = empty_.front();
    empty_.erase(empty_.begin());
    --in_flight;
    report = {};
    if (empty) return report;
    const fovea::cuda::ScopedDevice here(plan.options.exec.device);
    return report = engine->collect();
  }

  template <class View>
  void run(const View& view, MapFrame frame, int channels) {
    require_idle("a map");
    check(view, frame.distances, channels);
    submit(frame);
    collect();
  }
  // Returns an image for the result in the same kind of memory as the view; on a GPU it lies on the
  // mapper's.
  template <class View>
  Image<float> map_beside(const View& view) const {
    const fovea::cuda::ScopedDevice here(plan.options.exec.device);
    return {view.width, view.height, 1, fovea::detail::memory_beside(view.memory)};
  }
  template <class View>
  static void check(const View& view, const ImageView<float>& out, int channels) {
    fovea::detail::require_shape(kName, channels == 1 ? "labels" : "masses", view, view.width,
                                 view.height, channels);
    fovea::detail::require_shape(kName, "distances", out, view.width, view.height, 1);
  }

 private:
  std::vector<bool> empty_{};  // one element per frame in flight
};

Mapper::Mapper(std::span<const double> target, const MapOptions& options) {
  check_map_options(options);
  GroundDistance ground = options.ground.resolve(static_cast<int>(target.size()));
  state_ = std::make_unique<State>(MapPlan{std::move(ground), options, {}, {}});
  MapPlan& plan = state_->plan;
  state_->asked = options.exec.device;
  plan.options.exec = fovea::detail::resolve_exec(kName, options.exec, {});
  plan.options.exec.progress = {};
  state_->set_target(target);
  const fovea::cuda::ScopedDevice here(plan.options.exec.device);
  state_->engine = fovea::detail::on_cuda(plan.options.exec) ? cuda::make_map_engine(plan)
                                                             : cpu::make_map_engine(plan);
}
Mapper::Mapper(Mapper&&) noexcept = default;
Mapper& Mapper::operator=(Mapper&&) noexcept = default;
Mapper::~Mapper() = default;

void Mapper::set_target(std::span<const double> target) {
  state_->require_idle("another target");
  state_->set_target(target);
  const fovea::cuda::ScopedDevice here(state_->plan.options.exec.device);
  state_->engine->set_target(state_->plan);
}

void Mapper::map(ImageView<const std::uint8_t> labels, ImageView<float> distances) {
  state_->run(labels, {.labels = labels, .distances = distances}, 1);
}
void Mapper::map_histograms(ImageView<const std::uint8_t> masses, ImageView<float> distances) {
  state_->run(masses, {.bytes = masses, .distances = distances}, state_->plan.bins());
}
void Mapper::map_histograms(ImageView<const std::uint16_t> masses, ImageView<float> distances) {
  state_->run(masses, {.words = masses, .distances = distances}, state_->plan.bins());
}

Image<float> Mapper::map(ImageView<const std::uint8_t> labels) {
  Image<float> distances = state_->map_beside(labels);
  map(labels, distances);
  return distances;
}
Image<float> Mapper::map_histograms(ImageView<const std::uint8_t> masses) {
  Image<float> distances = state_->map_beside(masses);
  map_histograms(masses, distances);
  return distances;
}
Image<float> Mapper::map_histograms(ImageView<const std::uint16_t> masses) {
  Image<float> distances = state_->map_beside(masses);
  map_histograms(masses, distances);
  return distances;
}

void Mapper::submit(ImageView<const std::uint8_t> labels, ImageView<float> distances) {
  if (state_->in_flight == kFramesInFlight)
    throw InvalidArgument(fmt::format("{}: {} frames are in flight; collect one before the next",
                                      kName, kFramesInFlight));
  State::check(labels, distances, 1);
  state_->submit({.labels = labels, .distances = distances});
}
MapReport Mapper::collect() {
  if (state_->in_flight == 0)
    throw InvalidArgument(fmt::format("{}: no frame is in flight; submit one first", kName));
  return state_->collect();
}

MapReport Mapper::report() const { return state_->report; }
void Mapper::forget() {
  state_->require_idle("forgetting");
  const fovea::cuda::ScopedDevice here(state_->plan.options.exec.device);
  state_->engine->forget();
}
std::span<const std::uint16_t> Mapper::target() const { return state_->plan.target; }
const GroundDistance& Mapper::ground() const { return state_->plan.ground; }
const MapOptions& Mapper::options() const { return state_->plan.options; }

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
