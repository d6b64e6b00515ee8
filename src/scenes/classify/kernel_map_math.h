// The map of one bin (kernel_map.h), which both twins use.
#pragma once
#include <cmath>

#include "scenes/classify/elementary_math.h"

namespace fovea::scenes {

constexpr int kMapOrder = 1;
constexpr int kMapNumbers =
    2 * kMapOrder + 1;  // per bin, except for the linear kernel, which has 1

// The constants of a kernel.
struct MapConstants {
  double step = 0;  // L
  double amplitudes[kMapOrder + 1] = {};
};

// Writes kMapNumbers numbers: zeros unless the bin is positive.
FOVEA_HD inline void map_bin(const MapConstants& map, float bin, float* to) {
  for (int k = 0; k < kMapNumbers; ++k) to[k] = 0;
  if (!(bin > 0)) return;
  const double root = std::sqrt(static_cast<double>(bin));
  const double angle = map.step * log_of(static_cast<double>(bin));
  to[0] = static_cast<float>(map.amplitudes[0] * root);
  for (int j = 1; j <= kMapOrder; ++j) {
    const SinCos turned = sin_cos_of(j * angle);
    to[2 * j - 1] = static_cast<float>(map.amplitudes[j] * root * turned.cos);
    to[2 * j] = static_cast<float>(map.amplitudes[j] * root * turned.sin);
  }
}

}  // namespace fovea::scenes
