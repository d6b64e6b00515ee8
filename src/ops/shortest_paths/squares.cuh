// Squares of distances on the device, as the CUDA twins of shortest paths work on them.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <span>

#include "core/on_device.cuh"
#include "ops/shortest_paths/device_layout.h"

namespace fovea::cuda {

// Distances between some nodes, row-major, both halves, with a width and height that is a multiple
// of 128. Nodes beyond the last have distance 0 to themselves and are infinitely far from all
// others.
struct Square {
  float* distances = nullptr;
  float* pivots = nullptr;  // scratch memory of close_squares(), detail::pivot_floats() floats
  int panels = 0;

  FOVEA_HD int side() const { return panels * detail::kPanel; }
};

// A list of squares, on the host and on the device.
struct Squares {
  std::span<const Square> all;
  const Square* on_device = nullptr;
};

// Initializes squares in which no node has an arc yet.
void clear_squares(const Squares& squares, cudaStream_t stream);

// Runs Floyd-Warshall in each square, on the lower half and on whole tiles of the diagonal. The
// result has the bits of cpu::close_half().
void close_squares(const Squares& squares, const Exec& exec, cudaStream_t stream);

// Copies the lower halves to the upper ones; distances beyond the cutoff become infinite.
void mirror_squares(const Squares& squares, float cutoff, cudaStream_t stream);

}  // namespace fovea::cuda
