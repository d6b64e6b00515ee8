// The nearest samples of rows of distances on the GPU, one block per row. A sample's key is its
// distance, whose bits order as whole numbers because it is not negative, followed by its number,
// so that all keys differ. The greatest wanted key is found digit by digit, and the wanted keys are
// sorted in shared memory.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/launch.cuh"
#include "core/on_device.cuh"

namespace fovea::scenes::cuda {

struct NearestTuning {
  static constexpr int kThreads = 256;
  static constexpr int kDigitBits = 8;
  static constexpr int kDigits = 1 << kDigitBits;
};

struct NearestJob {
  const float* distances;  // `samples` per row
  std::int32_t* nearest;   // `wanted` per row
  int samples, wanted;
  int room;  // the least power of two that is not below `wanted`
};

__device__ inline std::uint64_t key_of(const float* distances, int sample) {
  return std::uint64_t{__float_as_uint(distances[sample])} << 32 |
         static_cast<std::uint32_t>(sample);
}

// Finds the least number of leading digits, and their value, so that exactly `wanted` keys have
// leading digits of at most that value. Returns the shift that leaves them.
__device__ inline int select_keys(const NearestJob& job, const float* distances, unsigned* counts,
                                  std::uint64_t& bound) {
  __shared__ int digit, missing;
  std::uint64_t prefix = 0;
  int wanted = job.wanted, shift = 64;
  for (;;) {
    shift -= NearestTuning::kDigitBits;
    for (int i = static_cast<int>(threadIdx.x); i < NearestTuning::kDigits;
         i += NearestTuning::kThreads)
      counts[i] = 0;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < job.samples; i += NearestTuning::kThreads) {
      const std::uint64_t key = key_of(distances, i);
      const bool inside = shift == 64 - NearestTuning::kDigitBits ||
                          key >> (shift + NearestTuning::kDigitBits) == prefix;
      if (inside) atomicAdd(&counts[key >> shift & (NearestTuning::kDigits - 1)], 1U);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int left = wanted, i = 0;
      while (static_cast<int>(counts[i]) < left) left -= static_cast<int>(counts[i++]);
      digit = i;
      missing = left;
    }
    __syncthreads();
    prefix = prefix << NearestTuning::kDigitBits | static_cast<std::uint64_t>(digit);
    wanted = missing;
    const bool exact = static_cast<int>(counts[digit]) == wanted;
    __syncthreads();
    if (exact || shift == 0) break;
  }
  bound = prefix;
  return shift;
}

// Bitonic sort of `room` keys.
__device__ inline void sort_keys(std::uint64_t* keys, int room) {
  for (int size = 2; size <= room; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < room; i += NearestTuning::kThreads) {
        const int other = i ^ step;
        if (other < i) continue;
        const bool rising = (i & size) == 0;
        const std::uint64_t a = keys[i], b = keys[other];
        if (a > b == rising) {
          keys[i] = b;
          keys[other] = a;
        }
      }
    }
  __syncthreads();
}

__global__ void __launch_bounds__(NearestTuning::kThreads) nearest_kernel(NearestJob job) {
  extern __shared__ std::uint64_t keys[];
  __shared__ unsigned counts[NearestTuning::kDigits];
  __shared__ int found;
  const auto row = static_cast<std::ptrdiff_t>(blockIdx.x);
  const float* distances = job.distances + row * job.samples;
  std::uint64_t bound = 0;
  const int shift = select_keys(job, distances, counts, bound);
  if (threadIdx.x == 0) found = 0;
  for (int i = static_cast<int>(threadIdx.x); i < job.room; i += NearestTuning::kThreads)
    keys[i] = ~std::uint64_t{0};
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < job.samples; i += NearestTuning::kThreads) {
    const std::uint64_t key = key_of(distances, i);
    if (key >> shift <= bound) keys[atomicAdd(&found, 1)] = key;
  }
  sort_keys(keys, job.room);
  for (int i = static_cast<int>(threadIdx.x); i < job.wanted; i += NearestTuning::kThreads)
    job.nearest[row * job.wanted + i] = static_cast<std::int32_t>(keys[i] & 0xffffffffU);
}

inline void launch_nearest(NearestJob job, int rows, cudaStream_t stream) {
  constexpr const char* kWhat = "scenes: nearest samples";
  job.room = 2;
  while (job.room < job.wanted) job.room *= 2;
  const std::size_t shared = static_cast<std::size_t>(job.room) * sizeof(std::uint64_t);
  fovea::cuda::allow_shared(nearest_kernel, shared, kWhat);
  nearest_kernel<<<static_cast<unsigned>(rows), NearestTuning::kThreads, shared, stream>>>(job);
  fovea::cuda::check_launch(kWhat);
}

}  // namespace fovea::scenes::cuda
