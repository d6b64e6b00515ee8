// Arithmetic that both twins of the tracker's maps must agree on to the bit.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>

namespace fovea::emd {

// A likelihood is kept in 16 bits, so that its sums are exact and the same on every device.
inline constexpr float kSureLikelihood = 65535.0F;

// e / (d + e): how much nearer a window is to the target (d) than to the surround (e), both in
// thousandths. Adding one thousandth keeps the quotient defined, and low, if both are 0.
FOVEA_HD inline std::uint16_t likelihood_of(float to_target, float to_surround) {
  const float share = to_surround / (to_target + to_surround + 1.0F);
  return static_cast<std::uint16_t>(share * kSureLikelihood + 0.5F);
}

// Returns the cell of the palette's table in which a color lies: five bits per channel.
FOVEA_HD inline int color_cell(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  return (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3;
}
FOVEA_HD inline int color_cell(const std::uint8_t* pixel, int channels) {
  return channels == 3 ? color_cell(pixel[0], pixel[1], pixel[2])
                       : color_cell(pixel[0], pixel[0], pixel[0]);
}

}  // namespace fovea::emd
