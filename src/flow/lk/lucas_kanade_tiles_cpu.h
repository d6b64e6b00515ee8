// How a level is divided among threads. The results of a tile do not depend on the division.
#pragma once
#include <algorithm>
#include <cstdint>

#include "flow/lk/lucas_kanade_cpu.h"

namespace fovea::flow::cpu {

struct Tile {
  int x0, y0, x1, y1;
};

// Returns the smallest part of a tile that holds all of its pixels that count; empty (x0 == x1) if
// none does.
inline Tile counting_part(const FrameLevel& level, const Tile& tile) {
  if (!level.masked()) return tile;
  Tile part{tile.x1, tile.y1, tile.x0, tile.y0};
  for (int y = tile.y0; y < tile.y1; ++y) {
    const std::uint8_t* row = level.mask.row(y);
    const auto counts = [](std::uint8_t m) { return m != 0; };
    const std::uint8_t* first = std::find_if(row + tile.x0, row + tile.x1, counts);
    if (first == row + tile.x1) continue;
    int last = tile.x1 - 1;
    while (row[last] == 0) --last;
    part.x0 = std::min(part.x0, static_cast<int>(first - row));
    part.x1 = std::max(part.x1, last + 1);
    part.y0 = std::min(part.y0, y);
    part.y1 = y + 1;
  }
  return part.x0 < part.x1 ? part : Tile{tile.x0, tile.y0, tile.x0, tile.y0};
}

// Used for tiles that have pixels that the mask leaves out.
inline void copy_tile(const Field& in, Field& out, const Tile& tile) {
  for (int y = tile.y0; y < tile.y1; ++y) {
    std::copy(in.u.row(y) + tile.x0, in.u.row(y) + tile.x1, out.u.row(y) + tile.x0);
    std::copy(in.v.row(y) + tile.x0, in.v.row(y) + tile.x1, out.v.row(y) + tile.x0);
  }
}

// Calls body(tile, true) for parts that hold all pixels that count, and before it body(tile, false)
// for tiles of which some pixels do not. A tile's rows fit into the cache. It is as
// high as possible while there is work for every thread, because its top and bottom rows are
// computed twice; tiles of small levels are narrow instead. With a mask tiles are small, so that
// little is computed in vain.
template <class Body>
void for_each_tile(const FrameLevel& level, const Exec& exec, const Body& body) {
  const int width = level.features.width(), height = level.features.height();
  constexpr int kNarrowest = 96, kTilesPerThread = 3, kMasked = 96;
  const int threads = thread_count(exec);
  const int wanted = threads == 1 ? height : (height + 2 * threads - 1) / (2 * threads);
  const int down = level.masked() ? kMasked : std::max(wanted, 32);
  const int rows = (height + down - 1) / down;
  const int widest = level.masked() ? kMasked : 320;
  const int enough = threads == 1 ? 1 : (kTilesPerThread * threads + rows - 1) / rows;
  const int columns = std::max((width + widest - 1) / widest, std::min(enough, width / kNarrowest));
  const int across = ((width + columns - 1) / columns + 15) / 16 * 16;
  parallel_for(exec, static_cast<std::int64_t>(columns) * rows, 1,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t k = first; k < last; ++k) {
                   const int x = static_cast<int>(k % columns) * across;
                   const int y = static_cast<int>(k / columns) * down;
                   const Tile tile{x, y, std::min(x + across, width), std::min(y + down, height)};
                   if (tile.x0 >= tile.x1) continue;
                   const Tile part = counting_part(level, tile);
                   const bool whole = part.x0 == tile.x0 && part.x1 == tile.x1 &&
                                      part.y0 == tile.y0 && part.y1 == tile.y1;
                   if (!whole) body(tile, false);
                   if (part.x0 < part.x1) body(part, true);
                 }
               });
}

}  // namespace fovea::flow::cpu
