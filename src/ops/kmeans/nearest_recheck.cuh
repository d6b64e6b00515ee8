// The search of a block (nearest_cuda.cuh) for points whose label is doubtful: those centers that
// may be the nearest are listed by their scores on the tensor cores, and are scored again by the
// fma chain of the CPU.
#pragma once
#include "ops/kmeans/kmeans_math.h"
#include "ops/kmeans/nearest_shape.cuh"

namespace fovea::cuda::nearest {

// The score of the fma chain, lowered into the key of the point: the first center stays among equal
// scores.
__device__ inline void score_exactly(const CentersView& centers, const float* point, int center,
                                     unsigned long long* key) {
  const float* numbers = centers.numbers + static_cast<std::size_t>(center) * centers.pitch;
  float score = centers.halves[center];
#pragma unroll 8
  for (int i = 0; i < centers.pitch; i += 4) {  // zeros at the end change nothing
    const float4 p = *reinterpret_cast<const float4*>(point + i);
    const float4 c = *reinterpret_cast<const float4*>(numbers + i);
    score = detail::add_to_score(p.x, c.x, score);
    score = detail::add_to_score(p.y, c.y, score);
    score = detail::add_to_score(p.z, c.z, score);
    score = detail::add_to_score(p.w, c.w, score);
  }
  if (score < kInfinity)
    atomicMin(key, static_cast<unsigned long long>(detail::nearest::order_of(score)) << 32 |
                       static_cast<unsigned>(center));
}

// The value before any score is known: infinitely far, first center.
__device__ inline unsigned long long first_key() {
  return static_cast<unsigned long long>(detail::nearest::order_of(kInfinity)) << 32;
}

// The shared row of one of the doubtful points.
template <class Shape>
__device__ inline const float* doubtful_row(const NearestScratch<Shape>& scratch, int slot) {
  return scratch.points[scratch.rows[min(slot, scratch.doubtful - 1)]];
}

// Lists a center that may be nearest to the doubtful point `first` + `row`. Where the list is full,
// the center is scored at once.
template <class Shape>
__device__ inline void take_candidate(const CentersView& centers, int first, int row, int center,
                                      NearestScratch<Shape>& scratch) {
  if (first + row >= scratch.doubtful || center >= centers.centers) return;
  const int at = atomicAdd(&scratch.candidate_count, 1);
  if (at < NearestScratch<Shape>::kMostCandidates)
    scratch.recheck.candidates[at] = static_cast<std::uint32_t>(row << 16 | center);
  else
    score_exactly(centers, doubtful_row(scratch, first + row), center, &scratch.recheck.keys[row]);
}

// Finds the candidates of up to kCheckPoints doubtful points, beginning at `first`, once more by
// the tensor cores; each warp searches its share of the centers.
template <class Shape>
__device__ inline void find_candidates(const CentersView& centers, int first,
                                       NearestScratch<Shape>& scratch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Registers points[Shape::kCheckTiles][Shape::kSteps];
  float limits[Shape::kCheckTiles][2];
#pragma unroll
  for (int m = 0; m < Shape::kCheckTiles; ++m) {
    const int base = first + m * kRows;
    Squares squares;
#pragma unroll
    for (int s = 0; s < Shape::kSteps; ++s)
      points[m][s] = load_points(
          [&](int part) {
            return doubtful_row(scratch, base + detail::nearest::point_place(lane, part).row);
          },
          centers.origin, centers.frame->scale, s, squares);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      limits[m][half] = scratch.limits[min(base + detail::nearest::score_place(lane, 2 * half).row,
                                           scratch.doubtful - 1)];
  }
  constexpr int kBatch =
      Shape::kSteps <= 6 ? 4 / Shape::kCheckTiles : 2;  // groups whose loads are in flight
  const int groups = detail::nearest::groups_of(centers.centers);
#pragma unroll 1
  for (int group = warp; group < groups; group += kBatch * Shape::kWarps) {
    __syncwarp();  // products need whole warps
    float scores[kBatch][Shape::kCheckTiles][4];
#pragma unroll
    for (int j = 0; j < kBatch; ++j)
      multiply(
          scores[j], points,
          centers.groups + static_cast<std::size_t>(min(group + j * Shape::kWarps, groups - 1)) *
                               Shape::kGroupWords);
#pragma unroll
    for (int j = 0; j < kBatch; ++j)
#pragma unroll
      for (int m = 0; m < Shape::kCheckTiles; ++m)
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          if (scores[j][m][part] > limits[m][part / 2]) continue;  // a NaN makes a candidate
          const detail::nearest::Place place = detail::nearest::score_place(lane, part);
          take_candidate(centers, first, m * kRows + place.row,
                         (group + j * Shape::kWarps) * kGroup + place.number, scratch);
        }
  }
}

template <class Shape>
__device__ inline void settle_doubtful(const CentersView& centers, NearestScratch<Shape>& scratch) {
  static_assert(Shape::kCheckPoints <= Shape::kThreads);
  const int doubtful = scratch.doubtful;
  for (int first = 0; first < doubtful; first += Shape::kCheckPoints) {
    if (threadIdx.x < Shape::kCheckPoints) scratch.recheck.keys[threadIdx.x] = first_key();
    if (threadIdx.x == 0) scratch.candidate_count = 0;
    __syncthreads();
    find_candidates(centers, first, scratch);
    __syncthreads();
    const int candidates = min(scratch.candidate_count, NearestScratch<Shape>::kMostCandidates);
    for (int i = threadIdx.x; i < candidates; i += Shape::kThreads) {
      const std::uint32_t candidate = scratch.recheck.candidates[i];
      const std::uint32_t slot = candidate >> 16;
      score_exactly(centers, scratch.points[scratch.rows[first + slot]],
                    static_cast<int>(candidate & 0xFFFFU), &scratch.recheck.keys[slot]);
    }
    __syncthreads();
    if (threadIdx.x < Shape::kCheckPoints && first + static_cast<int>(threadIdx.x) < doubtful)
      scratch.labels[scratch.rows[first + threadIdx.x]] =
          static_cast<std::int32_t>(scratch.recheck.keys[threadIdx.x] & 0xFFFFFFFFU);
  }
}

}  // namespace fovea::cuda::nearest
