// Spectra and periods of the two kernels. The period is the one that Vedaldi and Zisserman found
// best for this order. For bins between 0 and 1 the error of the map of order 1, relative to the
// greater of two bins, is 0.019 (root mean square; at most 0.035) for chi-squared and 0.070 (at
// most 0.16, if one bin is much smaller) for intersection.
#include "scenes/classify/kernel_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace fovea::scenes {
namespace {

double spectrum(Kernel kernel, double frequency) {
  using std::numbers::pi;
  if (kernel == Kernel::kIntersection) return 2 / pi / (1 + 4 * frequency * frequency);
  return 1 / std::cosh(pi * frequency);
}

double period(Kernel kernel) {
  if (kernel == Kernel::kIntersection) return 2.38 * std::log(kMapOrder + 0.8) + 5.6;
  return 5.86 * std::sqrt(static_cast<double>(kMapOrder)) + 3.65;
}

}  // namespace

KernelMap::KernelMap(Kernel kernel) : step_(2 * std::numbers::pi / period(kernel)) {
  for (std::size_t j = 0; j < amplitudes_.size(); ++j)
    amplitudes_[j] =
        std::sqrt((j == 0 ? 1 : 2) * step_ * spectrum(kernel, static_cast<double>(j) * step_));
}

std::array<float, kMapNumbers> KernelMap::operator()(float bin) const {
  std::array<float, kMapNumbers> numbers{};
  if (!(bin > 0)) return numbers;
  const double root = std::sqrt(static_cast<double>(bin));
  const double angle = step_ * std::log(static_cast<double>(bin));
  numbers[0] = static_cast<float>(amplitudes_[0] * root);
  for (std::size_t j = 1; j < amplitudes_.size(); ++j) {
    const double turned = static_cast<double>(j) * angle;
    numbers[2 * j - 1] = static_cast<float>(amplitudes_[j] * root * std::cos(turned));
    numbers[2 * j] = static_cast<float>(amplitudes_[j] * root * std::sin(turned));
  }
  return numbers;
}

void KernelMap::map(std::span<const float> histogram, std::span<float> mapped) const {
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    float* to = mapped.data() + i * kMapNumbers;
    if (histogram[i] > 0) std::ranges::copy((*this)(histogram[i]), to);
    else std::fill_n(to, kMapNumbers, 0.F);
  }
}

void KernelMap::map(std::span<const float> histogram, Sparse& mapped) const {
  mapped.bins.clear();
  mapped.numbers.clear();
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (!(histogram[i] > 0)) continue;
    mapped.bins.push_back(static_cast<std::int32_t>(i));
    mapped.numbers.push_back((*this)(histogram[i]));
  }
}

double exact_kernel(Kernel kernel, double a, double b) {
  if (kernel == Kernel::kIntersection) return std::min(a, b);
  return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

}  // namespace fovea::scenes
