// Planes in tiles: what cannot hold a point is left out tile by tile.
#pragma once
#include <fovea/core/geometry.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "actions/points/points_rows_cpu.h"

namespace fovea::actions::cpu {

constexpr int kTileWidth = kRowPadding;  // whole vectors
constexpr int kTileRows = 8;
static_assert(kTileWidth % kCellSize == 0 && kTileRows % kCellSize == 0);

// Columns [first, last).
struct ColumnSpan {
  int first, last;
};

// A byte per tile: whether something is wanted there.
class TileMask {
 public:
  TileMask() = default;
  explicit TileMask(Extent size)
      : columns_((size.width + kTileWidth - 1) / kTileWidth),
        bands_((size.height + kTileRows - 1) / kTileRows),
        tiles_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(bands_)) {}

  int columns() const { return columns_; }
  int bands() const { return bands_; }
  std::uint8_t* band(int index) {
    return tiles_.data() + static_cast<std::ptrdiff_t>(index) * columns_;
  }
  const std::uint8_t* band(int index) const {
    return tiles_.data() + static_cast<std::ptrdiff_t>(index) * columns_;
  }
  void fill(bool wanted) { std::fill(tiles_.begin(), tiles_.end(), wanted ? 1 : 0); }
  // Joins the tiles of all bands with a row in [first_row, last_row] into `out`, one byte per
  // column of tiles; returns whether there are any.
  bool join(int first_row, int last_row, std::uint8_t* out) const {
    std::fill_n(out, columns_, std::uint8_t{0});
    std::uint8_t any = 0;
    const int last = std::min(last_row / kTileRows, bands_ - 1);
    for (int b = std::max(first_row, 0) / kTileRows; b <= last; ++b)
      for (int i = 0; i < columns_; ++i) any |= out[i] |= band(b)[i];
    return any != 0;
  }

 private:
  int columns_ = 0, bands_ = 0;
  std::vector<std::uint8_t> tiles_;
};

// Calls body(span) for every run of tiles for which wanted(column of tiles) holds.
template <class Wanted, class Body>
void each_span(int columns, int width, const Wanted& wanted, const Body& body) {
  for (int i = 0; i < columns; ++i) {
    if (!wanted(i)) continue;
    const int first = i;
    while (i < columns && wanted(i)) ++i;
    body(ColumnSpan{first * kTileWidth, std::min(i * kTileWidth, width)});
  }
}

}  // namespace fovea::actions::cpu
