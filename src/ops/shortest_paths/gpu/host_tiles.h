// Half a matrix of distances in host memory, as a DistanceMatrix stores it, from which tiles of 128
// x 128 visit a GPU. Some panels together are a super panel. For each of them in turn, its strip
// (the tiles that touch it) is closed on the device and leaves its pivots there; then all other
// tiles visit the device, one pair of super panels at a time, and take these pivots.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "ops/shortest_paths/close_squares_math.h"

namespace fovea::detail {

// All panels of a square, `each` at a time.
struct SuperPanels {
  int panels = 0;
  int each = 0;

  int count() const { return (panels + each - 1) / each; }
  int first(int super) const { return super * each; }
  int size(int super) const { return std::min(each, panels - first(super)); }
};

// A tile on or below the diagonal, and its place among those that travel together.
struct HostTile {
  int row = 0;
  int column = 0;
  std::size_t place = 0;
};

// The tiles between a super panel and another one or itself, in the order of
// SquareLayout::kStrip.
FOVEA_API std::vector<HostTile> strip_tiles(const SuperPanels& panels, int super, int other);
// The tiles between the super panels `row` and `column`, row >= column: one column of tiles after
// the other.
FOVEA_API std::vector<HostTile> outer_tiles(const SuperPanels& panels, int row, int column);

// The costs of arcs; everything else is infinitely far.
FOVEA_API void set_lower(const Graph& graph, const Exec& exec, std::span<float> lower);

// Tiles with their padding, each row-major, from half a matrix of so many nodes and back.
FOVEA_API void load_tiles(std::span<const float> lower, int nodes, std::span<const HostTile> tiles,
                          const Exec& exec, float* to);
FOVEA_API void store_tiles(const float* from, int nodes, std::span<const HostTile> tiles,
                           const Exec& exec, std::span<float> lower);

}  // namespace fovea::detail
