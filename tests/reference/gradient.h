// The gradient as a textbook writes it: one pixel at a time, borders clamped.
#pragma once
#include <fovea/ops/gradient.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::reference {

struct Gradient {
  double dx, dy;
};

template <class T>
Gradient gradient_at(ImageView<const T> image, int x, int y, int channel, GradientKernel kernel) {
  const int weights[3][2] = {{0, 1}, {1, 2}, {3, 10}};
  const int* w = weights[static_cast<int>(kernel)];
  const auto pixel = [&](int px, int py) {
    return static_cast<double>(
        image.at(std::clamp(px, 0, image.width - 1), std::clamp(py, 0, image.height - 1), channel));
  };
  Gradient g{0, 0};
  for (int k = -1; k <= 1; ++k) {
    const double weight = k == 0 ? w[1] : w[0];
    g.dx += weight * (pixel(x + 1, y + k) - pixel(x - 1, y + k));
    g.dy += weight * (pixel(x + k, y + 1) - pixel(x + k, y - 1));
  }
  return g;
}

// The angle's place in its circle as a number of bins, not rounded: bin k is [k, k + 1).
inline double bin_position(Gradient g, int bins, bool signed_angle) {
  const double range = (signed_angle ? 2 : 1) * std::numbers::pi;
  double angle = std::atan2(g.dy, g.dx);
  if (angle < 0) angle += 2 * std::numbers::pi;
  return std::fmod(angle, range) / range * bins;
}

}  // namespace fovea::reference
