// Sums over pairs of long rows on the GPU: distances between histograms and products with weights.
// 16 threads share a pair: thread k adds up what the CPU adds to its partial sum k
// (distance_math.h), in the same order, and the partial sums are halved by exchanges between the
// threads, so that both twins agree to the bit. A group of 16 threads has 4 x 4 pairs at once, for
// which it reads 8 numbers, and its neighbors read them from the cache.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/launch.cuh"
#include "core/on_device.cuh"
#include "scenes/classify/distance_math.h"

namespace fovea::scenes::cuda {

struct PairTuning {
  static constexpr int kSide = 4;    // pairs of a group: 4 x 4
  static constexpr int kGroups = 4;  // groups of a block: 4 x 4
  static constexpr int kTile = kSide * kGroups;
  static constexpr int kThreads = kGroups * kGroups * kPartialSums;
};

// Rows on the device, `pitch` numbers apart.
struct DeviceRows {
  const float* numbers;
  std::ptrdiff_t pitch;
  int count;
};

struct ChiSquaredPair {
  using Sum = float;
  __device__ static float term(float a, float b) { return chi_squared_term(a, b); }
};
struct SquaredPair {
  using Sum = float;
  __device__ static float term(float a, float b) { return squared_difference(a, b); }
};
struct ProductPair {
  using Sum = float;
  __device__ static float term(float a, float b) { return a * b; }
};
struct ExactProductPair {  // exact in double precision
  using Sum = double;
  __device__ static double term(float a, float b) {
    return static_cast<double>(a) * static_cast<double>(b);
  }
};

// Halves the 16 partial sums of a group; every thread gets the result, because the sum of two
// numbers does not depend on their order.
template <class Sum>
__device__ Sum sum_of_group(Sum partial) {
#pragma unroll
  for (int width = kPartialSums / 2; width > 0; width /= 2)
    partial += __shfl_xor_sync(~0U, partial, width);
  return partial;
}

template <class Finish>
struct PairJob {
  DeviceRows from, to;
  int width;
  Finish finish;  // gets the sum of row y of `from` and row x of `to`
};

template <class Pair, class Finish>
__global__ void __launch_bounds__(PairTuning::kThreads) pair_kernel(PairJob<Finish> job) {
  constexpr int kSide = PairTuning::kSide;
  const int lane = static_cast<int>(threadIdx.x) % kPartialSums;
  const int group = static_cast<int>(threadIdx.x) / kPartialSums;
  const int first_x =
      static_cast<int>(blockIdx.x) * PairTuning::kTile + group % PairTuning::kGroups * kSide;
  const int first_y =
      fovea::cuda::block_row() * PairTuning::kTile + group / PairTuning::kGroups * kSide;
  const float* from[kSide];
  const float* to[kSide];
#pragma unroll
  for (int i = 0; i < kSide; ++i) {  // beyond the last row the last one is read again
    from[i] = job.from.numbers + min(first_y + i, job.from.count - 1) * job.from.pitch;
    to[i] = job.to.numbers + min(first_x + i, job.to.count - 1) * job.to.pitch;
  }
  typename Pair::Sum partial[kSide][kSide] = {};
  for (int i = lane; i < job.width; i += kPartialSums) {
    float a[kSide], b[kSide];
#pragma unroll
    for (int k = 0; k < kSide; ++k) {
      a[k] = from[k][i];
      b[k] = to[k][i];
    }
#pragma unroll
    for (int y = 0; y < kSide; ++y)
#pragma unroll
      for (int x = 0; x < kSide; ++x) partial[y][x] += Pair::term(a[y], b[x]);
  }
#pragma unroll
  for (int y = 0; y < kSide; ++y) {
#pragma unroll
    for (int x = 0; x < kSide; ++x) {
      const auto sum = sum_of_group(partial[y][x]);
      if (lane == y * kSide + x && first_y + y < job.from.count && first_x + x < job.to.count)
        job.finish(first_x + x, first_y + y, sum);
    }
  }
}

template <class Pair, class Finish>
void launch_pairs(const PairJob<Finish>& job, cudaStream_t stream) {
  const dim3 grid =
      fovea::cuda::tall_grid(fovea::cuda::blocks_for(job.to.count, PairTuning::kTile),
                             fovea::cuda::blocks_for(job.from.count, PairTuning::kTile));
  pair_kernel<Pair><<<grid, PairTuning::kThreads, 0, stream>>>(job);
  fovea::cuda::check_launch("scenes: sums over pairs of histograms");
}

}  // namespace fovea::scenes::cuda
