// Runs models over images and windows, one image per thread. The results are in the order of the
// images, whichever thread finished first.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "cli/people/eval.h"
#include "cli/program/progress.h"

namespace fovea::cli {
namespace {

// One detector per worker, made when it is first needed.
class Detectors {
 public:
  Detectors(std::shared_ptr<const people::Model> model, people::DetectOptions options)
      : model_(std::move(model)),
        options_(std::move(options)),
        detectors_(eval_workers(options_.exec)) {
    // One thread per detector is enough, because several images are processed at a time.
    options_.exec.threads = 1;
    options_.exec.progress = {};
  }
  people::Detector& of(std::size_t worker) {
    auto& detector = detectors_[worker];
    if (!detector) detector = std::make_unique<people::Detector>(model_, options_);
    return *detector;
  }

 private:
  std::shared_ptr<const people::Model> model_;
  people::DetectOptions options_;
  std::vector<std::unique_ptr<people::Detector>> detectors_;
};

// Reads without applying the EXIF orientation, because annotations refer to images as they are
// stored.
Image<std::uint8_t> read_pixels(const std::string& path, const io::ImageReadOptions& options) {
  return people_pixels(io::read_image(path, options));
}

bool holds_a_window(const Image<std::uint8_t>& image, const people::Model& model,
                    people::ScanOptions scan) {
  if (scan.stride == 0) scan.stride = model.stride;
  return !people::plan_scan({image.width(), image.height()}, model.window(), model.person_height,
                            scan)
              .levels.empty();
}

void check_size(const std::string& path, const Image<std::uint8_t>& image,
                const people::AnnotatedImage& truth) {
  if (truth.width == 0 || truth.height == 0) return;
  if (truth.width != image.width() || truth.height != image.height())
    throw FormatError(
        fmt::format("{}: the image is {}x{}, but its annotation is for an image of {}x{}", path,
                    image.width(), image.height(), truth.width, truth.height));
}

// Searches all images once; the options hold the least score.
void find_people(const EvalImages& images, const people::DetectOptions& options,
                 EvalResult& result) {
  Detectors detectors(result.model.model, options);
  std::vector<people::ScanCounts> counts(images.paths.size());
  result.found.resize(images.paths.size());
  for_each_in_threads(options.exec, result.model.label, images.paths.size(),
                      [&](std::size_t worker, std::size_t i) {
                        const Image<std::uint8_t> image = read_pixels(images.paths[i], images.read);
                        check_size(images.paths[i], image, images.truth[i]);
                        people::EvaluatedImage& found = result.found[i];
                        found = {{}, images.truth[i].people};
                        if (!holds_a_window(image, *result.model.model, options.scan)) return;
                        people::DetectResult detected = detectors.of(worker).detect(image);
                        found.found = std::move(detected.people);
                        counts[i] = detected.counts;
                      });
  result.counts = {};
  for (const people::ScanCounts& each : counts) {
    result.counts.windows += each.windows;
    result.counts.evaluations += each.evaluations;
  }
}

std::size_t people_found(const std::vector<people::EvaluatedImage>& images) {
  std::size_t count = 0;
  for (const people::EvaluatedImage& image : images) count += image.found.size();
  return count;
}

// A cascade's stages are counted over some of the images only, because every window has to be
// evaluated for it.
void count_stages_of_images(const EvalImages& images, const people::DetectOptions& options,
                            EvalResult& result) {
  constexpr std::size_t kMostImages = 16;
  if (result.model.model->kind != people::Kind::kCascade) return;
  const std::size_t count = std::min(kMostImages, images.paths.size());
  people::DetectOptions alone = options;
  alone.exec.progress = {};
  people::Detector detector(result.model.model, alone);
  for (std::size_t i = 0; i < count; ++i) {
    const Image<std::uint8_t> image =
        read_pixels(images.paths[i * images.paths.size() / count], images.read);
    if (!holds_a_window(image, *result.model.model, options.scan)) continue;
    count_stages(*result.model.model, detector.scores(image), result.stages);
  }
}

}  // namespace

std::size_t eval_workers(const Exec& exec) {
  // Two workers keep a GPU busy: one computes while the other reads its image.
  if (exec.device.kind == DeviceKind::kCuda) return 2;
  const auto wanted = static_cast<std::size_t>(std::max(exec.threads, 0));
  return wanted > 0 ? wanted : std::max(std::thread::hardware_concurrency(), 1U);
}

void for_each_in_threads(const Exec& exec, std::string_view stage, std::size_t count,
                         const EvalWork& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t done = 0, running = std::min(eval_workers(exec), count);
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

EvalResult measure_on_images(const EvalModel& model, const EvalImages& images,
                             const EvalRequest& request, const Exec& exec) {
  constexpr double kBelowThreshold = 0.5;
  constexpr int kMostRounds = 4;
  EvalResult result{.model = model};
  people::DetectOptions options = request.detect;
  options.exec = exec;
  people::EvaluateOptions measure = request.measure;
  measure.exec = exec;
  const bool given = options.threshold.has_value();
  double below = kBelowThreshold;
  for (int round = 0;; ++round, below *= 2) {
    if (!given) options.threshold = model.model->threshold - below;
    result.lowest_score = *options.threshold;
    const std::size_t before = people_found(result.found);
    const auto start = steady_seconds();
    find_people(images, options, result);
    result.seconds = steady_seconds() - start;
    result.images = people::evaluate_images(result.found, measure);
    const auto& curve = result.images.curve;
    const bool complete = !curve.empty() && curve.back().false_positives >= 1;
    const bool grows = round == 0 || people_found(result.found) > before;
    if (given || complete || !grows || round + 1 == kMostRounds) break;
  }
  count_stages_of_images(images, options, result);
  return result;
}

EvalResult measure_on_windows(const EvalModel& model, const EvalWindows& windows,
                              const EvalRequest& request, const Exec& exec) {
  EvalResult result{.model = model};
  people::DetectOptions options = request.detect;
  options.exec = exec;
  Detectors detectors(model.model, options);
  const double start = steady_seconds();
  std::vector<float> positives(windows.crops.size());
  for_each_in_threads(
      exec, model.label + ": crops", positives.size(), [&](std::size_t worker, std::size_t i) {
        const Image<std::uint8_t> crop = read_pixels(windows.crops[i], windows.read);
        try {
          positives[i] = detectors.of(worker).score(crop);
        } catch (const InvalidArgument& error) {
          throw FormatError(windows.crops[i] + ": " + error.what());
        }
      });
  std::vector<std::vector<float>> scores(windows.negatives.size());
  std::vector<people::ScanCounts> counts(windows.negatives.size());
  for_each_in_threads(
      exec, model.label + ": negatives", scores.size(), [&](std::size_t worker, std::size_t i) {
        const Image<std::uint8_t> image = read_pixels(windows.negatives[i], windows.read);
        if (!holds_a_window(image, *model.model, options.scan)) return;
        scores[i] = detectors.of(worker).scores(image, &counts[i]);
      });
  std::vector<float> negatives;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    negatives.insert(negatives.end(), scores[i].begin(), scores[i].end());
    result.counts.windows += counts[i].windows;
    result.counts.evaluations += counts[i].evaluations;
  }
  result.seconds = steady_seconds() - start;
  count_stages(*model.model, negatives, result.stages);
  result.windows = people::evaluate_windows(positives, negatives);
  return result;
}

}  // namespace fovea::cli
