// What both twins of the color signatures must agree on to the bit: where pixels are taken, and
// what they count as. All of it is whole numbers.
#pragma once
#include <fovea/core/api.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea::people {

inline constexpr int kColors = 24;           // colors of the palette
inline constexpr int kColorCells = 1 << 15;  // five bits each of red, green and blue
inline constexpr int kPixelMass = 8;         // what one pixel counts
inline constexpr int kGridColumns = 12;
inline constexpr int kGridRows = 16;

// A grid of pixels over a part of a person. Places have 16 bits behind the point.
struct PixelGrid {
  std::int64_t x = 0, y = 0;            // the first place
  std::int64_t step_x = 0, step_y = 0;  // between neighbors
};

// A pixel of a cell divides its mass between the two palette colors that are nearest to the cell:
// `nearest` gets `mass`, and `other` gets the rest of kPixelMass.
struct CellColors {
  std::uint8_t nearest = 0, other = 0, mass = kPixelMass, unused = 0;
};

FOVEA_HD inline int color_cell(const std::uint8_t* pixel, int channels) {
  const int red = pixel[0], green = channels >= 3 ? pixel[1] : red,
            blue = channels >= 3 ? pixel[2] : red;
  return (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3;
}

// The pixel of one place of a grid; null outside of the frame.
FOVEA_HD inline const std::uint8_t* grid_pixel(const ImageView<const std::uint8_t>& frame,
                                               const PixelGrid& grid, int place) {
  const std::int64_t x = (grid.x + (place % kGridColumns) * grid.step_x) >> 16;
  const std::int64_t y = (grid.y + (place / kGridColumns) * grid.step_y) >> 16;
  if (x < 0 || y < 0 || x >= frame.width || y >= frame.height) return nullptr;
  return frame.row(static_cast<int>(y)) + x * frame.channels;
}

}  // namespace fovea::people
