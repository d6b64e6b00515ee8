// Convolution as a textbook writes it: one pixel at a time, in double precision.
#pragma once
#include <fovea/ops/convolve.h>
#include <cmath>

namespace fovea::reference {

// The pixel that stands in for pixel i of a line, by walking there; -1 for the constant.
inline int bordered(int i, int size, Border border) {
  while (i < 0 || i >= size) {
    switch (border) {
      case Border::kRepeat: return i < 0 ? 0 : size - 1;
      case Border::kReflect: i = i < 0 ? -i - 1 : 2 * size - 1 - i; break;
      case Border::kReflect101:
        if (size == 1) return 0;
        i = i < 0 ? -i : 2 * size - 2 - i;
        break;
      case Border::kWrap: i += i < 0 ? size : -size; break;
      case Border::kConstant: return -1;
    }
  }
  return i;
}

// The sum of kernel * image around (x, y), and of the magnitudes of the products: what rounding
// errors are measured by.
struct Convolved {
  double sum = 0, magnitude = 0;
};
template <class T>
Convolved convolved_at(ImageView<const T> image, int x, int y, int channel,
                       ImageView<const float> kernel, const ConvolveOptions& options) {
  const int anchor_x = options.anchor_x < 0 ? kernel.width / 2 : options.anchor_x;
  const int anchor_y = options.anchor_y < 0 ? kernel.height / 2 : options.anchor_y;
  const int sign = options.flip ? -1 : 1;
  Convolved result;
  for (int j = 0; j < kernel.height; ++j)
    for (int i = 0; i < kernel.width; ++i) {
      const int sx = bordered(x + sign * (i - anchor_x), image.width, options.border);
      const int sy = bordered(y + sign * (j - anchor_y), image.height, options.border);
      const double pixel =
          sx < 0 || sy < 0 ? options.border_value : static_cast<double>(image.at(sx, sy, channel));
      result.sum += pixel * kernel.at(i, j);
      result.magnitude += std::abs(pixel * kernel.at(i, j));
    }
  return result;
}

}  // namespace fovea::reference
