// Fuses the fields of both methods on CUDA by the differences that remain in 7x7 pixels under each,
// and hands over the refined field.
#include "flow/lk/lucas_kanade_trial_cuda.cuh"
#include "flow/refine/refine_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

constexpr int kFuseTile = 32;      // side of a tile, in pixels
constexpr int kFuseThreads = 256;  // threads per block
using FuseTile = TrialTile<kFuseTile, kFuseThreads>;

__global__ void __launch_bounds__(kFuseThreads) fuse_kernel(DeviceFusion job, lk::Offset none) {
  __shared__ FuseTile tile;
  fovea::cuda::after_previous();
  constexpr int kRun = FuseTile::kRun;
  const int2 origin{static_cast<int>(blockIdx.x) * kFuseTile,
                    static_cast<int>(blockIdx.y) * kFuseTile};
  const int thread = static_cast<int>(threadIdx.x);
  const int column = thread % kFuseTile, top = thread / kFuseTile * kRun;
  int own[kRun], other[kRun];
  sum_along(job.first, job.second, job.own, &none, 1, origin, &tile);
  sum_down(tile, column, top, own);
  __syncthreads();
  sum_along(job.first, job.second, job.other, &none, 1, origin, &tile);
  sum_down(tile, column, top, other);
  const int x = origin.x + column;
  if (x >= job.out.u.width) return;
#pragma unroll
  for (int n = 0; n < kRun; ++n) {
    const int y = origin.y + top + n;
    if (y >= job.out.u.height) return;
    const bool better =
        job.first.counts(x, y) ? other[n] + refine::kFuseMargin < own[n] : job.other_beyond_mask;
    const DeviceField& from = better ? job.other : job.own;
    job.out.u.at(x, y) = from.u.at(x, y);
    job.out.v.at(x, y) = from.v.at(x, y);
  }
}

__global__ void settle_kernel(DeviceField field, DeviceField to, FloatPlane confidence) {
  fovea::cuda::after_previous();
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= to.u.width || at.y >= to.u.height) return;
  const float u = field.u.at(at.x, at.y), v = field.v.at(at.x, at.y);
  if (confidence.data != nullptr) {
    float& value = confidence.at(at.x, at.y);
    value = refine::doubted(value, u - to.u.at(at.x, at.y), v - to.v.at(at.x, at.y));
  }
  to.u.at(at.x, at.y) = u;
  to.v.at(at.x, at.y) = v;
}

}  // namespace

void fuse(const DeviceFusion& job, cudaStream_t stream) {
  fovea::cuda::launch_after(
      fuse_kernel, {trial_grid<kFuseTile>(job.out.u.width, job.out.u.height), kFuseThreads}, stream,
      "fusing two flows", job, lk::Offset{0, 0});
}
void settle(const DeviceField& field, const DeviceField& to, const FloatPlane& confidence,
            cudaStream_t stream) {
  const dim3 threads(32, 8);
  fovea::cuda::launch_after(settle_kernel,
                            {fovea::cuda::grid_over(to.u.width, to.u.height, threads), threads},
                            stream, "handing over a flow", field, to, confidence);
}

}  // namespace fovea::flow::cuda
