// One round of propagation on CUDA: up to nine flows are tried at each pixel of a tile.
#include "flow/lk/lucas_kanade_trial_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

// Large tiles compute fewer pixels twice. Small tiles with many threads finish sooner where there
// are few tiles.
constexpr struct {
  int large = 32, large_threads = 256;   // side of a tile, pixels, and threads of its block
  int small = 16, small_threads = 1024;  // the same for small tiles
  int few_pixels = 264 * 32 * 32;        // up to so many pixels, tiles are small
} kTuning;

// Whose flow is tried; the pixel's own comes first.
struct Trials {
  lk::Offset offset[lk::kTrials + 1];
  int count;
};

template <int kTile, int kThreads>
__global__ void __launch_bounds__(kThreads)
    propagate_kernel(DevicePropagation job, const __grid_constant__ Trials trials) {
  extern __shared__ uint4 shared[];
  fovea::cuda::after_previous();
  auto* tiles = reinterpret_cast<TrialTile<kTile, kThreads>*>(shared);
  constexpr int kRun = TrialTile<kTile, kThreads>::kRun;
  const int2 origin{static_cast<int>(blockIdx.x) * kTile, static_cast<int>(blockIdx.y) * kTile};
  if (!tile_counts<kTile, kThreads>(job.first.mask, origin)) {
    for_tile<kTile, kThreads>(job.in.u.width, job.in.u.height, origin, [&](int x, int y) {
      job.out.u.at(x, y) = job.in.u.at(x, y);
      job.out.v.at(x, y) = job.in.v.at(x, y);
    });
    return;
  }
  sum_along(job.first, job.second, job.in, trials.offset, trials.count, origin, tiles);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread >= kTile * kTile / kRun) return;
  const int column = thread % kTile, top = thread / kTile * kRun;
  int least[kRun], best[kRun], sums[kRun];
  for (int k = 0; k < trials.count; ++k) {
    sum_down(tiles[k], column, top, sums);
#pragma unroll
    for (int n = 0; n < kRun; ++n) {
      if (k > 0 && sums[n] >= least[n]) continue;
      least[n] = sums[n];
      best[n] = k;
    }
  }
  const int width = job.in.u.width, height = job.in.u.height;
  const int x = origin.x + column;
  if (x >= width) return;
#pragma unroll
  for (int n = 0; n < kRun; ++n) {
    const int y = origin.y + top + n;
    if (y >= height) return;
    const bool counts = job.first.mask.data == nullptr || job.first.mask.at(x, y) != 0;
    const lk::Offset offset = trials.offset[counts ? best[n] : 0];
    const int fx = lk::clamped(x + offset.x, width), fy = lk::clamped(y + offset.y, height);
    job.out.u.at(x, y) = job.in.u.at(fx, fy);
    job.out.v.at(x, y) = job.in.v.at(fx, fy);
  }
}

template <int kTile, int kThreads>
void launch(const DevicePropagation& request, const Trials& trials, cudaStream_t stream) {
  constexpr std::size_t kMost = (lk::kTrials + 1) * sizeof(TrialTile<kTile, kThreads>);
  fovea::cuda::allow_shared(propagate_kernel<kTile, kThreads>, kMost, "propagation of a flow");
  fovea::cuda::launch_after(
      propagate_kernel<kTile, kThreads>,
      {trial_grid<kTile>(request.out.u.width, request.out.u.height), kThreads,
       static_cast<std::size_t>(trials.count) * sizeof(TrialTile<kTile, kThreads>)},
      stream, "propagation of a flow", request, trials);
}

}  // namespace

void propagate(const DevicePropagation& request, cudaStream_t stream) {
  Trials trials{{}, 1};
  for (int k = request.first_trial; k < request.last_trial; ++k)
    trials.offset[trials.count++] = {lk::kTrialOffsets[k].x * request.distance,
                                     lk::kTrialOffsets[k].y * request.distance};
  if (static_cast<std::int64_t>(request.out.u.width) * request.out.u.height <= kTuning.few_pixels)
    launch<kTuning.small, kTuning.small_threads>(request, trials, stream);
  else launch<kTuning.large, kTuning.large_threads>(request, trials, stream);
}

}  // namespace fovea::flow::cuda
