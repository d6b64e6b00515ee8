// Copies half a square of distances (SquareLayout::kHalf) to the host.
#pragma once
#include <span>

#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/squares.cuh"

namespace fovea::cuda {

struct HalfCopy {
  Square half;
  int nodes;
  float cutoff;  // distances beyond it become infinite on the way
};

// As a DistanceMatrix stores it, after what is on the stream.
void half_lower(const HalfCopy& from, const Exec& exec, cudaStream_t stream,
                std::span<float> lower);
// As rows of the whole square.
void half_rows(const HalfCopy& from, const Exec& exec, cudaStream_t stream, detail::TakeRows take);

}  // namespace fovea::cuda
