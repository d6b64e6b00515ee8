// The transfer function of sRGB (IEC 61966-2-1) between the numbers in a file, 0 to 1, and linear
// light, 0 to 1; CIE Lab; and the luma of whole numbers.
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

// CIE Lab of an sRGB color (D65), in which distances agree roughly with perceived differences.
struct Lab {
  double l, a, b;
};
inline Lab srgb_to_lab(double red, double green, double blue) {
  const auto root = [](double t) {
    return t > 0.008856451679 ? std::cbrt(t) : 7.787037037 * t + 16.0 / 116.0;
  };
  const double r = srgb_to_linear(red), g = srgb_to_linear(green), b = srgb_to_linear(blue);
  const double x = root((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = root(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = root((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// BT.601, rounded; for samples of up to 16 bits.
FOVEA_HD inline int luma(int r, int g, int b) { return (299 * r + 587 * g + 114 * b + 500) / 1000; }

}  // namespace fovea::detail
