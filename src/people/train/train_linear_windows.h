// The windows of training images as descriptors: those at given places, and those with the highest
// scores of all.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "people/hog/hog_grid.h"
#include "people/train/samples.h"

namespace fovea::people {

// Rows of descriptors, of which the first `used` are filled.
struct SampleRows {
  Image<float> rows;
  int used = 0;

  int room() const { return rows.height() - used; }
  std::span<float> row(int index) {
    return {rows.row(index), static_cast<std::size_t>(rows.width())};
  }
};

// The hardest windows of a search: those with the highest scores, and the earlier place among
// equals, so that the result does not depend on the order in which windows are offered.
class HardWindows {
 public:
  // Keeps at most `most` windows with a score above `above`.
  HardWindows(int most, float above);

  // The least score that can still be kept; it only grows.
  float least() const { return least_.load(std::memory_order_relaxed); }
  // May be called by several threads.
  void offer(float score, const WindowPlace& place);

  int count() const { return static_cast<int>(kept_.size()); }
  bool full() const { return count() == most_; }
  float lowest() const {
    return kept_.front().score;
  }  // least score that is kept; there must be one
  // The windows that are kept, in the order of their places.
  std::vector<MinedWindow> windows() const;

 private:
  static bool harder(const MinedWindow& a, const MinedWindow& b);

  std::mutex mutex_;
  std::vector<MinedWindow> kept_;  // a heap with the easiest window in front
  int most_;
  std::atomic<float> least_;
};

// Descriptors of one kind, of the windows of a data set.
class TrainWindows {
 public:
  struct Setup {
    Kind kind;
    const HogOptions& hog;
    const TrainData& data;
    const ScanOptions& search;         // options of the search of negatives
    const std::vector<Extent>& sizes;  // sizes of the negatives
  };
  TrainWindows(const Setup& setup, const Exec& exec);
  ~TrainWindows();

  ScanPlan plan(int negative) const;
  std::int64_t count() const { return count_; }  // number of windows of all negatives

  // Every positive, followed by its mirror image where that is wanted.
  void describe_positives(bool mirror, SampleRows& samples);
  // Windows of the negatives, in the order of `places`.
  void describe_places(std::span<const WindowPlace> places, SampleRows& samples);

 private:
  struct Worker;
  ScanPlan plan(Extent image) const;
  void for_each(const ImageLoop& loop, const std::function<void(Worker&, int)>& task);

  const Setup setup_;
  const Exec& exec_;
  std::int64_t count_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

// `each` windows of random levels from each of the first `images` negatives, in order and without
// repetition.
std::vector<WindowPlace> random_places(const TrainWindows& windows, int images, int each,
                                       std::uint64_t seed);

}  // namespace fovea::people
