// The arithmetic of fused scores on which both twins agree to the bit. All scores are distances.
// Two of them are made here from angles: 1 - c |c| for a cosine c, which is 0 for the target, 1 at
// a right angle and 2 for its opposite; small angles keep their digits, and no arc cosine is
// needed.
#pragma once
#include <cmath>
#include <cstdint>

#include "emd/detect/signature_math.h"

namespace fovea::emd::detail {

constexpr int kFusedGroups = 31;  // most groups of adjacent bands whose contrasts are compared
constexpr int kFusedScores = 3;   // Earth Mover's Distance, spectral angle, contrast
constexpr double kFusedWorst = 2;

// The weights of the three scores; docs/emd.md says how they were chosen.
FOVEA_HD constexpr double fused_weight(int score) { return score == 1 ? 1 : 3; }
constexpr double kFusedWeights = fused_weight(0) + fused_weight(1) + fused_weight(2);

// What the two angles are measured by. The tables lie in the memory of the twin.
struct AngleParams {
  SignatureParams groups{};        // adjacent bands, their scales and means, and the whitening
  const double* target = nullptr;  // spectrum of length 1, one value per band
  const double* toward = nullptr;  // whitened contrast of length 1, one value per group
};

// The share of the scene that is as near to the target as a distance, as a level -log(share).
// Distances ascend and levels descend from knot to knot.
struct LevelTable {
  int knots = 0;
  const float* distances = nullptr;
  const double* levels = nullptr;
};

// From x.t and x.x, where t has length 1. A sum that is not finite belongs to a missing value.
FOVEA_HD inline float angle_distance(double dot, double norm) {
  if (!(norm * 0 == 0)) return static_cast<float>(kFusedWorst);
  const double squared = norm > 0 ? dot * (dot < 0 ? -dot : dot) / norm : 0;
  const double bounded = squared > 1 ? 1 : squared < -1 ? -1 : squared;
  return static_cast<float>(1 - bounded);
}

// The level of a distance, between the two knots around it.
FOVEA_HD inline double level_of(const LevelTable& table, float distance) {
  int low = 0, high = table.knots;  // the first knot that is not nearer lies in [low, high]
  while (low < high) {
    const int middle = (low + high) / 2;
    if (table.distances[middle] < distance) low = middle + 1;
    else high = middle;
  }
  if (low == 0) return table.levels[0];
  if (low == table.knots) return table.levels[table.knots - 1];
  const double before = static_cast<double>(table.distances[low - 1]);
  const double part = (static_cast<double>(distance) - before) /
                      (static_cast<double>(table.distances[low]) - before);
  return table.levels[low - 1] + part * (table.levels[low] - table.levels[low - 1]);
}

// A share whose level is the weighted root mean square of the three levels. Squares let the score
// decide that tells the pixel from most of the scene. NaN, a pixel that is not mapped, stays NaN.
FOVEA_HD inline float fused_score(const LevelTable* tables, float distance, const float* angles) {
  if (!(distance == distance)) return distance;
  const double levels[kFusedScores] = {level_of(tables[0], distance),
                                       level_of(tables[1], angles[0]),
                                       level_of(tables[2], angles[1])};
  double sum = 0;
  for (int i = 0; i < kFusedScores; ++i) sum += fused_weight(i) * (levels[i] * levels[i]);
  return static_cast<float>(exp_of(-sqrt(sum / kFusedWeights)));
}

}  // namespace fovea::emd::detail
