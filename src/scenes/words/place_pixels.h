// Places of a grid, the cells of the pyramid that they lie in, and the pixels that they stand for.
#pragma once
#include <fovea/core/image.h>
#include <fovea/scenes/descriptors.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scenes/describe/describe_cpu.h"
#include "scenes/words/features_math.h"

namespace fovea::scenes::cpu {

struct PixelPlace {
  int x = 0, y = 0;  // pixels
  int step = 1;
  std::size_t cell = 0;  // of the finest level
};

// Calls use() for each place of a tile, line by line.
template <class Use>
void each_place(const PlaceTile& places, const PlaceGrid& grid, ImageView<const std::uint8_t> image,
                int pyramid, const Use& use) {
  for (int line = places.line; line < places.line + places.lines; ++line) {
    const int y = grid.top + line * grid.step;
    const int row = pyramid_cell(y, image.height, pyramid) << pyramid;
    for (int i = places.column; i < places.column + places.columns; ++i) {
      const int x = grid.left + i * grid.step;
      const int cell = row + pyramid_cell(x, image.width, pyramid);
      use(PixelPlace{x, y, grid.step, static_cast<std::size_t>(cell)});
    }
  }
}

// Returns the index, among the cells of all levels, of the cell of a level in which a cell of the
// finest level lies.
inline std::size_t coarse_cell(int finest, int level, int pyramid) {
  const int column = (finest & ((1 << pyramid) - 1)) >> (pyramid - level);
  const int row = (finest >> pyramid) >> (pyramid - level);
  const int cell = pyramid_start(level) + (row << level) + column;
  return static_cast<std::size_t>(cell);
}

// Adds a value to the pixels that are nearer to this place than to others of its grid, in equal
// parts.
inline void add_to_pixels(const PixelPlace& place, double value, ImageView<double> heat) {
  if (place.step == 1) {
    heat.at(place.x, place.y) += value;
    return;
  }
  const int left = std::max(0, place.x - place.step / 2),
            top = std::max(0, place.y - place.step / 2);
  const int right = std::min(heat.width, place.x - place.step / 2 + place.step);
  const int bottom = std::min(heat.height, place.y - place.step / 2 + place.step);
  const double part = value / (static_cast<double>(right - left) * (bottom - top));
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x) heat.at(x, y) += part;
}

}  // namespace fovea::scenes::cpu
