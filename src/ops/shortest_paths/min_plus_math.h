// The one step of every engine that works on matrices, and how half a matrix of distances is stored
// in tiles. A step is a sum of two floats and a minimum, nothing else. The order of minima does not
// matter, so that twins which take the same steps in any order agree to the bit.
#pragma once
#include <fovea/core/api.h>

#include <cstddef>

namespace fovea::detail {

// The side of a tile, in nodes. Results depend on it: a tile on the diagonal is closed one node
// after the other, and then all paths through its nodes are taken at once.
inline constexpr int kPathTile = 64;
inline constexpr std::size_t kPathTileSize = std::size_t{kPathTile} * kPathTile;

// The lesser of d and the length of a path of two pieces.
FOVEA_HD inline float relaxed(float d, float a, float b) {
  const float sum = a + b;
  return sum < d ? sum : d;
}

FOVEA_HD inline int path_tiles(int nodes) { return (nodes + kPathTile - 1) / kPathTile; }

// Tiles (row, column) with row >= column, row after row, each row-major. Nodes beyond the last have
// distance 0 to themselves and are infinitely far from all others.
FOVEA_HD inline std::size_t half_tile(int row, int column) {
  return (static_cast<std::size_t>(row) * (static_cast<std::size_t>(row) + 1) / 2 +
          static_cast<std::size_t>(column)) *
         kPathTileSize;
}
// The index of the distance from a to b, where a >= b.
FOVEA_HD inline std::size_t half_index(int a, int b) {
  return half_tile(a / kPathTile, b / kPathTile) +
         static_cast<std::size_t>(a % kPathTile) * kPathTile +
         static_cast<std::size_t>(b % kPathTile);
}

}  // namespace fovea::detail
