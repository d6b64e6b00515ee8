// The arithmetic and the parameters that both twins of the convolution share.
#pragma once
#include <fovea/ops/convolve.h>

#include <cmath>

namespace fovea::detail {

constexpr int kMostTaps = 255;

struct ConvolveParams {
  Border border;
  float border_value;
  int anchor_x, anchor_y;
};

// The index of the pixel that replaces pixel i of a line of `size` pixels, or -1 for the constant.
// i may lie any distance outside.
FOVEA_HD inline int border_index(int i, int size, Border border) {
  if (i >= 0 && i < size) return i;
  if (border == Border::kConstant) return -1;
  if (border == Border::kRepeat) return i < 0 ? 0 : size - 1;
  const int period = border == Border::kWrap      ? size
                     : border == Border::kReflect ? 2 * size
                                                  : (size > 1 ? 2 * size - 2 : 1);
  int place = i % period;
  if (place < 0) place += period;
  if (place < size) return place;
  return border == Border::kReflect ? period - 1 - place : period - place;
}

// Converts a sum to a pixel.
template <class T>
FOVEA_HD inline T pixel_from_sum(float sum);
template <>
FOVEA_HD inline float pixel_from_sum<float>(float sum) {
  return sum;
}
template <>
FOVEA_HD inline std::uint8_t pixel_from_sum<std::uint8_t>(float sum) {
  return static_cast<std::uint8_t>(std::nearbyint(std::fmin(std::fmax(sum, 0.0F), 255.0F)));
}

}  // namespace fovea::detail
