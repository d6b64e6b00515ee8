// Runs models over images and windows, one image per thread. The results are in the order of the
// images, whichever thread finished first.
#include <fovea/people/measure.h>

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>

#include "core/timing/seconds.h"

namespace fovea::people {
namespace {

std::size_t worker_count(const Exec& exec) {
  // Two workers keep a GPU busy: one computes while the other reads its image.
  if (exec.device.kind == DeviceKind::kCuda) return 2;
  return static_cast<std::size_t>(std::max(thread_count(exec), 1));
}

// Calls work(worker, index) for every index on several threads. The exception of the first index
// that failed is thrown; progress is reported from the calling thread.
void for_each_in_threads(const Exec& exec, std::string_view stage, std::size_t count,
                         const std::function<void(std::size_t, std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t done = 0, running = std::min(worker_count(exec), count);
  std::size_t failed_at = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure;
  const auto run = [&](std::size_t worker) {
    for (std::size_t i = next++; i < count && !exec.stop.stop_requested(); i = next++) {
      std::exception_ptr caught;
      try {
        work(worker, i);
      } catch (...) {
        caught = std::current_exception();
        next = count;  // starts no further index; all before it are already running
      }
      const std::lock_guard lock(mutex);
      ++done;
      if (caught && i < failed_at) {
        failed_at = i;
        failure = caught;
      }
      changed.notify_one();
    }
    const std::lock_guard lock(mutex);
    --running;
    changed.notify_one();
  };
  std::vector<std::jthread> threads;
  for (std::size_t worker = 0, all = running; worker < all; ++worker)
    threads.emplace_back(run, worker);
  std::unique_lock lock(mutex);
  while (running > 0) {
    changed.wait(lock);
    const auto so_far = static_cast<double>(done);
    lock.unlock();
    if (exec.progress) exec.progress({stage, so_far, static_cast<double>(count)});
    lock.lock();
  }
  lock.unlock();
  threads.clear();
  if (failure) std::rethrow_exception(failure);
  throw_if_stopped(exec);
}

// One detector per worker, made when it is first needed.
class Detectors {
 public:
  Detectors(std::shared_ptr<const Model> model, DetectOptions options)
      : model_(std::move(model)),
        options_(std::move(options)),
        detectors_(worker_count(options_.exec)) {
    // One thread per detector is enough, because several images are processed at a time.
    options_.exec.threads = 1;
    options_.exec.progress = {};
  }
  Detector& of(std::size_t worker) {
    auto& detector = detectors_[worker];
    if (!detector) detector = std::make_unique<Detector>(model_, options_);
    return *detector;
  }

 private:
  std::shared_ptr<const Model> model_;
  DetectOptions options_;
  std::vector<std::unique_ptr<Detector>> detectors_;
};

DetectOptions detect_options(const MeasureOptions& options) {
  check_options(options);
  DetectOptions detect{.threshold = options.threshold,
                       .scan = options.scan,
                       .fuse = options.fuse,
                       .exec = options.exec};
  detect.exec.device = resolve(options.exec.device);
  return detect;
}

void add(ScanCounts& sum, const ScanCounts& more) {
  sum.windows += more.windows;
  sum.evaluations += more.evaluations;
  sum.weightless += more.weightless;
}

bool holds_a_window(const Image<std::uint8_t>& image, const Model& model, ScanOptions scan) {
  if (scan.stride == 0) scan.stride = model.stride;
  return !plan_scan({image.width(), image.height()}, model.window(), model.person_height, scan)
              .levels.empty();
}

void check_size(const std::string& name, const Image<std::uint8_t>& image,
                const AnnotatedImage& truth) {
  if (truth.width == 0 || truth.height == 0) return;
  if (truth.width != image.width() || truth.height != image.height())
    throw FormatError(
        fmt::format("{}: the image is {}x{}, but its annotation is for an image of {}x{}", name,
                    image.width(), image.height(), truth.width, truth.height));
}

void check_truth(const io::ImageSet& images, std::span<const AnnotatedImage> truth) {
  if (static_cast<std::size_t>(images.count()) != truth.size())
    throw InvalidArgument(fmt::format("measure: there are {} images, but annotations of {}",
                                      images.count(), truth.size()));
  for (const AnnotatedImage& image : truth)
    for (const Annotation& person : image.people)
      if (!person.ignore) return;
  throw InvalidArgument(
      fmt::format("measure: there are no people in {} images, so that there is nobody to find",
                  images.count()));
}

// Adds windows to the counts of a cascade's stages, by their scores.
void count_stages(const Model& model, std::span<const float> scores,
                  std::vector<StageCount>& stages) {
  const auto* cascade = std::get_if<CascadeModel>(&model.classifier);
  if (cascade == nullptr) return;
  if (stages.empty()) {
    for (const CascadeStage& stage : cascade->stages)
      stages.push_back({.blocks = static_cast<int>(stage.classifiers.size())});
  }
  for (const float score : scores) {
    const std::size_t passed = stages_passed(*cascade, score);
    for (std::size_t i = 0; i < passed; ++i) ++stages[i].passed;
    for (std::size_t i = 0; i < std::min(passed + 1, stages.size()); ++i) ++stages[i].reached;
  }
}

class ImageSearch {
 public:
  ImageSearch(std::shared_ptr<const Model> model, const io::ImageSet& images,
              std::span<const AnnotatedImage> truth)
      : model_(std::move(model)), images_(images), truth_(truth) {}

  // Searches all images once; the options hold the least score.
  void find_people(const DetectOptions& options, ImageMeasurement& result) const {
    const double start = fovea::detail::seconds_now();
    Detectors detectors(model_, options);
    std::vector<ScanCounts> counts(truth_.size());
    result.found.resize(truth_.size());
    for_each_in_threads(options.exec, "images", truth_.size(),
                        [&](std::size_t worker, std::size_t i) {
                          const Image<std::uint8_t> image = images_.read(static_cast<int>(i));
                          check_size(images_.name(static_cast<int>(i)), image, truth_[i]);
                          EvaluatedImage& found = result.found[i];
                          found = {{}, truth_[i].people};
                          if (!holds_a_window(image, *model_, options.scan)) return;
                          DetectResult detected = detectors.of(worker).detect(image);
                          found.found = std::move(detected.people);
                          counts[i] = detected.counts;
                        });
    result.counts = {};
    for (const ScanCounts& each : counts) add(result.counts, each);
    result.seconds = fovea::detail::seconds_now() - start;
  }

  // A cascade's stages are counted over some of the images only, because every window has to be
  // evaluated for it.
  void count_stages_of_images(const DetectOptions& options, ImageMeasurement& result) const {
    constexpr std::size_t kMostImages = 16;
    if (model_->kind != Kind::kCascade) return;
    const std::size_t count = std::min(kMostImages, truth_.size());
    DetectOptions alone = options;
    alone.exec.progress = {};
    Detector detector(model_, alone);
    for (std::size_t i = 0; i < count; ++i) {
      const Image<std::uint8_t> image = images_.read(static_cast<int>(i * truth_.size() / count));
      if (!holds_a_window(image, *model_, options.scan)) continue;
      count_stages(*model_, detector.scores(image), result.stages);
    }
  }

 private:
  std::shared_ptr<const Model> model_;
  const io::ImageSet& images_;
  std::span<const AnnotatedImage> truth_;
};

std::size_t people_found(const std::vector<EvaluatedImage>& images) {
  std::size_t count = 0;
  for (const EvaluatedImage& image : images) count += image.found.size();
  return count;
}

}  // namespace

void describe(OptionVisitor& visit, MeasureOptions& options) {
  visit("threshold", options.threshold, "least score of a detection, where the curve ends",
        {.absent = "chosen so that the curve reaches 1 false positive per image"});
  describe(visit, options.scan);
  describe(visit, options.fuse);
  describe(visit, options.evaluate);
}

Image<std::uint8_t> detector_pixels(io::AnyImage image) {
  if (image.channels() == 2 || image.channels() == 4) image = io::drop_alpha(image);
  if (image.channels() != 1 && image.channels() != 3)
    throw InvalidArgument(
        fmt::format("the image has {} channels, but people are searched in gray and RGB images",
                    image.channels()));
  return io::to_bytes(std::move(image));
}

Image<std::uint8_t> StoredImages::read(int index) const {
  return detector_pixels(io::read_image(name(index), {.max_pixels = max_pixels_}));
}

ImageMeasurement measure_on_images(std::shared_ptr<const Model> model, const io::ImageSet& images,
                                   std::span<const AnnotatedImage> truth,
                                   const MeasureOptions& options) {
  constexpr double kBelowThreshold = 0.5;
  constexpr int kMostRounds = 4;
  check_truth(images, truth);
  DetectOptions detect = detect_options(options);
  EvaluateOptions evaluate = options.evaluate;
  evaluate.exec = detect.exec;
  const double usual = model->threshold;
  const ImageSearch search(std::move(model), images, truth);
  ImageMeasurement result;
  double below = kBelowThreshold;
  for (int round = 0;; ++round, below *= 2) {
    if (!options.threshold) detect.threshold = usual - below;
    result.lowest_score = *detect.threshold;
    const std::size_t before = people_found(result.found);
    search.find_people(detect, result);
    result.report = evaluate_images(result.found, evaluate);
    const auto& curve = result.report.curve;
    const bool complete = !curve.empty() && curve.back().false_positives >= 1;
    const bool grows = round == 0 || people_found(result.found) > before;
    if (options.threshold || complete || !grows || round + 1 == kMostRounds) break;
  }
  search.count_stages_of_images(detect, result);
  return result;
}

WindowMeasurement measure_on_windows(std::shared_ptr<const Model> model, const io::ImageSet& crops,
                                     const io::ImageSet& negatives, const MeasureOptions& options) {
  const DetectOptions detect = detect_options(options);
  Detectors detectors(model, detect);
  WindowMeasurement result;
  const double start = fovea::detail::seconds_now();
  std::vector<float> people(static_cast<std::size_t>(crops.count()));
  for_each_in_threads(detect.exec, "crops", people.size(), [&](std::size_t worker, std::size_t i) {
    const Image<std::uint8_t> crop = crops.read(static_cast<int>(i));
    try {
      people[i] = detectors.of(worker).score(crop);
    } catch (const InvalidArgument& error) {
      throw FormatError(crops.name(static_cast<int>(i)) + ": " + error.what());
    }
  });
  std::vector<std::vector<float>> scores(static_cast<std::size_t>(negatives.count()));
  std::vector<ScanCounts> counts(scores.size());
  for_each_in_threads(detect.exec, "negatives", scores.size(),
                      [&](std::size_t worker, std::size_t i) {
                        const Image<std::uint8_t> image = negatives.read(static_cast<int>(i));
                        if (!holds_a_window(image, *model, detect.scan)) return;
                        scores[i] = detectors.of(worker).scores(image, &counts[i]);
                      });
  std::vector<float> others;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    others.insert(others.end(), scores[i].begin(), scores[i].end());
    add(result.counts, counts[i]);
  }
  result.seconds = fovea::detail::seconds_now() - start;
  count_stages(*model, others, result.stages);
  result.report = evaluate_windows(people, others);
  return result;
}

}  // namespace fovea::people
