// Sums of differences under a flow, over 7x7 pixels around each pixel of a tile, for propagation
// and for confidence. They are integers, so that the order of additions does not matter.
#pragma once
#include "flow/lk/lucas_kanade_cuda.cuh"

namespace fovea::flow::cuda {

constexpr int kTrialSide = 2 * lk::kTrialRadius + 1;

// A tile of kTile x kTile pixels, and what is kept of a trial. Each of kThreads threads serves kRun
// pixels of a column, or none.
template <int kTile, int kThreads>
struct TrialTile {
  static constexpr int kRegion = kTile + 2 * lk::kTrialRadius;
  static constexpr int kRun = kTile * kTile > kThreads ? kTile* kTile / kThreads : 1;
  std::uint16_t differences[kRegion][kRegion];
  std::uint16_t along[kRegion][kTile];
};

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

// The difference at pixel (x, y) under a flow.
__device__ inline int difference_at(const DeviceFrameLevel& first, const DeviceFrameLevel& second,
                                    int2 place, float2 flow) {
  const int width = second.features.width, height = second.features.height;
  const TrialPlace across = trial_place(place.x, flow.x, width);
  const TrialPlace down = trial_place(place.y, flow.y, height);
  const int lower = lk::least(down.index + 1, height - 1);
  const int next = lk::least(across.index + 1, width - 1);
  const auto of_channel = [&](const DevicePlane<std::uint8_t>& from,
                              const DevicePlane<std::uint8_t>& to) {
    const std::uint8_t* above = to.row(down.index);
    const std::uint8_t* below = to.row(lower);
    return lk::trial_difference(from.at(place.x, place.y), above[across.index], above[next],
                                below[across.index], below[next], across.fraction, down.fraction);
  };
  int difference = of_channel(first.features, second.features);
  if (first.channels() > 1)
    difference = lk::mean_difference(difference, of_channel(first.colors[0], second.colors[0]),
                                     of_channel(first.colors[1], second.colors[1]));
  return across.inside && down.inside ? difference : lk::most(difference, lk::kTrialMost);
}

// The differences of all trials, each pixel under the flow of the pixel at `offsets[k]` from it,
// and their sums along rows. All threads of the block call it together. Trials are worked on in
// parallel, because a single one would mostly wait.
template <int kTile, int kThreads>
__device__ void sum_along(const DeviceFrameLevel& first, const DeviceFrameLevel& second,
                          const DeviceField& flow, const lk::Offset* offsets, int count,
                          int2 origin, TrialTile<kTile, kThreads>* trials) {
  constexpr int kRegion = TrialTile<kTile, kThreads>::kRegion;
  const int width = flow.u.width, height = flow.u.height;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 4
  for (int i = thread; i < count * kRegion * kRegion; i += kThreads) {
    const int k = i / (kRegion * kRegion), row = i / kRegion % kRegion, column = i % kRegion;
    const int x = origin.x - lk::kTrialRadius + column, y = origin.y - lk::kTrialRadius + row;
    int difference = 0;
    const bool there = x >= 0 && x < width && y >= 0 && y < height;
    if (there && (first.mask.data == nullptr || first.mask.at(x, y) != 0)) {
      const int fx = lk::clamped(x + offsets[k].x, width);
      const int fy = lk::clamped(y + offsets[k].y, height);
      difference = difference_at(first, second, {x, y}, {flow.u.at(fx, fy), flow.v.at(fx, fy)});
    }
    trials[k].differences[row][column] = static_cast<std::uint16_t>(difference);
  }
  __syncthreads();
#pragma unroll 2
  for (int i = thread; i < count * kRegion * kTile; i += kThreads) {
    const int k = i / (kRegion * kTile), row = i / kTile % kRegion, column = i % kTile;
    int sum = 0;
#pragma unroll
    for (int n = 0; n < kTrialSide; ++n) sum += trials[k].differences[row][column + n];
    trials[k].along[row][column] = static_cast<std::uint16_t>(sum);
  }
  __syncthreads();
}

// The sums around the pixels of a thread.
template <int kTile, int kThreads>
__device__ void sum_down(const TrialTile<kTile, kThreads>& trial, int column, int top,
                         int (&sums)[TrialTile<kTile, kThreads>::kRun]) {
  int sum = 0;
#pragma unroll
  for (int n = 0; n < kTrialSide - 1; ++n) sum += trial.along[top + n][column];
#pragma unroll
  for (int n = 0; n < TrialTile<kTile, kThreads>::kRun; ++n) {
    sum += trial.along[top + n + kTrialSide - 1][column];
    sums[n] = sum;
    sum -= trial.along[top + n][column];
  }
}

// Whether any pixel of a tile counts. All threads of the block call it together.
template <int kTile, int kThreads>
__device__ bool tile_counts(const DevicePlane<std::uint8_t>& mask, int2 origin) {
  if (mask.data == nullptr) return true;
  bool own = false;
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kThreads) {
    const int x = origin.x + i % kTile, y = origin.y + i / kTile;
    own = own || (x < mask.width && y < mask.height && mask.at(x, y) != 0);
  }
  return __syncthreads_or(own ? 1 : 0) != 0;
}
// Calls body(x, y) for the pixels of a tile, which the threads of the block share.
template <int kTile, int kThreads, class Body>
__device__ void for_tile(int width, int height, int2 origin, const Body& body) {
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kThreads) {
    const int x = origin.x + i % kTile, y = origin.y + i / kTile;
    if (x < width && y < height) body(x, y);
  }
}

template <int kTile>
dim3 trial_grid(int width, int height) {
  const auto blocks = [](int size) { return static_cast<unsigned>((size + kTile - 1) / kTile); };
  return {blocks(width), blocks(height)};
}

}  // namespace fovea::flow::cuda
