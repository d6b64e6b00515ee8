// Sums of differences under a flow, over 7x7 pixels around each pixel of a tile: for propagation
// and for confidence. Whole numbers: the order of sums does not matter.
#pragma once
#include "flow/lk/kernels_cuda.cuh"

namespace fovea::flow::cuda {

constexpr int kTrialTile = 32;      // pixels, both ways; a warp a row
constexpr int kTrialThreads = 256;  // of a block
constexpr int kTrialRun = kTrialTile * kTrialTile / kTrialThreads;  // of a column, a thread
constexpr int kTrialSide = 2 * lk::kTrialRadius + 1;
constexpr int kTrialRegion = kTrialTile + 2 * lk::kTrialRadius;

struct TrialPlace {
  int index, fraction;
  bool inside;
};
__device__ inline TrialPlace trial_place(int x, float flow, int size) {
  static_assert(lk::kTrialUnits == 16, "the shift below");
  const int position = lk::trial_position(flow);
  const int i = x + (position >> 4);
  const int index = lk::clamped(i, size);
  const bool inside = i == index;
  return {index, inside && i < size - 1 ? position & (lk::kTrialUnits - 1) : 0, inside};
}

// Of pixel (x, y) under a flow.
__device__ inline int difference_at(const DeviceFrameLevel& first, const DeviceFrameLevel& second,
                                    int2 place, float2 flow) {
  const DevicePlane<std::uint8_t>& to = second.features;
  const TrialPlace across = trial_place(place.x, flow.x, to.width);
  const TrialPlace down = trial_place(place.y, flow.y, to.height);
  const std::uint8_t* above = to.row(down.index);
  const std::uint8_t* below = to.row(lk::least(down.index + 1, to.height - 1));
  const int next = lk::least(across.index + 1, to.width - 1);
  const int difference =
      lk::trial_difference(first.features.at(place.x, place.y), above[across.index], above[next],
                           below[across.index], below[next], across.fraction, down.fraction);
  return across.inside && down.inside ? difference : lk::most(difference, lk::kTrialMost);
}

struct TrialMemory {
  std::uint16_t differences[kTrialRegion][kTrialRegion];
  std::uint16_t along[kTrialRegion][kTrialTile];
};

// The sums of kTrialRun pixels of this thread's column of the tile at (x0, y0), each pixel under
// the flow of the one `offset` from it. The block's threads call it together; they may do so again
// at once.
__device__ inline void trial_sums(const DeviceFrameLevel& first, const DeviceFrameLevel& second,
                                  const DeviceField& flow, lk::Offset offset, int2 origin,
                                  TrialMemory& memory, int (&sums)[kTrialRun]) {
  const int width = flow.u.width, height = flow.u.height;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 2
  for (int i = thread; i < kTrialRegion * kTrialRegion; i += kTrialThreads) {
    const int x = origin.x - lk::kTrialRadius + i % kTrialRegion;
    const int y = origin.y - lk::kTrialRadius + i / kTrialRegion;
    int difference = 0;
    const bool there = x >= 0 && x < width && y >= 0 && y < height;
    if (there && (first.mask.data == nullptr || first.mask.at(x, y) != 0)) {
      const int fx = lk::clamped(x + offset.x, width), fy = lk::clamped(y + offset.y, height);
      difference = difference_at(first, second, {x, y}, {flow.u.at(fx, fy), flow.v.at(fx, fy)});
    }
    memory.differences[i / kTrialRegion][i % kTrialRegion] = static_cast<std::uint16_t>(difference);
  }
  __syncthreads();
  for (int i = thread; i < kTrialRegion * kTrialTile; i += kTrialThreads) {
    int sum = 0;
#pragma unroll
    for (int n = 0; n < kTrialSide; ++n)
      sum += memory.differences[i / kTrialTile][i % kTrialTile + n];
    memory.along[i / kTrialTile][i % kTrialTile] = static_cast<std::uint16_t>(sum);
  }
  __syncthreads();
  const int column = thread % kTrialTile, top = thread / kTrialTile * kTrialRun;
  int sum = 0;
#pragma unroll
  for (int n = 0; n < kTrialSide - 1; ++n) sum += memory.along[top + n][column];
#pragma unroll
  for (int n = 0; n < kTrialRun; ++n) {
    sum += memory.along[top + n + kTrialSide - 1][column];
    sums[n] = sum;
    sum -= memory.along[top + n][column];
  }
  // A next call writes differences, which nobody reads any more, and waits before it writes sums.
}

inline dim3 trial_grid(int width, int height) {
  const auto blocks = [](int size) {
    return static_cast<unsigned>((size + kTrialTile - 1) / kTrialTile);
  };
  return {blocks(width), blocks(height)};
}

}  // namespace fovea::flow::cuda
