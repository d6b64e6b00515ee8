// The Gaussian halving as a textbook writes it: 25 taps a pixel, in double precision.
#pragma once
#include <fovea/core/image.h>

#include "reference/convolve.h"

namespace fovea::reference {

template <class T>
double halved_at(ImageView<const T> image, int x, int y, int channel) {
  const int weights[5] = {1, 4, 6, 4, 1};
  double sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) {
      const int sx = bordered(2 * x + i - 2, image.width, Border::kReflect101);
      const int sy = bordered(2 * y + j - 2, image.height, Border::kReflect101);
      sum += weights[i] * weights[j] * static_cast<double>(image.at(sx, sy, channel));
    }
  return sum / 256;
}

}  // namespace fovea::reference
