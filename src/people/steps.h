// Where the time of a search goes, for benchmarks. A scanner that is given a StepClock adds the
// time of each of its steps to it. Without one, a step costs the test of a pointer.
#pragma once
#include <fovea/people/detector.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace fovea::people {

// The steps of all kinds, in the order in which an image passes them. A kind has some of them.
enum class Step : unsigned char {
  kCopies,       // of the image to the device, and of the windows found to the host
  kPlanes,       // the image in gray, or as planes of one color each
  kLevels,       // the image at other sizes
  kGradients,    // direction and magnitude of each pixel's gradient, and its votes
  kSums,         // integral histograms; those of a cascade with their gradients
  kBlocks,       // histograms of blocks, normalized
  kChannels,     // channels of the exact levels
  kCells,        // cells of the levels between, smoothed
  kFilters,      // filtered cells
  kWindows,      // scores of windows by one linear classifier
  kEarlyStages,  // the first stages of a cascade
  kLateStages,   // the stages that few windows reach, and the ranking
  kTrees,        // boosted trees
  kFusing        // detections from windows
};
constexpr int kSteps = static_cast<int>(Step::kFusing) + 1;
FOVEA_API const char* to_string(Step step);

// Seconds of threads: what several threads spend in a step at the same time is added up, and a step
// during which all others wait counts once for each. Divided by the number of threads they are
// comparable with the time of the whole search, of which waiting is the rest. On a GPU they are
// those of the device's clock.
class StepClock {
 public:
  explicit StepClock(int threads) : threads_(threads) {}
  int threads() const { return threads_; }
  void add(Step step, double seconds) {
    nanoseconds_[static_cast<std::size_t>(step)].fetch_add(
        static_cast<std::int64_t>(1e9 * seconds + 0.5), std::memory_order_relaxed);
  }
  // Divided by the number of threads.
  double seconds(Step step) const {
    return 1e-9 / threads_ *
           static_cast<double>(
               nanoseconds_[static_cast<std::size_t>(step)].load(std::memory_order_relaxed));
  }

 private:
  int threads_;
  std::array<std::atomic<std::int64_t>, kSteps> nanoseconds_{};
};

// Adds the time until its end, or until the next step, to a clock that may be absent. A step in
// which all threads take part, or wait, has as many `threads` as the clock.
class StepTimer {
 public:
  StepTimer(StepClock* clock, Step step, int threads = 1)
      : clock_(clock), step_(step), threads_(threads) {
    if (clock_) start_ = Time::now();
  }
  ~StepTimer() { next(step_); }
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

  void next(Step step) {
    if (!clock_) return;
    const auto now = Time::now();
    clock_->add(step_, threads_ * std::chrono::duration<double>(now - start_).count());
    start_ = now;
    step_ = step;
  }

 private:
  using Time = std::chrono::steady_clock;
  StepClock* clock_;
  Step step_;
  int threads_;
  Time::time_point start_{};
};
// A timer of a step that all threads share or wait for.
inline StepTimer shared_step(StepClock* clock, Step step) {
  return {clock, step, clock ? clock->threads() : 1};
}

// Detector::detect() with a clock. A large level is not divided among threads meanwhile, so that
// every piece of work belongs to one thread; what is found is the same.
struct TimedDetector {
  FOVEA_API static DetectResult detect(Detector& detector, ImageView<const std::uint8_t> image,
                                       StepClock& clock);
};

}  // namespace fovea::people
