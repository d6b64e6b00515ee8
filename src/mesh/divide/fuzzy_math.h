// The arithmetic of memberships and of sums over a row of distances that the CPU and CUDA do alike.
// A sum goes by kSumLanes partial ones, each of every kSumLanes-th number, as the threads of a warp
// have them.
#pragma once
#include <fovea/core/api.h>

namespace fovea::mesh {

inline constexpr int kSumLanes = 32;

// 1 / distance to a power. A face at a representative's place belongs to it alone; others share by
// the least distance at most.
FOVEA_HD inline double nearness(float distance, int power) {
  constexpr double kLeastDistance = 1e-12;
  const auto wide = static_cast<double>(distance);
  const double one = 1 / (wide > kLeastDistance ? wide : kLeastDistance);
  double result = one;
  for (int i = 1; i < power; ++i) result *= one;
  return result;
}

FOVEA_HD inline float add_weighted(float distance, float weight, float sum) {
  return sum + distance * weight;
}

}  // namespace fovea::mesh
