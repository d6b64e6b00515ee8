// The resize as a textbook writes it: one pixel at a time, in double precision.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <cmath>

namespace fovea::reference {

// A triangle of half width `radius` around the place of output (x, y), borders repeated for radius
// 1 (bilinear), cut off for larger ones (area).
struct ResizePlace {
  double x, y;  // in source pixels
  double radius_x, radius_y;
};

inline ResizePlace resize_place(int source_width, int source_height, int out_width, int out_height,
                                int x, int y, bool antialias) {
  const double scale_x = static_cast<double>(source_width) / out_width;
  const double scale_y = static_cast<double>(source_height) / out_height;
  return {(x + 0.5) * scale_x - 0.5, (y + 0.5) * scale_y - 0.5,
          antialias ? std::max(1.0, scale_x) : 1.0, antialias ? std::max(1.0, scale_y) : 1.0};
}

template <class T>
double resized_at(ImageView<const T> image, const ResizePlace& place, int channel) {
  const double px = std::clamp(place.x, 0.0, image.width - 1.0);
  const double py = std::clamp(place.y, 0.0, image.height - 1.0);
  double sum = 0, weights = 0;
  for (int y = 0; y < image.height; ++y) {
    const double center_y = place.radius_y > 1 ? place.y : py;
    const double wy = std::max(0.0, 1 - std::abs(y - center_y) / place.radius_y);
    if (wy == 0) continue;
    for (int x = 0; x < image.width; ++x) {
      const double center_x = place.radius_x > 1 ? place.x : px;
      const double wx = std::max(0.0, 1 - std::abs(x - center_x) / place.radius_x);
      sum += wx * wy * static_cast<double>(image.at(x, y, channel));
      weights += wx * wy;
    }
  }
  return sum / weights;
}

}  // namespace fovea::reference
