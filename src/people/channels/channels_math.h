// The arithmetic of the ten channels, shared by both twins. Pixels are processed as integers: they
// are smoothed by [1 2 1] in both directions, the difference of the strongest color is taken, and
// this gradient is split between its two nearest directions out of six, as a vector is split along
// two axes. No angle and no square root is needed, and the votes of a gradient add up to its length
// within 3.5 %. Cells of 4x4 pixels are then normalized by the mean magnitude around them.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea::people::channels {

constexpr int kChannels = 10;
constexpr int kColors = 3;
constexpr int kOrientations = 6;                // at 0, 30, ... 150 degrees
constexpr int kSums = kColors + kOrientations;  // sums per cell
constexpr int kCell = 4;
constexpr int kMagnitude = 3;  // its index among the channels; orientations follow

// The number of cells around a cell that influence its value: one by normalizing, one by smoothing.
constexpr int kNormalMargin = 1;
constexpr int kSmoothMargin = 1;
// The number of pixels around a cell that influence its sums.
constexpr int kReach = 2;

// Smoothed pixels are in quarters of a gray level.
FOVEA_HD inline int smooth3(int a, int b, int c) { return a + 2 * b + c; }
FOVEA_HD inline int smoothed(int above, int here, int below) {
  return (smooth3(above, here, below) + 2) >> 2;
}

// (sqrt(3) - 1) * 2^15.
constexpr int kRoot3Fraction = 23988;
FOVEA_HD inline int times_root3(int a) { return a + ((a * kRoot3Fraction + (1 << 14)) >> 15); }

FOVEA_HD inline int least(int a, int b) { return a < b ? a : b; }
FOVEA_HD inline int most(int a, int b) { return a > b ? a : b; }

// The length by which the strongest color is found, the first among equals.
FOVEA_HD inline int strength(int dx, int dy) {
  const int a = dx < 0 ? -dx : dx, b = dy < 0 ? -dy : dy;
  return most(a, b) + a + b;
}

// Adds the votes of a gradient.
FOVEA_HD inline void vote(int dx, int dy, int* orientations) {
  const int a = dx < 0 ? -dx : dx, b = dy < 0 ? -dy : dy;
  const int root_a = times_root3(a), root_b = times_root3(b);
  const bool falling = (dx ^ dy) < 0;
  orientations[0] += most(0, a - root_b);
  orientations[falling ? 5 : 1] += least(2 * b, most(0, root_a - b));
  orientations[falling ? 4 : 2] += least(2 * a, most(0, root_b - a));
  orientations[3] += most(0, b - root_a);
}

// Values are bytes from here on.
constexpr int kMost = 255;
constexpr float kOrientationScale = 127.5F;  // twice the mean magnitude is the greatest vote
constexpr float kMagnitudeScale = 102;
constexpr float kFloor = 2656;  // keeps flat cells flat; sixteen times a difference of 2.6 levels

// `around` is the sum of magnitudes by [1 2 1] in both directions.
FOVEA_HD inline float normalizer(int around) {
  return 16.F / (static_cast<float>(around) + kFloor);
}
FOVEA_HD inline int normalized(int sum, float factor, float scale) {
  return least(kMost, static_cast<int>(static_cast<float>(sum) * (factor * scale) + 0.5F));
}

// The last smoothing, [1 2 1] in both directions: weights add up to 16.
FOVEA_HD inline std::uint8_t smoothed_cell(int sum) {
  return static_cast<std::uint8_t>((sum + 8) >> 4);
}

// CIE LUV of a cell, from the sums of 16 smoothed pixels of each color (0 to kColorSum). As is
// usual for these channels, colors are treated as if they were linear.
constexpr int kColorSum = 16 * 1020;
constexpr int kLightnessEntries = 4081;
FOVEA_HD inline int luminance_index(int r, int g, int b) {
  return least(kLightnessEntries - 1, (r * 7275 + g * 23156 + b * 2337) >> 17);
}
// `lightness` 0 to 100, from a table over luminance_index().
struct Luv {
  int l, u, v;
};
constexpr float kLightnessScale = 2.55F;
constexpr float kChromaScale = 1.5F;
constexpr float kChromaMiddle = 128;
FOVEA_HD inline int clamped(float value) {
  return static_cast<int>(value < 0 ? 0.F : (value > kMost ? kMost : value));
}
FOVEA_HD inline Luv luv(float r, float g, float b, float lightness) {
  const float x = 0.430574F * r + 0.341550F * g + 0.178325F * b;
  const float y = 0.222015F * r + 0.706655F * g + 0.071330F * b;
  const float z = 0.020183F * r + 0.129553F * g + 0.939180F * b;
  const float sum = x + 15.F * y + 3.F * z;
  const float inverse = 1.F / (sum < 1.F ? 1.F : sum);
  const float u = lightness * (52.F * x * inverse - 13.F * 0.197833F);
  const float v = lightness * (117.F * y * inverse - 13.F * 0.468331F);
  return {clamped(lightness * kLightnessScale + 0.5F),
          clamped(u * kChromaScale + (kChromaMiddle + 0.5F)),
          clamped(v * kChromaScale + (kChromaMiddle + 0.5F))};
}

// Resampling between cells: shares are in 1/128, and those across rows include the correction for
// scale.
constexpr int kShareBits = 7;
FOVEA_HD inline int shared(int a, int b, int share_a, int share_b) {
  const int value = (a * share_a + b * share_b + (1 << (kShareBits - 1))) >> kShareBits;
  return value > 255 ? 255 : value;
}

}  // namespace fovea::people::channels
