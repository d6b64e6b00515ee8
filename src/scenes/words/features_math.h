// How words become features; both twins use this code.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>

namespace fovea::scenes {

constexpr int kMostPyramid = 2;

// Returns the number of cells of levels 0 to pyramid: 1, 5 or 21.
FOVEA_HD inline constexpr int pyramid_cells(int pyramid) {
  return pyramid == 0 ? 1 : (pyramid == 1 ? 5 : 21);
}
// Returns the number of cells of the levels before this one.
FOVEA_HD inline constexpr int pyramid_start(int level) {
  return level == 0 ? 0 : pyramid_cells(level - 1);
}

// Returns the column (row) of the cell at a level for a place x (y) of an image of this width
// (height). Half of it is the column (row) at the level before.
FOVEA_HD inline int pyramid_cell(int x, int size, int level) {
  return static_cast<int>((static_cast<std::int64_t>(x) << level) / size);
}

// Returns the sum of the features of a level: a power of two.
FOVEA_HD inline constexpr float level_weight(int level, int pyramid) {
  const int halvings = level == 0 ? pyramid : pyramid - level + 1;
  return 1.0F / static_cast<float>(1 << halvings);
}

// `total` is the number of places of the image in all grids.
FOVEA_HD inline float feature_of(std::int64_t count, std::int64_t total, float weight) {
  return static_cast<float>(count) / static_cast<float>(total) * weight;
}

}  // namespace fovea::scenes
