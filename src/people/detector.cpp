// The face of all kinds: it plans the search, gives it to the scanner of the model's kind on the
// chosen device, and turns the windows that passed into people.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/people/detector.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "core/resident.h"
#include "people/scanner.h"
#include "people/search.h"
#include "people/steps.h"

namespace fovea::people {
namespace {

constexpr float kEveryWindow = -std::numeric_limits<float>::infinity();

void require_channels(int channels) {
  if (channels != 1 && channels != 3 && channels != 4)
    throw InvalidArgument(
        fmt::format("detect: an image of {} channels, expected 1, 3 or 4", channels));
}

// What to do where no window fits an image: only what makes one fit.
std::string remedy(Extent image, Extent window, double person_height, const ScanOptions& given) {
  const auto fits = [&](const ScanOptions& scan) {
    return !plan_scan(image, window, person_height, scan).levels.empty();
  };
  ScanOptions changed = given;
  changed.horizon.reset();
  if (given.horizon && fits(changed))
    return "no person on the ground looks that high: check horizon and camera-height";
  changed = given;
  changed.enlarge = kMostEnlarge;
  if (fits(changed))
    return fmt::format("raise enlarge, which is {:g}, to {:g} at most", given.enlarge,
                       kMostEnlarge);
  changed = given;
  changed.min_height = changed.max_height = 0;
  if (fits(changed)) return "lower min-height or raise max-height";
  changed.enlarge = kMostEnlarge;
  if (fits(changed)) return "raise enlarge, and lower min-height or raise max-height";
  return "the image is too small for this model";
}

void shift(Rect<float>& box, const std::optional<Rect<int>>& region) {
  if (!region) return;
  box.x += static_cast<float>(region->x);
  box.y += static_cast<float>(region->y);
}

}  // namespace

std::unique_ptr<Scanner> make_scanner(const Model& model, bool cuda) {
  if (const auto* cascade = std::get_if<CascadeModel>(&model.classifier))
    return cuda ? cuda::make_cascade_scanner(*cascade) : cpu::make_cascade_scanner(*cascade);
  if (const auto* channels = std::get_if<ChannelsModel>(&model.classifier))
    return cuda ? cuda::make_channels_scanner(*channels) : cpu::make_channels_scanner(*channels);
  if (const auto* filtered = std::get_if<FilteredModel>(&model.classifier))
    return cuda ? cuda::make_filtered_scanner(*filtered) : cpu::make_filtered_scanner(*filtered);
  const auto& linear = std::get<LinearModel>(model.classifier);
  return cuda ? cuda::make_linear_scanner(model.kind, linear)
              : cpu::make_linear_scanner(model.kind, linear);
}

ImageView<const std::uint8_t> searched_part(ImageView<const std::uint8_t> image,
                                            const std::optional<Rect<int>>& region) {
  if (!region) return image;
  const Rect<int>& r = *region;
  const bool inside = r.x >= 0 && r.y >= 0 && r.width > 0 && r.height > 0 &&
                      r.width <= image.width - r.x && r.height <= image.height - r.y;
  if (!inside)
    throw InvalidArgument(
        fmt::format("detect: the region {},{},{},{} is not part of an image of {}x{}", r.x, r.y,
                    r.width, r.height, image.width, image.height));
  return image.crop(r.x, r.y, r.width, r.height);
}

// The window of a hit, and the person in its middle, in pixels of the image.
Detection detection_of(const Hit& hit, const ScanPlan& plan, const Model& model,
                       const std::optional<Rect<int>>& region) {
  const ScanLevel& level = plan.levels[static_cast<std::size_t>(hit.level)];
  const double x = plan.origin + hit.column * plan.stride - plan.padding;
  const double y = plan.top(level) + hit.row * plan.stride - plan.padding;
  const double height = static_cast<double>(plan.window.height) * model.person_height;
  const double width = height * model.person_aspect;
  const auto box = [&](double left, double top, double wide, double high) {
    return Rect<float>{
        static_cast<float>(left * level.scale_x), static_cast<float>(top * level.scale_y),
        static_cast<float>(wide * level.scale_x), static_cast<float>(high * level.scale_y)};
  };
  Detection found{box(x + (plan.window.width - width) / 2, y + (plan.window.height - height) / 2,
                      width, height),
                  box(x, y, plan.window.width, plan.window.height), hit.score,
                  static_cast<float>(level.scale_y)};
  shift(found.box, region);
  shift(found.window, region);
  return found;
}

double least_score(const Model& model, const DetectOptions& options) {
  if (!options.confidence) return options.threshold.value_or(model.threshold);
  if (options.threshold)
    throw InvalidArgument(
        fmt::format("detect: both threshold {:g} and confidence {:g} are given; "
                    "give one of them",
                    *options.threshold, *options.confidence));
  if (!model.calibration)
    throw InvalidArgument(
        fmt::format("detect: confidence is {:g}, but this model has no calibration, which says how "
                    "sure a score "
                    "is; give a threshold, or calibrate the model (fovea people eval --calibrate)",
                    *options.confidence));
  return model.calibration->least_score(static_cast<float>(*options.confidence));
}

ScanPlan plan_search(const Model& model, const DetectOptions& options,
                     ImageView<const std::uint8_t> image, int above) {
  require_channels(image.channels);
  const Extent window = model.window();
  ScanOptions scan = options.scan;
  if (scan.stride == 0) scan.stride = model.stride;
  if (scan.horizon) *scan.horizon -= above;
  ScanPlan plan = plan_scan({image.width, image.height}, window, model.person_height, scan);
  if (plan.levels.empty())
    throw InvalidArgument(
        fmt::format("detect: no window of {}x{} fits an image of {}x{} with {} pixels of "
                    "padding{}; {}",
                    window.width, window.height, image.width, image.height, options.scan.padding,
                    options.scan.min_height > 0 || options.scan.max_height > 0
                        ? fmt::format(" and people of {:g} to {:g} pixels", options.scan.min_height,
                                      options.scan.max_height)
                        : "",
                    remedy({image.width, image.height}, window, model.person_height, scan)));
  return plan;
}

std::vector<Detection> fuse_windows(std::span<const Detection> found, const Model& model,
                                    const DetectOptions& options, ScanCounts& counts) {
  FuseOptions fusing = options.fuse;
  const auto* cascade = std::get_if<CascadeModel>(&model.classifier);
  if (fusing.weights == FuseWeights::kScore && cascade && !cascade->graded &&
      cascade->ranking.empty())
    fusing.weights = FuseWeights::kOne;
  // A window right at the threshold has some weight, too.
  if (fusing.weights == FuseWeights::kMargin && !fusing.weight_from)
    fusing.weight_from =
        std::nextafter(static_cast<float>(least_score(model, options)), kEveryWindow);
  std::vector<Detection> people = fuse(found, fusing, &counts.zero_weight_windows);
  if (model.calibration)
    for (Detection& person : people)
      person.confidence = model.calibration->confidence(person.score);
  return people;
}

struct Detector::Impl {
  std::shared_ptr<const Model> model;
  DetectOptions options;
  detail::Resident<Scanner> scanner{};
  StepClock* clock = nullptr;  // of a call that is timed

  ScanResult scan(ImageView<const std::uint8_t> image, const ScanPlan& plan, float threshold) {
    const Exec exec = detail::resolve_exec("detect", options.exec, {image});
    return scanner.on(exec.device, [&] { return make_scanner(*model, detail::on_cuda(exec)); })
        .scan({image, plan, threshold, clock}, exec);
  }

  ScanPlan plan(ImageView<const std::uint8_t> image, int above = 0) const {
    return plan_search(*model, options, image, above);
  }

  // Not fused, ordered by level, row and column.
  std::vector<Detection> candidates(ImageView<const std::uint8_t> image, ScanCounts& counts) {
    const ImageView<const std::uint8_t> view = searched_part(image, options.region);
    const ScanPlan levels = plan(view, options.region ? options.region->y : 0);
    const auto threshold = static_cast<float>(least_score());
    const ScanResult result = scan(view, levels, threshold);
    counts = result.counts;
    const StepTimer timer = shared_step(clock, Step::kFusing);
    std::vector<Detection> found;
    found.reserve(result.hits.size());
    for (const Hit& hit : result.hits) {
      found.push_back(detection_of(hit, levels, *model, options.region));
    }
    return found;
  }

  std::vector<Detection> fused(std::span<const Detection> found, ScanCounts& counts) const {
    const StepTimer timer = shared_step(clock, Step::kFusing);
    return fuse_windows(found, *model, options, counts);
  }

  double least_score() const { return people::least_score(*model, options); }
};

void describe(OptionVisitor& visit, DetectOptions& options) {
  visit("threshold", options.threshold,
        "least score of a window. A lower one finds more people and makes more mistakes",
        {.absent = "the model's own"});
  visit("confidence", options.confidence,
        "least confidence of a window, in place of a threshold: the share of detections with its "
        "score that are people, for models that have a calibration",
        0, 1, {.absent = "that of the threshold"});
  visit("region", options.region, "search only this part of each image, in pixels",
        {.absent = "the whole image"});
  describe(visit, options.scan);
  describe(visit, options.fuse);
}

Detector::Detector(std::string_view model, const DetectOptions& options)
    : Detector(load_model(model), options) {}
Detector::Detector(std::shared_ptr<const Model> model, const DetectOptions& options)
    : impl_(std::make_unique<Impl>(Impl{std::move(model), options})) {
  if (!impl_->model) throw InvalidArgument("Detector: there is no model (a null pointer)");
  check_options(impl_->options);
  impl_->least_score();  // which refuses a confidence that the model does not know
}
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
Detector::~Detector() = default;

DetectResult Detector::detect(ImageView<const std::uint8_t> image) {
  DetectResult result{.size = {image.width, image.height}};
  const std::vector<Detection> found = impl_->candidates(image, result.counts);
  result.people = impl_->fused(found, result.counts);
  return result;
}

DetectResult Detector::detect(ImageView<const std::uint8_t> image,
                              ImageView<const std::uint8_t> mask) {
  detail::require_shape("detect", "mask", mask, image.width, image.height, 1);
  detail::require_host("detect", "the mask", mask.memory);
  DetectResult result{.size = {image.width, image.height}};
  std::vector<Detection> found = impl_->candidates(image, result.counts);
  std::erase_if(found, [&](const Detection& person) {
    const auto x = static_cast<int>(std::floor(person.box.x + person.box.width / 2));
    const auto y = static_cast<int>(std::floor(person.box.y + person.box.height / 2));
    return x < 0 || y < 0 || x >= mask.width || y >= mask.height || mask.at(x, y) == 0;
  });
  result.people = impl_->fused(found, result.counts);
  return result;
}

float Detector::score(ImageView<const std::uint8_t> crop) {
  require_channels(crop.channels);
  const Extent window = impl_->model->window();
  const int margin = std::min(crop.width - window.width, crop.height - window.height) / 2;
  if (margin < 0)
    throw InvalidArgument(fmt::format("score: a crop of {}x{} is smaller than the window of {}x{}",
                                      crop.width, crop.height, window.width, window.height));
  const Extent kept{window.width + 2 * margin, window.height + 2 * margin};
  const auto middle = crop.crop((crop.width - kept.width) / 2, (crop.height - kept.height) / 2,
                                kept.width, kept.height);
  const ScanResult result = impl_->scan(middle, plan_crop(kept, window), kEveryWindow);
  if (result.hits.empty()) throw ModelError("score: the model gives no number for this crop");
  return result.hits[0].score;
}

std::vector<float> Detector::scores(ImageView<const std::uint8_t> image, ScanCounts* counts) {
  const ScanResult result = impl_->scan(image, impl_->plan(image), kEveryWindow);
  if (counts) *counts = result.counts;
  std::vector<float> scores;
  scores.reserve(result.hits.size());
  for (const Hit& hit : result.hits) scores.push_back(hit.score);
  return scores;
}

const Model& Detector::model() const { return *impl_->model; }
const DetectOptions& Detector::options() const { return impl_->options; }

DetectResult TimedDetector::detect(Detector& detector, ImageView<const std::uint8_t> image,
                                   StepClock& clock) {
  Detector::Impl& impl = *detector.impl_;
  impl.clock = &clock;
  try {
    DetectResult result = detector.detect(image);
    impl.clock = nullptr;
    return result;
  } catch (...) {
    impl.clock = nullptr;
    throw;
  }
}

const char* to_string(Step step) {
  switch (step) {
    case Step::kCopies: return "copies";
    case Step::kPlanes: return "planes";
    case Step::kLevels: return "levels";
    case Step::kGradients: return "gradients";
    case Step::kSums: return "integral histograms";
    case Step::kBlocks: return "blocks";
    case Step::kChannels: return "channels";
    case Step::kCells: return "cells";
    case Step::kFilters: return "filters";
    case Step::kWindows: return "windows";
    case Step::kEarlyStages: return "early stages";
    case Step::kLateStages: return "late stages";
    case Step::kTrees: return "trees";
    case Step::kFusing: return "fusing";
  }
  return "";
}

DetectResult detect(ImageView<const std::uint8_t> image, std::string_view model,
                    const DetectOptions& options) {
  return Detector(model, options).detect(image);
}

}  // namespace fovea::people
