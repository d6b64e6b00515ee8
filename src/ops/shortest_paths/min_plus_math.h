// The one step of every engine that works on matrices, and how half a matrix of distances lies in
// tiles. A step is a sum of two floats and a minimum, nothing else: minima do not care about their
// order, so that twins which take the same steps in any order agree to the bit.
#pragma once
#include <fovea/core/api.h>

#include <cstddef>

namespace fovea::detail {

// Nodes of a tile's side. Results depend on it: a tile on the diagonal is closed one node after the
// other, whereupon all paths through its nodes count at once.
inline constexpr int kPathTile = 64;
inline constexpr std::size_t kPathTileSize = std::size_t{kPathTile} * kPathTile;

// d where it is less than a path of two pieces.
FOVEA_HD inline float relaxed(float d, float a, float b) {
  const float sum = a + b;
  return sum < d ? sum : d;
}

FOVEA_HD inline int path_tiles(int nodes) { return (nodes + kPathTile - 1) / kPathTile; }

// Tiles (row, column) with row >= column, row after row, each row-major. Nodes beyond the last are
// 0 from themselves and infinitely far from all else.
FOVEA_HD inline std::size_t half_tile(int row, int column) {
  return (static_cast<std::size_t>(row) * (static_cast<std::size_t>(row) + 1) / 2 +
          static_cast<std::size_t>(column)) *
         kPathTileSize;
}
// Of the distance from a to b, a >= b.
FOVEA_HD inline std::size_t half_index(int a, int b) {
  return half_tile(a / kPathTile, b / kPathTile) +
         static_cast<std::size_t>(a % kPathTile) * kPathTile +
         static_cast<std::size_t>(b % kPathTile);
}

}  // namespace fovea::detail
