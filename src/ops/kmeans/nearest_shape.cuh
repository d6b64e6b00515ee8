// What the search for nearest centers in a block (nearest_cuda.cuh) works on: centers in device
// memory, how a block divides its work, and its shared memory.
#pragma once
#include <cstdint>

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
  const detail::nearest::CenterBounds* bounds = nullptr;
  const float* origin = nullptr;  // `pitch` numbers
  const detail::nearest::Frame* frame = nullptr;
};

// How a block divides its work. Each warp has 16 * kTiles_ points at a time, kRounds_ times, so
// that more points share the work of a block besides the search. kSplit_ warps share the same
// points, and each of them searches its part of the centers: more warps are in flight where shared
// memory limits the points.
template <int kSteps_, int kWarps_ = 8, int kTiles_ = 2, int kSplit_ = kSteps_ <= 4 ? 1 : 2,
          int kChunkBytes_ = 16384, int kRounds_ = 1>
struct NearestShape {
  static constexpr int kSteps = kSteps_;
  static constexpr int kTiles = kTiles_;
  static constexpr int kWarps = kWarps_;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kWarpPoints = detail::nearest::kRows * kTiles;
  static constexpr int kRounds = kRounds_;
  static constexpr int kSplit = kSplit_;
  static_assert(kWarps % kSplit == 0);
  static constexpr int kRoundPoints = kWarpPoints * kWarps / kSplit;
  static constexpr int kPoints = kRoundPoints * kRounds;
  static constexpr int kDimensions = detail::nearest::kStep * kSteps;
  // The pairs of numbers of eight lanes, which belong to eight points, are in different banks.
  static constexpr int kPitch = kDimensions + 8;
  static constexpr int kGroupWords = detail::nearest::group_words(kSteps);
  // Groups of centers that a warp processes together, 1 or 2, as many as registers allow.
  static constexpr int kSide = 2;
  // Doubtful points that are looked at again together.
  static constexpr int kCheckTiles = kSteps <= 2 ? 2 : 1;
  static constexpr int kCheckPoints = detail::nearest::kRows * kCheckTiles;
  // Groups that are loaded to shared memory at once; every warp has a pair of them or more.
  static constexpr int kLeastChunk = 2 * kSplit;
  static constexpr int kChunk = kChunkBytes_ / (4 * kGroupWords) < kLeastChunk
                                    ? kLeastChunk
                                    : kChunkBytes_ / (4 * kGroupWords) / kLeastChunk * kLeastChunk;
};

namespace nearest {

// The two least scores of a point so far, and the center of the least.
struct Least {
  float best;
  float next;
  int center;

  __device__ void clear() {
    best = next = kInfinity;
    center = 0;
  }
  // The score of this lane's center 0 or 1 (`odd`) in a group.
  __device__ void take(float score, int group, int odd) {
    next = fminf(next, fmaxf(best, score));
    center = score < best ? kGroup * group + odd : center;
    best = fminf(best, score);
  }
  // The centers of all lanes are counted from the same one.
  __device__ void settle(int lane) { center += detail::nearest::score_place(lane, 0).number; }
  // Combines with the least scores of other centers.
  __device__ void join(const Least& other) {
    next = fminf(fminf(next, other.next), fmaxf(best, other.best));
    center =
        other.best < best || (other.best == best && other.center < center) ? other.center : center;
    best = fminf(best, other.best);
  }
  // The least scores of the lane that is so many lanes away.
  __device__ Least of_lane(int distance) const {
    return {__shfl_xor_sync(~0U, best, distance), __shfl_xor_sync(~0U, next, distance),
            __shfl_xor_sync(~0U, center, distance)};
  }
};

}  // namespace nearest

template <class Shape>
struct alignas(16) NearestScratch {
  static constexpr int kMostCandidates = 1024;
  struct Recheck {
    unsigned long long keys[Shape::kCheckPoints];
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
    nearest::Least parts[Shape::kSplit][Shape::kRoundPoints];  // found by the warps after the first
                                                               // of those that share points
    Recheck recheck;
  };
};

}  // namespace fovea::cuda
