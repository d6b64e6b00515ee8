// The transfer function of sRGB (IEC 61966-2-1) between the numbers in a file, 0 to 1, and linear
// light, 0 to 1; and the luma of whole numbers.
#pragma once
#include <fovea/core/api.h>

#include <cmath>

namespace fovea::detail {

inline double srgb_to_linear(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
inline double linear_to_srgb(double v) {
  return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

// BT.601, rounded; for samples of up to 16 bits.
FOVEA_HD inline int luma(int r, int g, int b) { return (299 * r + 587 * g + 114 * b + 500) / 1000; }

}  // namespace fovea::detail
