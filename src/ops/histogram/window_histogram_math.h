// What both twins of the window histogram share.
#pragma once
#include <fovea/ops/window_histogram.h>

namespace fovea::detail {

struct WindowParams {
  int radius_x, radius_y;
  bool repeat;
};

// The image line at place `i` of `count`. For a place outside it is the nearest line (repeat) or
// none (-1).
FOVEA_HD inline int window_line(int i, int count, bool repeat) {
  if (i >= 0 && i < count) return i;
  if (!repeat) return -1;
  return i < 0 ? 0 : count - 1;
}

struct QuantizeParams {
  float low, scale;  // scale is in levels per unit
  int levels;
};

FOVEA_HD inline std::uint8_t quantize_value(float value, const QuantizeParams& p) {
  const float level = (value - p.low) * p.scale;
  if (!(level == level)) return 255;
  if (level < 0) return 0;
  return static_cast<std::uint8_t>(level < static_cast<float>(p.levels) ? static_cast<int>(level)
                                                                        : p.levels - 1);
}

}  // namespace fovea::detail
