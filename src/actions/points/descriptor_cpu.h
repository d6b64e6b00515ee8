// Descriptors on the CPU, computed from planes that the engine keeps.
#pragma once
#include <span>

#include "actions/points/descriptor_math.h"

namespace fovea::actions::cpu {

// Two planes of vectors (gradients, flow) per frame: the plane of frame t is planes[t - first].
// Rows are readable for a vector beyond their end.
struct VectorPlanes {
  std::span<const float* const> x;
  std::span<const float* const> y;
  std::ptrdiff_t stride = 0;
};

// Sums the votes of the gradients, or of flow, in a box, whose t is counted from the first plane.
void gradient_votes(const VectorPlanes& planes, const CellBox& box, float* bins);
struct FlowVoting {
  FlowVotes votes = FlowVotes::kCount;
  float still = 0;
};
void flow_votes(const VectorPlanes& planes, const CellBox& box, FlowVoting voting, float* bins);

}  // namespace fovea::actions::cpu
