#pragma once
#include <fovea/core/api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// The bounds of a share that was measured on a sample.
struct Interval {
  double low = 0;
  double high = 0;
};

// The 95 % confidence interval of the share `right` / `all` (E. B. Wilson, JASA 22, 1927). Unlike
// the normal approximation it stays between 0 and 1 and holds for few samples and for shares near 0
// or 1. Throws InvalidArgument unless 0 <= right <= all and all > 0.
FOVEA_API Interval wilson_interval(std::int64_t right, std::int64_t all);

// How often the samples of each true class were classified as each class. A row is a true class, a
// column the class that was predicted.
struct Confusion {
  int classes = 0;
  std::vector<std::int64_t> counts;  // row after row

  Confusion() = default;
  FOVEA_API explicit Confusion(int class_count);

  std::int64_t& at(int truth, int predicted) { return counts[index(truth, predicted)]; }
  std::int64_t at(int truth, int predicted) const { return counts[index(truth, predicted)]; }

  FOVEA_API std::int64_t total() const;          // all samples
  FOVEA_API std::int64_t right() const;          // samples classified as their true class
  FOVEA_API double accuracy() const;             // right / total; 0 without samples
  FOVEA_API Interval interval() const;           // of the accuracy; 0 to 1 without samples
  FOVEA_API std::vector<double> recall() const;  // the share of each true class that is right

  // Adds counts of the same classes; to an empty matrix anything can be added.
  FOVEA_API Confusion& operator+=(const Confusion& other);
  bool operator==(const Confusion&) const = default;

 private:
  std::size_t index(int truth, int predicted) const {
    return static_cast<std::size_t>(truth) * static_cast<std::size_t>(classes) +
           static_cast<std::size_t>(predicted);
  }
};

// Counts labels from 0 to classes - 1. Throws InvalidArgument for any other label, or where there
// are not as many predictions as true labels.
FOVEA_API Confusion count_confusion(std::span<const std::int32_t> truth,
                                    std::span<const std::int32_t> predicted, int classes);

}  // namespace fovea
