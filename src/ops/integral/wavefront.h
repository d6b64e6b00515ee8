// Two-dimensional recurrences on several cores. Work is divided into bands of rows and strips of
// columns; a tile runs once the one left of it and the one above it are done, so that the
// arithmetic is that of a single thread and the pixels are read once.
#pragma once
#include <fovea/core/exec.h>

#include <algorithm>

#include "core/parallel.h"

namespace fovea {

struct TileGrid {
  int images;
  int bands;
  int band_rows;
  int strips;
  int strip_pixels;  // a multiple of 64
};

struct TileRectangle {
  int x, y, pixels, rows;
};
inline TileRectangle tile_rectangle(const TileGrid& grid, int band, int strip, int width,
                                    int height) {
  const int x = strip * grid.strip_pixels, y = band * grid.band_rows;
  return {x, y, std::min(grid.strip_pixels, width - x), std::min(grid.band_rows, height - y)};
}

// The tiles for images of this size. There are strips only where several threads have to share a
// row.
TileGrid divide_into_tiles(int images, int width, int height, const Exec& exec);

// Calls body(image, band, strip) for every tile. Tiles of one band run from left to right on one
// thread. The first exception thrown in a body leaves this function once all bodies have ended.
void for_each_tile(const Exec& exec, const TileGrid& grid,
                   FunctionRef<void(int image, int band, int strip)> body);

}  // namespace fovea
