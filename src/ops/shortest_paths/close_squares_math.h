// Which tiles the CUDA twin of floyd-warshall works on. It takes the steps of close_half() in
// min_plus.h in another order, which does not change minima. A panel is 128 nodes, two tiles of
// min_plus_math.h; two panels are a group. Panels are finished one after the other, after their
// tiles have been updated. All other tiles wait for the whole group, so that a tile is read and
// written once for 256 nodes. For that purpose the rows of the nodes are kept as they were when
// they became final: they are called pivots.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstddef>

#include "ops/shortest_paths/min_plus_math.h"

namespace fovea::detail {

inline constexpr int kPanel = 2 * kPathTile;                             // nodes
inline constexpr std::size_t kPanelTile = std::size_t{kPanel} * kPanel;  // floats
inline constexpr int kGroup = 2;                                         // panels
inline constexpr int kPivots = kGroup * kPanel;  // rows that are kept of a group
inline constexpr std::size_t kPivotGroups =
    2;  // groups that are kept at a time: this one and the next

// The side of a square of distances, in panels.
FOVEA_HD inline int panels_of(int nodes) { return (nodes + kPanel - 1) / kPanel; }

// One launch over tiles of 128 x 128 in the lower half. `done` panels from `group` on have left
// their pivots. The tiles are those that touch the `count` panels from `first` on, or else all the
// others.
struct TrailStep {
  int group = 0;
  int done = 0;
  int first = 0;
  int count = 0;
  bool touching = false;
};

// A tile with row >= column, and the pivots that it still lacks.
struct TrailTile {
  int row = 0;
  int column = 0;
  int begin = 0;
  int end = 0;  // equal to begin where there is nothing to do
};

FOVEA_HD inline int least(int a, int b) { return a < b ? a : b; }
FOVEA_HD inline int most(int a, int b) { return a > b ? a : b; }

// The panels of a step in a square of so many panels.
FOVEA_HD inline int trail_count(const TrailStep& step, int panels) {
  return most(0, least(step.count, panels - step.first));
}

// The number of tiles of a step; a few of them may be idle.
FOVEA_HD inline unsigned trail_tiles(const TrailStep& step, int panels) {
  const int count = trail_count(step, panels);
  if (step.touching) return static_cast<unsigned>(count) * static_cast<unsigned>(panels);
  const auto others = static_cast<unsigned>(panels - count);
  return others * (others + 1) / 2;
}

// The row of the lower half to which a number belongs, where rows follow each other.
FOVEA_HD inline int triangle_row(unsigned number) {
  auto row = static_cast<unsigned>((std::sqrt(8.F * static_cast<float>(number) + 1.F) - 1.F) / 2.F);
  while (row * (row + 1) / 2 > number) --row;
  while ((row + 1) * (row + 2) / 2 <= number) ++row;
  return static_cast<int>(row);
}

// The pivots that a tile still lacks in a step.
FOVEA_HD inline void set_lacking(const TrailStep& step, int panels, TrailTile& tile) {
  const int done = most(0, least(step.done, panels - step.group));
  int has =
      0;  // panels of the group whose pivots the tile has: those up to the last that it touches
  for (int i = 0; i < done; ++i)
    if (tile.row == step.group + i || tile.column == step.group + i) has = i + 1;
  tile.begin = has * kPanel;
  tile.end = done * kPanel;
}

FOVEA_HD inline TrailTile trail_tile(const TrailStep& step, int panels, unsigned number) {
  TrailTile tile;
  if (number >= trail_tiles(step, panels)) return tile;
  const int count = trail_count(step, panels);
  if (step.touching) {
    const int panel = step.first + static_cast<int>(number) / panels;
    const int other = static_cast<int>(number) % panels;
    if (other >= step.first && other < panel) return tile;  // the other panel's tile
    tile.row = most(panel, other);
    tile.column = least(panel, other);
  } else {
    const int row = triangle_row(number);
    const int column = static_cast<int>(number - static_cast<unsigned>(row) *
                                                     (static_cast<unsigned>(row) + 1) / 2);
    tile.row = row < step.first ? row : row + count;
    tile.column = column < step.first ? column : column + count;
  }
  set_lacking(step, panels, tile);
  return tile;
}

// The same over all tiles of a square, for distances that differ by direction.
FOVEA_HD inline unsigned directed_tiles(const TrailStep& step, int panels) {
  const int count = trail_count(step, panels);
  if (step.touching) return 2 * static_cast<unsigned>(count) * static_cast<unsigned>(panels);
  const auto others = static_cast<unsigned>(panels - count);
  return others * others;
}

FOVEA_HD inline TrailTile directed_tile(const TrailStep& step, int panels, unsigned number) {
  TrailTile tile;
  if (number >= directed_tiles(step, panels)) return tile;
  const int count = trail_count(step, panels);
  if (step.touching) {  // the rows of the panels, then their columns but for what the rows have
    const unsigned rows = static_cast<unsigned>(count) * static_cast<unsigned>(panels);
    const int n = static_cast<int>(number < rows ? number : number - rows);
    const int panel = step.first + n / panels, other = n % panels;
    if (number >= rows && other >= step.first && other < step.first + count) return tile;
    tile.row = number < rows ? panel : other;
    tile.column = number < rows ? other : panel;
  } else {
    const int others = panels - count;
    const int row = static_cast<int>(number) / others, column = static_cast<int>(number) % others;
    tile.row = row < step.first ? row : row + count;
    tile.column = column < step.first ? column : column + count;
  }
  set_lacking(step, panels, tile);
  return tile;
}

}  // namespace fovea::detail
