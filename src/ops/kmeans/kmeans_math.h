// The arithmetic that both twins of k-means share. Numbers are converted to whole numbers before
// they are added, so that sums do not depend on the order of additions. As scales are powers of
// two, the conversion rounds only once.
#pragma once
#include <fovea/core/random.h>

#include <cmath>
#include <cstdint>

namespace fovea::detail {

// Limits that keep every sum within an int64.
struct KmeansLimits {
  static constexpr int kSumBits = 62;
  static constexpr int kValueBits = 40;     // the most for a number of a point
  static constexpr int kDistanceBits = 48;  // the most for a squared distance: the error from
                                            // rounding a center to float is below 1
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

// The contribution of one number to the score of a center, which begins as half its squared length,
// and to the squared distance of a point from it, which begins as 0. Contributions are added in the
// order of the numbers.
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

// The squared distance that a center moved.
FOVEA_HD inline double squared_move(const float* from, const float* to, int dimensions) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    const double difference = static_cast<double>(to[i]) - static_cast<double>(from[i]);
    sum = std::fma(difference, difference, sum);
  }
  return sum;
}

// A random number in [0, count), all equally likely; count > 0.
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
