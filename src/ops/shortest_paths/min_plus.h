// The min-plus product, in which floyd-warshall and partitioned spend their time on the CPU.
#pragma once
#include <fovea/core/api.h>

#include <cstddef>
#include <cstdint>

namespace fovea {
struct Exec;
}

namespace fovea::cpu {

// c(i, j) = min of a(i, k) + b(k, j) over `depth` values of k and, with `keep`, of the previous
// c(i, j). Strides are in floats. `columns` is a multiple of 16; c is neither a nor b.
struct MinPlus {
  int rows = 0;
  int columns = 0;
  int depth = 0;
  const float* a = nullptr;
  std::ptrdiff_t a_stride = 0;
  const float* b = nullptr;
  std::ptrdiff_t b_stride = 0;
  float* c = nullptr;
  std::ptrdiff_t c_stride = 0;
  bool keep = false;
};
FOVEA_API void min_plus(const MinPlus& product);

// Floyd-Warshall inside one tile of min_plus_math.h, one node after the other.
void close_tile(float* tile);

// The lower half of a matrix in tiles (min_plus_math.h), in place. For each tile k of the diagonal:
//   d(k, k)  is closed, one node after the other
//   d(r, k)  = d(r, k) x d(k, k) for all other r, x being the min-plus product
//   d(r, c)  = min of itself and d(r, k) x d(k, c) for the rest
// where a tile above the diagonal is the mirrored one below it.
void close_half(float* half, int tiles, const Exec& exec);

// Every core takes `rounds` rounds of min-plus steps in registers. Returns the number of steps.
FOVEA_API double min_plus_steps(std::int64_t rounds, const Exec& exec);

}  // namespace fovea::cpu

namespace fovea::cuda {
// The same on every multiprocessor.
FOVEA_API double min_plus_steps(std::int64_t rounds, const Exec& exec);
}  // namespace fovea::cuda
