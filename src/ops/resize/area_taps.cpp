#include "ops/resize/area_taps.h"

#include <algorithm>
#include <cmath>

#include "ops/resize/resize_math.h"

namespace fovea::detail {

AreaTaps area_taps(int source_size, int out_size) {
  const double scale = static_cast<double>(source_size) / out_size;
  const double radius = std::max(scale, 1.0);
  AreaTaps taps;
  taps.begin.push_back(0);
  for (int i = 0; i < out_size; ++i) {
    const double center = source_position(i, scale);
    const int first = std::max(0, static_cast<int>(std::floor(center - radius)) + 1);
    const int last = std::min(source_size - 1, static_cast<int>(std::ceil(center + radius)) - 1);
    const auto triangle = [&](int k) { return 1 - std::abs(k - center) / radius; };
    double sum = 0;
    for (int k = first; k <= last; ++k) sum += triangle(k);
    for (int k = first; k <= last; ++k)
      taps.weight.push_back(static_cast<float>(triangle(k) / sum));
    taps.first.push_back(first);
    taps.begin.push_back(static_cast<int>(taps.weight.size()));
  }
  return taps;
}

}  // namespace fovea::detail
