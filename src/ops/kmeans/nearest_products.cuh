// Products of points and centers on the tensor cores, one warp at a time, and copies to shared
// memory that overlap with them. Registers have the layout of nearest_layout.h.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "ops/kmeans/nearest_margin.h"

namespace fovea::cuda::nearest {

using detail::nearest::kGroup;
using detail::nearest::kRows;
using detail::nearest::kStep;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The numbers of 16 points for one step.
struct Registers {
  std::uint32_t pairs[4];
};

// d = a b + c.
__device__ inline void multiply_add(float (&d)[4], const Registers& a, uint2 b,
                                    const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a.pairs[0]), "r"(a.pairs[1]), "r"(a.pairs[2]), "r"(a.pairs[3]), "r"(b.x), "r"(b.y),
        "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

// Copies 4 or 16 bytes with that alignment; they are complete after await_copies() of this thread.
template <int kBytes>
__device__ inline void copy_ahead(void* shared, const void* global) {
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(global) : "memory");
}
__device__ inline void await_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Squared lengths of the two points to which a lane's registers belong: of their rounded numbers,
// and of what they lost.
struct Squares {
  float rounded[2] = {}, lost[2] = {};
};

// The registers of 16 points for one step: their numbers moved and negated, so that products are
// subtracted. Adds this lane's part to the squares. row(part) is the shared row of the point to
// which register `part` belongs.
template <class Row>
__device__ inline Registers load_points(const Row& row, const float* origin, float scale, int step,
                                        Squares& squares) {
  Registers result;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int number = step * kStep + detail::nearest::point_place(threadIdx.x % 32, part).number;
    const float2 there = *reinterpret_cast<const float2*>(row(part) + number);
    const float2 from = *reinterpret_cast<const float2*>(origin + number);
    const float2 pair{-detail::nearest::move(there.x, from.x, scale),
                      -detail::nearest::move(there.y, from.y, scale)};
    const __half2 halves = __floats2half2_rn(pair.x, pair.y);  // as round_pair() does
    const float2 rounded = __half22float2(halves);
    const float2 lost{pair.x - rounded.x, pair.y - rounded.y};
    float& rounded_square = squares.rounded[part % 2];
    float& lost_square = squares.lost[part % 2];
    rounded_square = fmaf(rounded.x, rounded.x, fmaf(rounded.y, rounded.y, rounded_square));
    lost_square = fmaf(lost.x, lost.x, fmaf(lost.y, lost.y, lost_square));
    result.pairs[part] = *reinterpret_cast<const std::uint32_t*>(&halves);
  }
  return result;
}

// The scores of 16 points each and the 8 centers at `words`.
template <int kTiles, int kSteps>
__device__ inline void multiply(float (&scores)[kTiles][4],
                                const Registers (&points)[kTiles][kSteps],
                                const std::uint32_t* words) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float2 half = *reinterpret_cast<const float2*>(
      words + kSteps * detail::nearest::kStepWords + detail::nearest::score_place(lane, 0).number);
  const float halves[4] = {half.x, half.y, half.x, half.y};
#pragma unroll
  for (int s = 0; s < kSteps; ++s) {
    const uint2 centers =
        *reinterpret_cast<const uint2*>(words + detail::nearest::word_of(s, lane, 0));
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
      if (s == 0) multiply_add(scores[m], points[m][s], centers, halves);
      else multiply_add(scores[m], points[m][s], centers, scores[m]);
  }
}

}  // namespace fovea::cuda::nearest
