// Converts lines of byte pixels to planes of whole numbers, stored as floats, which filters and
// gradients read on the CPU.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <cstdint>

namespace fovea::scenes::cpu {

// The columns [left, left + count) of line y; columns beyond the image repeat its border.
struct PixelLine {
  int y;
  int left;
  int count;
};
// Writes brightness (0 to 255) to to[0], or L, a and b (in units of 1/8192) to to[0], to[1] and
// to[2].
void pixel_line(ImageView<const std::uint8_t> image, Color color, const PixelLine& line,
                float* const* to);

}  // namespace fovea::scenes::cpu
