// The arithmetic of distances between histograms, which both twins use. A distance is a sum over
// bins. Bin i is added to partial sum i % 16, and the 16 sums are halved again and again, whatever
// the length of vectors and however many threads share the work, so that all devices and
// instruction sets agree to the bit.
#pragma once
#include <fovea/scenes/trained_classifier.h>

#include <cmath>

namespace fovea::scenes {

constexpr int kPartialSums = 16;
constexpr float kLeastSum = 1.17549435e-38F;  // the least normal number, avoids 0 / 0

// What one bin adds to the sum of each distance.
FOVEA_HD inline float chi_squared_term(float a, float b) {
  const float difference = a - b, sum = a + b;
  return difference * difference / (sum > kLeastSum ? sum : kLeastSum);
}
FOVEA_HD inline float squared_difference(float a, float b) {
  const float difference = a - b;
  return difference * difference;
}

// The distance of two histograms whose terms have this sum. For cosine the sum is that of the
// products, and `squares` are the sums of each histogram's products with itself.
struct SquareSums {
  float first = 0, second = 0;
};
FOVEA_HD inline float distance_of(Distance distance, float sum, const SquareSums& squares) {
  if (distance == Distance::kChiSquared) return sum / 2;
  if (distance == Distance::kEuclidean) return std::sqrt(sum);
  if (!(squares.first > 0) || !(squares.second > 0)) return 1;
  const double lengths =
      std::sqrt(static_cast<double>(squares.first) * static_cast<double>(squares.second));
  const double rest = 1 - static_cast<double>(sum) / lengths;
  return rest > 0 ? static_cast<float>(rest) : 0.F;
}

}  // namespace fovea::scenes
