// The samples that a cascade learns from, as integral histograms of their windows: any block of any
// sample then takes a few look-ups.
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
  // The 36 numbers of a block of a sample, normalized to length 1, in the order of
  // BlockClassifier::weights.
  void numbers(std::size_t i, const cascade::BlockPlan& block, float* out) const;

 private:
  std::size_t size_;
  std::size_t row_;
  std::vector<std::uint32_t> sums_;
};

// Where and how windows are searched for in training.
struct MineOptions {
  Extent window;
  bool color;
  ScanOptions scan;
  Exec exec;
  const ImageSurvey* survey = nullptr;        // of the negatives
  const NegativeSearch* elsewhere = nullptr;  // who searches them, where that is not done here
  std::size_t random_windows = 32;  // random windows per image, where there are no stages yet
};

SampleSums positive_sums(const ImageSet& positives, bool mirror, const MineOptions& options);

// What a search of the negatives looks for.
struct CascadeSearch {
  const CascadeModel& model;  // windows that pass it are found; without stages all are
  std::uint64_t sequence;     // sequence of the random numbers
  std::size_t wanted;
  float threshold;  // least score of a window that is found
  bool hardest;  // find the highest scores of all images; otherwise random windows, of few images
                 // if these suffice
  const char* what;  // name of the search in progress reports
};

struct MineResult {
  std::vector<WindowPlace> places;
  std::vector<float> scores;  // scores of the places
  std::int64_t windows = 0;   // windows that were evaluated
  std::int64_t passed = 0;    // windows that passed
  std::int64_t evaluations = 0;
};

// The result does not depend on the number of threads.
MineResult mine_cascade(const ImageSet& negatives, const CascadeSearch& request,
                        const MineOptions& options);

// Calls use(i, sums) with the integral histograms of places[i] as the only sample, from several
// threads; each image is read once.
void for_each_window(const ImageSet& negatives, const std::vector<WindowPlace>& places,
                     const MineOptions& options,
                     const std::function<void(std::size_t, const SampleSums&)>& use);

// The integral histograms of windows that mine_cascade() found.
void add_sums(const ImageSet& negatives, const std::vector<WindowPlace>& places,
              const MineOptions& options, SampleSums& to);

}  // namespace fovea::people
