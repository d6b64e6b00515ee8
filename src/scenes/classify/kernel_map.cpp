// Spectra and periods of the two kernels. The period is the one that Vedaldi and Zisserman found
// best for this order. For bins between 0 and 1 the error of the map of order 1, relative to the
// greater of two bins, is 0.019 (root mean square; at most 0.035) for chi-squared and 0.070 (at
// most 0.16, if one bin is much smaller) for intersection.
#include "scenes/classify/kernel_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/parallel.h"

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

KernelMap::KernelMap(Kernel kernel) : kernel_(kernel) {
  if (kernel == Kernel::kLinear) return;
  constants_.step = 2 * std::numbers::pi / period(kernel);
  for (int j = 0; j <= kMapOrder; ++j)
    constants_.amplitudes[j] =
        std::sqrt((j == 0 ? 1 : 2) * constants_.step * spectrum(kernel, j * constants_.step));
}

std::array<float, kMapNumbers> KernelMap::operator()(float bin) const {
  std::array<float, kMapNumbers> numbers{};
  if (kernel_ == Kernel::kLinear) numbers[0] = bin;
  else map_bin(constants_, bin, numbers.data());
  return numbers;
}

void KernelMap::map(std::span<const float> histogram, std::span<float> mapped) const {
  if (kernel_ == Kernel::kLinear) {
    std::ranges::copy(histogram, mapped.begin());
    return;
  }
  for (std::size_t i = 0; i < histogram.size(); ++i)
    map_bin(constants_, histogram[i], mapped.data() + i * kMapNumbers);
}

void KernelMap::map(std::span<const float> histogram, Sparse& mapped) const {
  mapped.bins.clear();
  mapped.numbers.clear();
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0 || (kernel_ != Kernel::kLinear && !(histogram[i] > 0))) continue;
    mapped.bins.push_back(static_cast<std::int32_t>(i));
    mapped.numbers.push_back((*this)(histogram[i]));
  }
}

Image<float> mapped_rows(const KernelMap& map, ImageView<const float> rows, const Exec& exec) {
  Image<float> result(rows.width * map.numbers(), rows.height);
  parallel_for(exec, rows.height, 8, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < end; ++y)
      map.map({rows.row(y), static_cast<std::size_t>(rows.width)},
              {result.row(y), static_cast<std::size_t>(result.width())});
  });
  return result;
}

double exact_kernel(Kernel kernel, double a, double b) {
  if (kernel == Kernel::kIntersection) return std::min(a, b);
  if (kernel == Kernel::kLinear) return a * b;
  return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

}  // namespace fovea::scenes
