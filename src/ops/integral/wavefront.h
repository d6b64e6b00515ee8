// Two-dimensional recurrences on several cores. Work is divided into bands of rows and strips of
// columns; a tile runs once the one left of it and the one above it are done, so that the
// arithmetic is that of a single thread and the pixels are read once.
#pragma once
#include <fovea/exec.h>

#include "core/parallel.h"

namespace fovea {

struct TileGrid {
  int images;
  int bands;
  int band_rows;
  int strips;
  int strip_pixels;  // a multiple of 64
};

// Tiles for images of this size: strips only where several threads have to share a row.
TileGrid divide_into_tiles(int images, int width, int height, const Exec& exec);

// Calls body(image, band, strip) for every tile. Tiles of one band run left to right on one thread.
void for_each_tile(const Exec& exec, const TileGrid& grid,
                   FunctionRef<void(int image, int band, int strip)> body);

}  // namespace fovea
