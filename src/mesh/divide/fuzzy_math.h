// The arithmetic of memberships and of sums over a row of distances, on which the CPU and CUDA must
// agree. A sum consists of kSumLanes partial sums, each over every kSumLanes-th number, like those
// of the threads of a warp.
#pragma once
#include <fovea/core/api.h>

namespace fovea::mesh {

inline constexpr int kSumLanes = 32;

// Returns 1 / distance to a power. A face at the place of a representative belongs to it alone.
// Distances are limited to a range whose powers fit into a double, so that a face that no
// representative reaches is shared equally and nothing is divided by 0.
FOVEA_HD inline double nearness(float distance, int power) {
  constexpr double kLeastDistance = 1e-12;
  const auto wide = static_cast<double>(distance);
  constexpr double kMostDistance = 1e18;
  const double near = wide > kLeastDistance ? wide : kLeastDistance;
  const double one = 1 / (near < kMostDistance ? near : kMostDistance);
  double result = one;
  for (int i = 1; i < power; ++i) result *= one;
  return result;
}

FOVEA_HD inline float add_weighted(float distance, float weight, float sum) {
  return sum + distance * weight;
}

}  // namespace fovea::mesh
