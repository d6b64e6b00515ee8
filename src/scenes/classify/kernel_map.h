// The explicit map of homogeneous kernels of Vedaldi and Zisserman ("Efficient additive kernels via
// explicit feature maps", TPAMI 2012): a linear function of the mapped histogram approximates a sum
// of kernels. A bin x becomes 2 n + 1 numbers,
//   sqrt(x L k(0)), sqrt(2 x L k(jL)) cos(jL log x), sqrt(2 x L k(jL)) sin(jL log x), j = 1 ... n,
// where k is the kernel's spectrum and L = 2 pi / period. Empty bins become zeros. The linear
// kernel needs no map: a bin stays the number that it is.
#pragma once
#include <fovea/core/image.h>
#include <fovea/scenes/trained_classifier.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/classify/kernel_map_math.h"

namespace fovea::scenes {

// How many numbers a bin becomes.
constexpr int map_numbers(Kernel kernel) { return kernel == Kernel::kLinear ? 1 : kMapNumbers; }

class KernelMap {
 public:
  explicit KernelMap(Kernel kernel);

  int numbers() const { return map_numbers(kernel_); }  // per bin
  const MapConstants& constants() const { return constants_; }

  // Returns the numbers of one bin; the linear kernel fills the first alone.
  std::array<float, kMapNumbers> operator()(float bin) const;
  // Writes the numbers of a whole histogram, bin by bin.
  void map(std::span<const float> histogram, std::span<float> mapped) const;

  // A histogram without its empty bins.
  struct Sparse {
    std::vector<std::int32_t> bins;
    std::vector<std::array<float, kMapNumbers>> numbers;
  };
  void map(std::span<const float> histogram, Sparse& mapped) const;

 private:
  Kernel kernel_;
  MapConstants constants_{};
};

// Maps histograms, one per row.
Image<float> mapped_rows(const KernelMap& map, ImageView<const float> rows, const Exec& exec);

// The kernel itself, for two bins.
double exact_kernel(Kernel kernel, double a, double b);

}  // namespace fovea::scenes
