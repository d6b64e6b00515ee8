// The explicit map of homogeneous kernels of Vedaldi and Zisserman ("Efficient additive kernels via
// explicit feature maps", TPAMI 2012): a linear function of the mapped histogram approximates a sum
// of kernels. A bin x becomes 2 n + 1 numbers,
//   sqrt(x L k(0)), sqrt(2 x L k(jL)) cos(jL log x), sqrt(2 x L k(jL)) sin(jL log x), j = 1 ... n,
// where k is the kernel's spectrum and L = 2 pi / period. Empty bins become zeros.
#pragma once
#include <fovea/scenes/classifier.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

constexpr int kMapOrder = 1;
constexpr int kMapNumbers = 2 * kMapOrder + 1;  // per bin

class KernelMap {
 public:
  explicit KernelMap(Kernel kernel);

  // Returns the numbers of one bin.
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
  double step_ = 0;  // L
  std::array<double, kMapOrder + 1> amplitudes_{};
};

// The kernel itself, for two bins.
double exact_kernel(Kernel kernel, double a, double b);

}  // namespace fovea::scenes
