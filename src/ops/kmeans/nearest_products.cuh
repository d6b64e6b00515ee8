// Products of points and centers on the tensor cores, one warp at a time, and copies to shared
// memory that overlap with them. Registers have the layout of nearest_layout.h.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "ops/kmeans/nearest_layout.h"

namespace fovea::cuda::nearest {

using detail::nearest::kGroup;
using detail::nearest::kRows;
using detail::nearest::kStep;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Registers {
  std::uint32_t first[4], second[4];
};

// d += a b.
__device__ inline void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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

// The registers of 16 points for one step: their numbers moved by the origin and negated, so that
// products are subtracted. Adds this lane's part to the squared lengths of its two points.
// row(part) is the shared row of the point to which register `part` belongs.
template <class Row>
__device__ inline Registers load_points(const Row& row, const float* origin, int step,
                                        float (&squares)[2]) {
  Registers result;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int number = step * kStep + detail::nearest::point_place(threadIdx.x % 32, part).number;
    const float2 there = *reinterpret_cast<const float2*>(row(part) + number);
    const float2 from = *reinterpret_cast<const float2*>(origin + number);
    const float2 pair{there.x - from.x, there.y - from.y};
    squares[part % 2] = fmaf(pair.x, pair.x, fmaf(pair.y, pair.y, squares[part % 2]));
    const detail::nearest::Pieces pieces = detail::nearest::split(-pair.x, -pair.y);
    result.first[part] = pieces.first;
    result.second[part] = pieces.second;
  }
  return result;
}

// The scores of 16 points each and the 8 centers at `words`, without the halves. Small products are
// added before the large ones, so that little is cut off.
template <int kTiles, int kSteps>
__device__ inline void multiply(float (&scores)[kTiles][4],
                                const Registers (&points)[kTiles][kSteps],
                                const std::uint32_t* words) {
  const auto centers = [&](int s) {
    return *reinterpret_cast<const uint4*>(
        words + detail::nearest::word_of(s, static_cast<int>(threadIdx.x % 32), 0, 0));
  };
  float small[kTiles][4] = {};
  if constexpr (kSteps <= 4) {  // one sum, because the registers of all centers fit
    uint4 c[kSteps];
#pragma unroll
    for (int s = 0; s < kSteps; ++s) c[s] = centers(s);
#pragma unroll
    for (int m = 0; m < kTiles; ++m) {
#pragma unroll
      for (int s = 0; s < kSteps; ++s) multiply_add(small[m], points[m][s].second, c[s].x, c[s].y);
#pragma unroll
      for (int s = 0; s < kSteps; ++s) multiply_add(small[m], points[m][s].first, c[s].z, c[s].w);
#pragma unroll
      for (int s = 0; s < kSteps; ++s) multiply_add(small[m], points[m][s].first, c[s].x, c[s].y);
#pragma unroll
      for (int i = 0; i < 4; ++i) scores[m][i] = small[m][i];
    }
  } else {  // two sums, because registers are scarce
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) scores[m][i] = 0;
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const uint4 c = centers(s);
#pragma unroll
      for (int m = 0; m < kTiles; ++m) {
        multiply_add(small[m], points[m][s].second, c.x, c.y);
        multiply_add(scores[m], points[m][s].first, c.x, c.y);
        multiply_add(small[m], points[m][s].first, c.z, c.w);
      }
    }
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) scores[m][i] += small[m][i];
  }
}

}  // namespace fovea::cuda::nearest
