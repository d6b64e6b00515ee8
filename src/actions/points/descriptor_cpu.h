// Descriptors on the CPU, from planes that the engine keeps.
#pragma once
#include <span>

#include "actions/points/descriptor_math.h"

namespace fovea::actions::cpu {

// Two planes of vectors (gradients, flow) over time: plane of frame t at planes[t - first]. Rows
// can be read a vector beyond their end.
struct VectorPlanes {
  std::span<const float* const> x;
  std::span<const float* const> y;
  std::ptrdiff_t stride = 0;
};

// Votes of the gradients in a box, of which t counts from the first plane; and of flow.
void gradient_votes(const VectorPlanes& planes, const CellBox& box, float* bins);
struct FlowVoting {
  FlowVotes votes = FlowVotes::kCount;
  float still = 0;
};
void flow_votes(const VectorPlanes& planes, const CellBox& box, FlowVoting voting, float* bins);

}  // namespace fovea::actions::cpu
