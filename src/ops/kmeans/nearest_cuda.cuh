// Finds the nearest centers of a block's points, up to 128 numbers each, for kernels that have
// points in shared memory. Scores come from the tensor cores (nearest_layout.h). Where the two
// least scores are too close to be distinguished by those (nearest_margin.h), every center that may
// be the nearest is scored again by the fma chain of the CPU, so that labels equal those of the CPU
// (nearest_recheck.cuh).
//
// Use, with Shape = NearestShape<steps_of(dimensions)> and blockDim.x == Shape::kThreads:
//   __shared__ (or dynamic, 16-byte aligned) NearestScratch<Shape> scratch;
//   scratch.points[p][i] = number i of point p, p < count <= Shape::kPoints; 0 for numbers from
//       `dimensions` up to Shape::kDimensions. Rows from `count` on may hold anything.
//   __syncthreads();                                   // the caller's
//   nearest_in_block<Shape>(centers, count, scratch);  // by all threads; starts and ends with
//                                                      // barriers where it needs them
//   scratch.labels[p] is the label of point p, seen by all threads. scratch.points is as it was.
// To start over, write scratch.points again. The only barrier that is needed before that is the
// caller's own, after labels and points have been read.
#pragma once
#include <cstdint>

#include "ops/kmeans/nearest_recheck.cuh"
#include "ops/kmeans/nearest_shape.cuh"

namespace fovea::cuda {

namespace nearest {

template <class Shape>
__device__ inline void stage(const CentersView& centers, int chunk,
                             NearestScratch<Shape>& scratch) {
  constexpr int kVector = 4;
  const int groups = detail::nearest::groups_of(centers.centers), first = chunk * Shape::kChunk;
  const int words = min(Shape::kChunk, groups - first) * Shape::kGroupWords;
  const std::uint32_t* from = centers.groups + static_cast<std::size_t>(first) * Shape::kGroupWords;
  std::uint32_t* to = scratch.chunks[chunk % 2];
  for (int w = kVector * threadIdx.x; w < words; w += kVector * Shape::kThreads)
    copy_ahead<16>(to + w, from + w);
  __syncwarp();  // products need whole warps
}

// What a warp keeps of its points.
template <class Shape>
struct WarpPoints {
  int first = 0;  // the first of them, in the block
  int share = 0;  // which of the warps with the same points this is
  Registers registers[Shape::kTiles][Shape::kSteps];
  Squares squares[Shape::kTiles];
  Least least[Shape::kTiles][2];
};

template <class Shape>
__device__ inline void load_warp(const NearestScratch<Shape>& scratch, const CentersView& centers,
                                 int round, WarpPoints<Shape>& points) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  points.first = round * Shape::kRoundPoints + warp / Shape::kSplit * Shape::kWarpPoints;
  points.share = warp % Shape::kSplit;
#pragma unroll
  for (int m = 0; m < Shape::kTiles; ++m) {
    for (Least& least : points.least[m]) least.clear();
    const int base = points.first + m * kRows;
    const auto row = [&](int part) {
      return scratch.points[base + detail::nearest::point_place(lane, part).row];
    };
#pragma unroll
    for (int s = 0; s < Shape::kSteps; ++s)
      points.registers[m][s] =
          load_points(row, centers.origin, centers.frame->scale, s, points.squares[m]);
  }
}

// kSide groups of centers that begin at `words`; the first one has the number `group`.
template <class Shape>
__device__ inline void score_groups(const std::uint32_t* words, int group,
                                    WarpPoints<Shape>& points) {
  float scores[Shape::kSide][Shape::kTiles][4];
#pragma unroll
  for (int side = 0; side < Shape::kSide; ++side)
    multiply(scores[side], points.registers, words + side * Shape::kGroupWords);
#pragma unroll
  for (int side = 0; side < Shape::kSide; ++side)
#pragma unroll
    for (int m = 0; m < Shape::kTiles; ++m)
#pragma unroll
      for (int part = 0; part < 4; ++part)
        points.least[m][part / 2].take(scores[side][m][part], group + side, part % 2);
}

// A point whose scores are known.
struct ScoredPoint {
  int row;
  Least least;
  float square, loss_square;
};

// Writes the label, or lists the point where its label is doubtful.
template <class Shape>
__device__ inline void write_label(const CentersView& centers, const ScoredPoint& point,
                                   NearestScratch<Shape>& scratch) {
  scratch.labels[point.row] = point.least.center;
  const float limit = detail::nearest::score_limit(
      point.least.best,
      {point.square, point.loss_square, *centers.bounds, *centers.frame, centers.dimensions});
  if (point.least.next > limit) return;  // with a NaN the label is doubtful
  const int slot = atomicAdd(&scratch.doubtful, 1);
  scratch.rows[slot] = static_cast<std::uint16_t>(point.row);
  scratch.limits[slot] = limit;
}

// Writes the labels of a warp's points. Four lanes have the scores of the same points; after they
// have been combined, each of these lanes does the rest for other points.
template <class Shape>
__device__ inline void write_labels(const CentersView& centers, int count,
                                    WarpPoints<Shape>& points, NearestScratch<Shape>& scratch) {
  constexpr int kMine = 2 * Shape::kTiles, kTurns = (kMine + 3) / 4;
  const int lane = threadIdx.x % 32;
  ScoredPoint mine[kTurns];
#pragma unroll
  for (int at = 0; at < kMine; ++at) {
    const int m = at / 2, half = at % 2;
    Least& found = points.least[m][half];
    float square = points.squares[m].rounded[half], lost = points.squares[m].lost[half];
    found.settle(lane);
#pragma unroll
    for (int distance = 1; distance < 4; distance *= 2) {
      found.join(found.of_lane(distance));
      square += __shfl_xor_sync(~0U, square, distance);
      lost += __shfl_xor_sync(~0U, lost, distance);
    }
    const int row = points.first + m * kRows + detail::nearest::score_place(lane, 2 * half).row;
    if (at % 4 == 0) mine[at / 4].row = count;
    if (lane % 4 == at % 4) mine[at / 4] = {row, found, square, lost};
  }
  const int round = points.first / Shape::kRoundPoints * Shape::kRoundPoints;
  if constexpr (Shape::kSplit > 1) {
    __syncthreads();  // no warp reads centers any more
    for (const ScoredPoint& point : mine)
      if (points.share > 0 && point.row < count)
        scratch.parts[points.share][point.row - round] = point.least;
    __syncthreads();
    if (points.share > 0) return;
  }
#pragma unroll
  for (ScoredPoint& point : mine) {
    if (point.row >= count) continue;
    for (int share = 1; share < Shape::kSplit; ++share)
      point.least.join(scratch.parts[share][point.row - round]);
    write_label(centers, point, scratch);
  }
}

}  // namespace nearest

// Returns the number of doubtful points.
template <class Shape>
__device__ int nearest_in_block(const CentersView& centers, int count,
                                NearestScratch<Shape>& scratch) {
  using namespace nearest;
  if (threadIdx.x == 0) scratch.doubtful = 0;
  const int groups = detail::nearest::groups_of(centers.centers);
  const int chunks = (groups + Shape::kChunk - 1) / Shape::kChunk;
#pragma unroll 1
  for (int round = 0; round < Shape::kRounds; ++round) {
    stage(centers, 0, scratch);
    WarpPoints<Shape> points;
    load_warp(scratch, centers, round, points);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      await_copies();
      __syncthreads();  // the chunk is loaded, and no warp reads the previous one any more
      if (chunk + 1 < chunks) stage(centers, chunk + 1, scratch);
      const int first = chunk * Shape::kChunk, last = min(Shape::kChunk, groups - first);
      for (int group = points.share * Shape::kSide; group < last;
           group += Shape::kSplit * Shape::kSide)
        score_groups<Shape>(scratch.chunks[chunk % 2] + group * Shape::kGroupWords, first + group,
                            points);
    }
    write_labels(centers, count, points, scratch);
    __syncthreads();
  }
  settle_doubtful(centers, scratch);
  __syncthreads();
  return scratch.doubtful;
}

}  // namespace fovea::cuda
