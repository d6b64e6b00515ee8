// Floyd-Warshall over a square of distances that differ by direction.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include "core/on_device.cuh"
#include "ops/shortest_paths/close_squares_math.h"

namespace fovea::cuda {

// Row a has the distances from a; padded as a Square is. The pivots of a group are kept twice: the
// rows of its nodes, and their columns as rows. Each has detail::pivot_floats() floats.
struct DirectedSquare {
  float* distances = nullptr;
  float* rows = nullptr;
  float* columns = nullptr;
  int panels = 0;

  FOVEA_HD int side() const { return panels * detail::kPanel; }
};

// The result has the bits of cpu::floyd_warshall_directed().
void close_directed_square(const DirectedSquare& square, const Exec& exec, cudaStream_t stream);

// Distances beyond the cutoff become infinite.
void cut_directed_square(const DirectedSquare& square, float cutoff, cudaStream_t stream);

}  // namespace fovea::cuda
