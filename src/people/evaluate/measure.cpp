// Runs models over images and windows, one image per thread. The results are in the order of the
// images, whichever thread finished first.
#include <fovea/people/measure.h>

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "core/timing/seconds.h"
#include "core/words.h"

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
  sum.zero_weight_windows += more.zero_weight_windows;
}

void add(std::vector<StageCount>& sum, const std::vector<StageCount>& more) {
  if (sum.empty()) {
    sum = more;
    return;
  }
  for (std::size_t i = 0; i < std::min(sum.size(), more.size()); ++i) {
    sum[i].reached += more[i].reached;
    sum[i].passed += more[i].passed;
  }
}

constexpr int kMostLower = 3;

// The least score of a detection.
double lowest_score_of(const Model& model, const MeasureOptions& options) {
  if (options.lower < 0 || options.lower > kMostLower)
    throw InvalidArgument(fmt::format("measure: lower {} is out of range, expected 0 to {}",
                                      options.lower, kMostLower));
  return options.threshold ? *options.threshold : model.threshold - std::ldexp(0.5, options.lower);
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

  // Searches some images once; the options hold the least score.
  std::vector<ImageFindings> find_people(std::span<const int> which,
                                         const DetectOptions& options) const {
    Detectors detectors(model_, options);
    std::vector<ImageFindings> findings(which.size());
    for_each_in_threads(
        options.exec, "images", which.size(), [&](std::size_t worker, std::size_t i) {
          const Image<std::uint8_t> image = images_.read(which[i]);
          check_size(images_.name(which[i]), image, truth_[static_cast<std::size_t>(which[i])]);
          if (!holds_a_window(image, *model_, options.scan)) return;
          DetectResult detected = detectors.of(worker).detect(image);
          findings[i].people = std::move(detected.people);
          findings[i].counts = detected.counts;
        });
    return findings;
  }

  // A cascade's stages are counted over some of the images only, because every window has to be
  // evaluated for it.
  void count_stages_of_images(std::span<const int> which, const DetectOptions& options,
                              std::vector<ImageFindings>& findings) const {
    if (model_->kind != Kind::kCascade) return;
    DetectOptions alone = options;
    alone.exec.progress = {};
    Detector detector(model_, alone);
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!has_stages(static_cast<std::size_t>(which[i]))) continue;
      const Image<std::uint8_t> image = images_.read(which[i]);
      if (!holds_a_window(image, *model_, options.scan)) continue;
      count_stages(*model_, detector.scores(image), findings[i].stages);
    }
  }

 private:
  // Whether an image is one of those in which stages are counted, which lie evenly among all.
  bool has_stages(std::size_t image) const {
    constexpr std::size_t kMostImages = 16;
    const std::size_t count = std::min(kMostImages, truth_.size());
    const std::size_t first = (image * count + truth_.size() - 1) / truth_.size();
    return first < count && first * truth_.size() / count == image;
  }

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

std::vector<ImageFindings> find_in_images(std::shared_ptr<const Model> model,
                                          const io::ImageSet& images,
                                          std::span<const AnnotatedImage> truth,
                                          std::span<const int> which,
                                          const MeasureOptions& options) {
  check_truth(images, truth);
  for (const int image : which)
    if (image < 0 || image >= images.count())
      throw InvalidArgument(
          fmt::format("measure: there is no image {} among {}", image, images.count()));
  DetectOptions detect = detect_options(options);
  detect.threshold = lowest_score_of(*model, options);
  const ImageSearch search(std::move(model), images, truth);
  std::vector<ImageFindings> findings = search.find_people(which, detect);
  search.count_stages_of_images(which, detect, findings);
  return findings;
}

ImageMeasurement measure_findings(const Model& model, std::span<const AnnotatedImage> truth,
                                  std::vector<ImageFindings> findings,
                                  const MeasureOptions& options) {
  if (findings.size() != truth.size())
    throw InvalidArgument(fmt::format("measure: {} images were searched, but {} are annotated",
                                      findings.size(), truth.size()));
  EvaluateOptions evaluate = options.evaluate;
  evaluate.exec = options.exec;
  evaluate.exec.device = resolve(options.exec.device);
  ImageMeasurement result;
  result.lowest_score = lowest_score_of(model, options);
  result.found.reserve(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    result.found.push_back({std::move(findings[i].people), truth[i].people});
    add(result.counts, findings[i].counts);
    add(result.stages, findings[i].stages);
  }
  result.report = evaluate_images(result.found, evaluate);
  return result;
}

bool needs_lower_scores(const ImageMeasurement& measured, const MeasureOptions& options) {
  const auto& curve = measured.report.curve;
  const bool complete = !curve.empty() && curve.back().false_positives >= 1;
  return !options.threshold && !complete && options.lower < kMostLower;
}

ImageMeasurement measure_on_images(std::shared_ptr<const Model> model, const io::ImageSet& images,
                                   std::span<const AnnotatedImage> truth,
                                   const MeasureOptions& options) {
  check_truth(images, truth);
  DetectOptions detect = detect_options(options);
  MeasureOptions now = options;
  const Model& searched = *model;
  const ImageSearch search(std::move(model), images, truth);
  std::vector<int> all(truth.size());
  std::iota(all.begin(), all.end(), 0);
  ImageMeasurement result;
  for (std::size_t before = 0;; ++now.lower, before = people_found(result.found)) {
    const double start = fovea::detail::seconds_now();
    detect.threshold = lowest_score_of(searched, now);
    std::vector<ImageFindings> findings = search.find_people(all, detect);
    const double seconds = fovea::detail::seconds_now() - start;
    result = measure_findings(searched, truth, std::move(findings), now);
    result.seconds = seconds;
    const bool grows = now.lower == options.lower || people_found(result.found) > before;
    if (!grows || !needs_lower_scores(result, now)) break;
  }
  std::vector<ImageFindings> stages(all.size());
  search.count_stages_of_images(all, detect, stages);
  for (const ImageFindings& image : stages) add(result.stages, image.stages);
  return result;
}

Model calibrated(Model model, std::span<const EvaluatedImage> images,
                 std::span<const ImageMatch> matches) {
  std::vector<ScoredDetection> detections;
  for (std::size_t i = 0; i < images.size(); ++i)
    for (std::size_t j = 0; j < images[i].found.size(); ++j)
      if (const Verdict verdict = matches[i].verdicts[j]; verdict != Verdict::kIgnored)
        detections.push_back({images[i].found[j].score, verdict == Verdict::kHit});
  model.calibration = fit_calibration(detections);
  const auto least = std::ranges::min(detections, {}, &ScoredDetection::score).score;
  model.facts["calibration"] =
      fmt::format("{} with scores from {:g} on, {} of them people, in {}",
                  fovea::detail::counted(detections.size(), "detection"), least,
                  std::ranges::count(detections, true, &ScoredDetection::hit),
                  fovea::detail::counted(images.size(), "image"));
  return model;
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
