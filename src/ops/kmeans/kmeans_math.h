// The arithmetic that both twins of k-means share. Numbers become whole numbers before they are
// added, so that sums do not depend on who adds what; a power of two as scale makes the way there
// exact but for one rounding.
#pragma once
#include <fovea/core/random.h>

#include <cmath>
#include <cstdint>

namespace fovea::detail {

// Of points: nothing added up leaves an int64.
struct KmeansLimits {
  static constexpr int kSumBits = 62;
  static constexpr int kValueBits = 40;     // of a number of a point, at most
  static constexpr int kDistanceBits = 48;  // of a squared distance, at most: what the rounding of
                                            // a center to float amounts to is below 1
  static constexpr float kLargest = 1e15F;  // |number| of a point: its square is far from infinity
};

// A number of a point, or a squared distance, as a whole number; to nearest, ties to even.
FOVEA_HD inline std::int64_t whole(float value, double scale) {
  return static_cast<std::int64_t>(std::llrint(static_cast<double>(value) * scale));
}

// The number of a center from its points' sum; count > 0.
FOVEA_HD inline float mean_of(std::int64_t sum, std::int64_t count, double scale) {
  return static_cast<float>(static_cast<double>(sum) / scale / static_cast<double>(count));
}

// One number's part of the score of a center, which begins as half its squared length, and of the
// squared distance of a point from it, which begins as 0: added in the order of the numbers.
FOVEA_HD inline float add_to_score(float point, float center, float score) {
  return std::fma(-point, center, score);
}
FOVEA_HD inline float add_to_distance(float point, float center, float distance) {
  const float difference = point - center;
  return std::fma(difference, difference, distance);
}

// Half the squared length of a center.
FOVEA_HD inline float half_square(const float* center, int dimensions) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    const double number = center[i];
    sum = std::fma(number, number, sum);
  }
  return static_cast<float>(sum / 2);
}

// How far a center moved, squared.
FOVEA_HD inline double squared_move(const float* from, const float* to, int dimensions) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    const double difference = static_cast<double>(to[i]) - static_cast<double>(from[i]);
    sum = std::fma(difference, difference, sum);
  }
  return sum;
}

// In [0, count), every value equally likely; count > 0.
FOVEA_HD inline std::uint64_t draw_below(Random& random, std::uint64_t count) {
  int bits = 0;
  while (bits < 64 && (count - 1) >> bits != 0) ++bits;
  for (;;) {
    const std::uint64_t high = random.bits();
    const std::uint64_t drawn = (high << 32 | random.bits()) >> 1 >> (63 - bits);
    if (drawn < count) return drawn;
  }
}

}  // namespace fovea::detail
