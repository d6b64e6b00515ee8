// The samples a cascade learns from, as integral histograms of their windows: any block of any
// sample is then a few look-ups.
#pragma once
#include <fovea/core/random.h>
#include <fovea/people/train.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "people/cascade/cascade_planes.h"
#include "people/train/samples.h"

namespace fovea::people {

// Integral histograms of windows, one after another.
class SampleSums {
 public:
  explicit SampleSums(Extent window);
  std::size_t count() const { return sums_.size() / size_; }
  std::size_t bytes_each() const { return size_ * sizeof(std::uint32_t); }
  void resize(std::size_t count) { sums_.resize(count * size_); }
  std::span<std::uint32_t> sample(std::size_t i) {
    return std::span(sums_).subspan(i * size_, size_);
  }
  std::span<const std::uint32_t> sample(std::size_t i) const {
    return std::span(sums_).subspan(i * size_, size_);
  }
  // The 36 numbers of a block of a sample, of length 1, in the order of BlockClassifier::weights.
  void numbers(std::size_t i, const cascade::BlockPlan& block, float* out) const;

 private:
  std::size_t size_;
  std::size_t row_;
  std::vector<std::uint32_t> sums_;
};

// Where windows are looked for in training, and how.
struct MineOptions {
  Extent window;
  bool color;
  ScanOptions scan;
  Exec exec;
  std::size_t random_windows = 32;  // of an image, where there are no stages yet
};

SampleSums positive_sums(const ImageSet& positives, bool mirror, const MineOptions& options);

// What a search of the negatives is for.
struct MineRequest {
  const CascadeModel& model;  // windows that pass it count; without stages all do
  std::uint64_t sequence;     // of the random numbers
  std::size_t wanted;
  float threshold;   // least score of a window that counts
  bool hardest;      // the highest scores of all images; else random ones, of few images if they do
  const char* what;  // for progress
};

struct MineResult {
  std::vector<WindowPlace> places;
  std::vector<float> scores;  // of the places
  std::int64_t windows = 0;   // looked at
  std::int64_t passed = 0;    // of them
  std::int64_t evaluations = 0;
};

// Deterministic whatever the number of threads.
MineResult mine(const ImageSet& negatives, const MineRequest& request, const MineOptions& options);

// Calls use(i, sums) with the integral histograms of places[i] as the only sample, from several
// threads; images are read once.
void for_each_window(const ImageSet& negatives, const std::vector<WindowPlace>& places,
                     const MineOptions& options,
                     const std::function<void(std::size_t, const SampleSums&)>& use);

// The integral histograms of windows that mine() found.
void add_sums(const ImageSet& negatives, const std::vector<WindowPlace>& places,
              const MineOptions& options, SampleSums& to);

}  // namespace fovea::people
