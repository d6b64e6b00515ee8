// Finds the nearest centers of a block's points, up to 128 numbers each, for kernels that have
// points in shared memory. Scores come from the tensor cores (nearest_layout.h). Where the two
// least scores are too close to be distinguished by those, every center that may be the nearest is
// scored again by the fma chain of the CPU, so that labels equal those of the CPU.
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

#include "ops/kmeans/kmeans_math.h"
#include "ops/kmeans/nearest_products.cuh"

namespace fovea::cuda {

// Centers as kernels read them, all in device memory. Made by DeviceCenters (nearest_centers.cuh).
struct CentersView {
  int centers = 0;
  int dimensions = 0;
  int pitch = 0;  // distance between centers in numbers: dimensions, rounded up to steps
  const float* numbers = nullptr;         // `pitch` apart, with zeros after the last
  const float* halves = nullptr;          // halves of their squared lengths
  const std::uint32_t* groups = nullptr;  // layout of nearest_layout.h; centers after the last are
                                          // far away. Absent for more than 128 numbers
  const float* most_half = nullptr;       // the greatest half of the moved centers
  const float* origin = nullptr;          // `pitch` numbers, and at least its length
};

// How a block divides its work. Each warp has 16 * kTiles_ points at a time, kRounds_ times, so
// that more points share the work of a block besides the search.
template <int kSteps_, int kWarps_ = 8, int kTiles_ = kSteps_ <= 2 ? 2 : 1,
          int kChunkBytes_ = 16384, int kRounds_ = 1>
struct NearestShape {
  static constexpr int kSteps = kSteps_;
  static constexpr int kTiles = kTiles_;
  static constexpr int kWarps = kWarps_;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kWarpPoints = detail::nearest::kRows * kTiles;
  static constexpr int kRounds = kRounds_;
  static constexpr int kRoundPoints = kWarpPoints * kWarps;
  static constexpr int kPoints = kRoundPoints * kRounds;
  static constexpr int kDimensions = detail::nearest::kStep * kSteps;
  // The pairs of numbers of eight lanes, which belong to eight points, are in different banks.
  static constexpr int kPitch = kDimensions + 8;
  static constexpr int kGroupWords = detail::nearest::group_words(kSteps);
  // Groups of centers that are processed together, as many as registers allow.
  static constexpr int kSide = kSteps <= 4 ? 2 : 1;
  // Groups that are loaded to shared memory at once, an even number.
  static constexpr int kChunk =
      kChunkBytes_ / (4 * kGroupWords) < 2 ? 2 : kChunkBytes_ / (4 * kGroupWords) / 2 * 2;
};

template <class Shape>
struct alignas(16) NearestScratch {
  static constexpr int kMostCandidates = 1024;
  struct Recheck {
    unsigned long long keys[detail::nearest::kRows];
    std::uint32_t candidates[kMostCandidates];  // row << 16 | center
  };

  float points[Shape::kPoints][Shape::kPitch];
  std::int32_t labels[Shape::kPoints];
  int doubtful;  // points whose label the tensor cores cannot decide
  int candidate_count;
  std::uint16_t rows[Shape::kPoints];  // for those: the point, and the bound that no candidate's
                                       // score exceeds
  float limits[Shape::kPoints];
  union {
    alignas(16) std::uint32_t chunks[2][Shape::kChunk * Shape::kGroupWords];
    Recheck recheck;
  };
};

namespace nearest {

// The two least scores of a point so far, and the center of the least.
struct Least {
  float best = kInfinity;
  float next = kInfinity;
  int center = 0;

  // The score of this lane's center 0 or 1 (`odd`) in a group.
  __device__ void take(float score, int group, int odd) {
    next = fminf(next, fmaxf(best, score));
    center = score < best ? kGroup * group + odd : center;
    best = fminf(best, score);
  }
  // The centers of all lanes are counted from the same one.
  __device__ void settle(int lane) { center += detail::nearest::score_place(lane, 0).number; }
  // Combines with the result of the lane that is so many lanes away.
  __device__ void join(int distance) {
    const float other = __shfl_xor_sync(~0U, best, distance);
    const float other_next = __shfl_xor_sync(~0U, next, distance);
    const int other_center = __shfl_xor_sync(~0U, center, distance);
    next = fminf(fminf(next, other_next), fmaxf(best, other));
    center = other < best || (other == best && other_center < center) ? other_center : center;
    best = fminf(best, other);
  }
};

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

// The score of the fma chain, lowered into the key of the point: the first center stays among equal
// scores.
__device__ inline void score_exactly(const CentersView& centers, const float* point, int center,
                                     unsigned long long* key) {
  const float* numbers = centers.numbers + static_cast<std::size_t>(center) * centers.pitch;
  float score = centers.halves[center];
#pragma unroll 8
  for (int i = 0; i < centers.pitch; i += 4) {  // zeros at the end change nothing
    const float4 c = *reinterpret_cast<const float4*>(numbers + i);
    score = detail::add_to_score(point[i], c.x, score);
    score = detail::add_to_score(point[i + 1], c.y, score);
    score = detail::add_to_score(point[i + 2], c.z, score);
    score = detail::add_to_score(point[i + 3], c.w, score);
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

// Lists the centers of a group that may be nearest to the 16 doubtful points from `first` on. Where
// the list is full, the center is scored at once.
template <class Shape>
__device__ inline void take_candidates(const CentersView& centers, int first, int group,
                                       const float (&scores)[4], NearestScratch<Shape>& scratch) {
  const auto* halves = reinterpret_cast<const float*>(
      centers.groups + static_cast<std::size_t>(group) * Shape::kGroupWords +
      Shape::kSteps * detail::nearest::kStepWords);
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const detail::nearest::Place place = detail::nearest::score_place(threadIdx.x % 32, part);
    const int center = group * kGroup + place.number, slot = first + place.row;
    if (slot >= scratch.doubtful || center >= centers.centers) continue;
    if (scores[part] + halves[place.number] > scratch.limits[slot]) continue;
    const int at = atomicAdd(&scratch.candidate_count, 1);
    if (at < NearestScratch<Shape>::kMostCandidates)
      scratch.recheck.candidates[at] = static_cast<std::uint32_t>(place.row << 16 | center);
    else
      score_exactly(centers, doubtful_row(scratch, slot), center, &scratch.recheck.keys[place.row]);
  }
}

// Finds the candidates of up to 16 doubtful points, beginning at `first`, once more by the tensor
// cores; each warp searches its share of the centers.
template <class Shape>
__device__ inline void find_candidates(const CentersView& centers, int first,
                                       NearestScratch<Shape>& scratch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Registers points[1][Shape::kSteps];
  float squares[2] = {};
#pragma unroll
  for (int s = 0; s < Shape::kSteps; ++s)
    points[0][s] = load_points(
        [&](int part) {
          return doubtful_row(scratch, first + detail::nearest::point_place(lane, part).row);
        },
        centers.origin, s, squares);
  constexpr int kBatch = Shape::kSteps <= 2 ? 4 : Shape::kSteps <= 4 ? 2 : 1;  // loads in flight
  const int groups = detail::nearest::groups_of(centers.centers);
  for (int group = warp; group < groups; group += kBatch * Shape::kWarps) {
    __syncwarp();  // products need whole warps
    float scores[kBatch][1][4];
#pragma unroll
    for (int j = 0; j < kBatch; ++j)
      multiply(
          scores[j], points,
          centers.groups + static_cast<std::size_t>(min(group + j * Shape::kWarps, groups - 1)) *
                               Shape::kGroupWords);
    for (int j = 0; j < kBatch; ++j)
      take_candidates(centers, first, group + j * Shape::kWarps, scores[j][0], scratch);
  }
}

template <class Shape>
__device__ inline void settle_doubtful(const CentersView& centers, NearestScratch<Shape>& scratch) {
  const int doubtful = scratch.doubtful;
  for (int first = 0; first < doubtful; first += kRows) {
    if (threadIdx.x < kRows) scratch.recheck.keys[threadIdx.x] = first_key();
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
    if (threadIdx.x < kRows && first + static_cast<int>(threadIdx.x) < doubtful)
      scratch.labels[scratch.rows[first + threadIdx.x]] =
          static_cast<std::int32_t>(scratch.recheck.keys[threadIdx.x] & 0xFFFFFFFFU);
  }
}

}  // namespace nearest

namespace nearest {

// What a warp keeps of its points.
template <class Shape>
struct WarpPoints {
  int first = 0;  // the first of them, in the block
  Registers registers[Shape::kTiles][Shape::kSteps];
  float squares[Shape::kTiles][2] = {};
  Least least[Shape::kTiles][2];
};

template <class Shape>
__device__ inline void load_warp(const NearestScratch<Shape>& scratch, const float* origin,
                                 int round, WarpPoints<Shape>& points) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  points.first = round * Shape::kRoundPoints + warp * Shape::kWarpPoints;
#pragma unroll
  for (int m = 0; m < Shape::kTiles; ++m) {
    const int base = points.first + m * kRows;
    const auto row = [&](int part) {
      return scratch.points[base + detail::nearest::point_place(lane, part).row];
    };
#pragma unroll
    for (int s = 0; s < Shape::kSteps; ++s)
      points.registers[m][s] = load_points(row, origin, s, points.squares[m]);
  }
}

// kSide groups of centers that begin at `words`; the first one has the number `group`.
template <class Shape>
__device__ inline void score_groups(const std::uint32_t* words, int group,
                                    WarpPoints<Shape>& points) {
  const int lane = threadIdx.x % 32;
  float scores[Shape::kSide][Shape::kTiles][4];
#pragma unroll
  for (int side = 0; side < Shape::kSide; ++side)
    multiply(scores[side], points.registers, words + side * Shape::kGroupWords);
#pragma unroll
  for (int side = 0; side < Shape::kSide; ++side) {
    const float2 halves = *reinterpret_cast<const float2*>(
        words + side * Shape::kGroupWords + Shape::kSteps * detail::nearest::kStepWords +
        detail::nearest::score_place(lane, 0).number);
#pragma unroll
    for (int m = 0; m < Shape::kTiles; ++m)
#pragma unroll
      for (int part = 0; part < 4; ++part)
        points.least[m][part / 2].take(
            scores[side][m][part] + (part % 2 == 0 ? halves.x : halves.y), group + side, part % 2);
  }
}

// Writes labels, and lists the points whose labels are doubtful.
template <class Shape>
__device__ inline void write_labels(const CentersView& centers, int count,
                                    WarpPoints<Shape>& points, NearestScratch<Shape>& scratch) {
  const int lane = threadIdx.x % 32;
  const float most_half = *centers.most_half, origin_length = centers.origin[centers.pitch];
#pragma unroll
  for (int m = 0; m < Shape::kTiles; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Least& found = points.least[m][half];
      float squared = points.squares[m][half];
      found.settle(lane);
#pragma unroll
      for (int distance = 1; distance < 4; distance *= 2) {
        found.join(distance);
        squared += __shfl_xor_sync(~0U, squared, distance);
      }
      const int row = points.first + m * kRows + detail::nearest::score_place(lane, 2 * half).row;
      if (lane % 4 != 0 || row >= count) continue;
      scratch.labels[row] = found.center;
      const float limit = detail::nearest::score_limit(
          found.best, {squared, most_half, origin_length, centers.dimensions});
      if (found.next > limit) continue;
      const int slot = atomicAdd(&scratch.doubtful, 1);
      scratch.rows[slot] = static_cast<std::uint16_t>(row);
      scratch.limits[slot] = limit;
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
    load_warp(scratch, centers.origin, round, points);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      await_copies();
      __syncthreads();  // the chunk is loaded, and no warp reads the previous one any more
      if (chunk + 1 < chunks) stage(centers, chunk + 1, scratch);
      const int first = chunk * Shape::kChunk, last = min(Shape::kChunk, groups - first);
      for (int group = 0; group < last; group += Shape::kSide)
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
