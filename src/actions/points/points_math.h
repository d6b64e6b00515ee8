// The arithmetic that both twins of the interest points share. Sums are computed in the order of
// the taps.
#pragma once
#include <fovea/core/api.h>

#include <cmath>

namespace fovea::actions {

constexpr int kMoments = 6;  // xx, yy, tt, xy, xt, yt

// Returns gray levels from 0 to 1.
FOVEA_HD inline float gray_of(unsigned char byte) {
  return static_cast<float>(byte) * (1.0F / 255);
}

// The next level of the pyramid: weights 1 4 6 4 1 over 16 in both directions; the border is
// reflected without repeating its last pixel.
FOVEA_HD inline float halve_sum(float a, float b, float c, float d, float e) {
  return std::fma(0.375F, c, std::fma(0.25F, b + d, 0.0625F * (a + e)));
}
FOVEA_HD inline int reflected(int i, int size) {
  if (i < 0) i = -i;
  if (i >= size) i = 2 * size - 2 - i;
  return i < 0 ? 0 : (i >= size ? size - 1 : i);
}
FOVEA_HD inline int clamped(int i, int size) { return i < 0 ? 0 : (i >= size ? size - 1 : i); }

// Sobel's operator in two steps; this smooths across the derivative and is applied first.
FOVEA_HD inline float sobel_smooth(float before, float here, float after) {
  return std::fma(2.0F, here, before + after);
}

// Adds tap * (products of derivatives) to the moments.
FOVEA_HD inline void add_moments(float tap, float x, float y, float t, float* m) {
  const float wx = tap * x, wy = tap * y, wt = tap * t;
  m[0] = std::fma(wx, x, m[0]);
  m[1] = std::fma(wy, y, m[1]);
  m[2] = std::fma(wt, t, m[2]);
  m[3] = std::fma(wx, y, m[3]);
  m[4] = std::fma(wx, t, m[4]);
  m[5] = std::fma(wy, t, m[5]);
}

// det - k trace^3.
FOVEA_HD inline float harris_response(const float* m, float k) {
  const float minor_x = std::fma(m[1], m[2], -(m[5] * m[5]));
  const float minor_y = std::fma(m[3], m[2], -(m[4] * m[5]));
  const float minor_t = std::fma(m[3], m[5], -(m[1] * m[4]));
  const float det = std::fma(m[0], minor_x, std::fma(m[4], minor_t, -(m[3] * minor_y)));
  const float trace = m[0] + m[1] + m[2];
  return std::fma(-k * trace, trace * trace, det);
}

// The response for gray levels from -1 to 1, which have twice the range of those here.
FOVEA_HD inline float periodic_response(float even, float odd) {
  return 4 * std::fma(even, even, odd * odd);
}

// Returns the ring slot of a time, which may be negative.
FOVEA_HD inline int ring_slot(long long time, int length) {
  const int slot = static_cast<int>(time % length);
  return slot < 0 ? slot + length : slot;
}

}  // namespace fovea::actions
