// The arithmetic of greedy matching: which scene point a model point takes, and how the points of
// three frames make one triangle of frames. Numbers are combined in the order written here.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>

#include "actions/match/match_math.h"

namespace fovea::actions::detail {

// Returns the weighted deformation of a triangle whose two differences of time cost `times`.
FOVEA_HD inline float deformation(float times, float angle_weight, const Bends& model,
                                  const Bends& scene) {
  return through(times, angle_weight, bend_distance(model, scene));
}

// The least cost so far of a model point in a scene frame, and the scene point that has it. Of
// equal ones the first counts.
struct GreedyChoice {
  float cost = 0;
  float unary = 0;
  std::int32_t point = -1;

  FOVEA_HD bool beaten_by(float other) const { return point < 0 || other < cost; }
};

// Sums over the points of a frame, or over the ranks of three frames.
struct GreedyMean {
  float sum = 0;
  int count = 0;

  FOVEA_HD void add(float value) {
    sum += value;
    ++count;
  }
  FOVEA_HD float value() const { return count > 0 ? sum / static_cast<float>(count) : 0.0F; }
};

}  // namespace fovea::actions::detail
