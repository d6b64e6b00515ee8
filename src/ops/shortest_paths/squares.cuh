// Squares of distances on the device, as the CUDA twins of shortest paths work on them.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <span>

#include "core/on_device.cuh"
#include "ops/shortest_paths/device_layout.h"

namespace fovea::cuda {

// Distances between some nodes, row-major, both halves, a multiple of 128 nodes wide and high.
// Nodes beyond the last are 0 from themselves and infinitely far from all else.
struct Square {
  float* distances = nullptr;
  float* pivots = nullptr;  // what close_squares() needs: detail::pivot_floats()
  int panels = 0;

  FOVEA_HD int side() const { return panels * detail::kPanel; }
};

// A list of squares, on the host and on the device.
struct Squares {
  std::span<const Square> all;
  const Square* on_device = nullptr;
};

// No node has an arc yet.
void clear_squares(const Squares& squares, cudaStream_t stream);

// Floyd-Warshall in each: the lower half, tiles on the diagonal whole. With the bits of
// cpu::close_half().
void close_squares(const Squares& squares, const Exec& exec, cudaStream_t stream);

// The upper halves from the lower ones; distances beyond the cutoff become infinite.
void mirror_squares(const Squares& squares, float cutoff, cudaStream_t stream);

}  // namespace fovea::cuda
