// One round of propagation on CUDA: up to nine flows are tried at each pixel of a tile, one after
// the other.
#include "flow/lk/trial_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::check_launch;

// Whose flow is tried: the pixel's own first.
struct Trials {
  lk::Offset offset[lk::kTrials + 1];
  int count;
};

__global__ void __launch_bounds__(kTrialThreads)
    propagate_kernel(DevicePropagation job, const __grid_constant__ Trials trials) {
  __shared__ TrialMemory memory;
  const int2 origin{static_cast<int>(blockIdx.x) * kTrialTile,
                    static_cast<int>(blockIdx.y) * kTrialTile};
  int least[kTrialRun], best[kTrialRun], sums[kTrialRun];
  for (int k = 0; k < trials.count; ++k) {
    trial_sums(job.first, job.second, job.in, trials.offset[k], origin, memory, sums);
#pragma unroll
    for (int n = 0; n < kTrialRun; ++n) {
      if (k > 0 && sums[n] >= least[n]) continue;
      least[n] = sums[n];
      best[n] = k;
    }
  }
  const int thread = static_cast<int>(threadIdx.x);
  const int width = job.in.u.width, height = job.in.u.height;
  const int x = origin.x + thread % kTrialTile;
  if (x >= width) return;
#pragma unroll
  for (int n = 0; n < kTrialRun; ++n) {
    const int y = origin.y + thread / kTrialTile * kTrialRun + n;
    if (y >= height) return;
    const bool counts = job.first.mask.data == nullptr || job.first.mask.at(x, y) != 0;
    const lk::Offset offset = trials.offset[counts ? best[n] : 0];
    const int fx = lk::clamped(x + offset.x, width), fy = lk::clamped(y + offset.y, height);
    job.out.u.at(x, y) = job.in.u.at(fx, fy);
    job.out.v.at(x, y) = job.in.v.at(fx, fy);
  }
}

}  // namespace

void propagate(const DevicePropagation& request, cudaStream_t stream) {
  Trials trials{{}, 1};
  for (int k = request.first_trial; k < request.last_trial; ++k)
    trials.offset[trials.count++] = {lk::kTrialOffsets[k].x * request.distance,
                                     lk::kTrialOffsets[k].y * request.distance};
  propagate_kernel<<<trial_grid(request.out.u.width, request.out.u.height), kTrialThreads, 0,
                     stream>>>(request, trials);
  check_launch("propagation of a flow");
}

}  // namespace fovea::flow::cuda
