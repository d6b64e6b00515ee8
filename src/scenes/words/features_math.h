// How words become features, the same on both twins.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>

namespace fovea::scenes {

constexpr int kMostPyramid = 2;

// Cells of the levels 0 to pyramid: 1, 5 or 21.
FOVEA_HD inline constexpr int pyramid_cells(int pyramid) {
  return pyramid == 0 ? 1 : (pyramid == 1 ? 5 : 21);
}
// Cells of the levels before this one.
FOVEA_HD inline constexpr int pyramid_start(int level) {
  return level == 0 ? 0 : pyramid_cells(level - 1);
}

// The cell's column (row) at a level of a place x (y) of an image so wide (high). Halving it gives
// that of the level before.
FOVEA_HD inline int pyramid_cell(int x, int size, int level) {
  return static_cast<int>((static_cast<std::int64_t>(x) << level) / size);
}

// What the parts of a level add up to: a power of two.
FOVEA_HD inline constexpr float level_weight(int level, int pyramid) {
  const int halvings = level == 0 ? pyramid : pyramid - level + 1;
  return 1.0F / static_cast<float>(1 << halvings);
}

// `total`: places of the image, all grids together.
FOVEA_HD inline float feature_of(std::int64_t count, std::int64_t total, float weight) {
  return static_cast<float>(count) / static_cast<float>(total) * weight;
}

}  // namespace fovea::scenes
