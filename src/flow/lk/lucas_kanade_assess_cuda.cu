// Confidence of a level's flow on CUDA: from the remaining differences, from the systems of the
// last step, and from how the flow varies around each pixel.
#include "flow/lk/lucas_kanade_trial_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

constexpr int kTile = 32;      // side of a tile, in pixels
constexpr int kThreads = 256;  // threads per block

// The largest minus the smallest of nine pixels.
__device__ float variation(const DevicePlane<float>& plane, int x, int y) {
  float low = plane.at(x, y), high = low;
#pragma unroll
  for (int j = -1; j <= 1; ++j) {
    const float* row = plane.row(lk::clamped(y + j * lk::kSpacing, plane.height));
#pragma unroll
    for (int i = -1; i <= 1; ++i) {
      const float value = row[lk::clamped(x + i * lk::kSpacing, plane.width)];
      low = fminf(low, value);
      high = fmaxf(high, value);
    }
  }
  return high - low;
}

__device__ float sample(const DevicePlane<float>& plane, const lk::Landing& across,
                        const lk::Landing& down) {
  const float* upper = plane.row(down.index);
  const float* lower = plane.row(lk::least(down.index + 1, plane.height - 1));
  const int right = lk::least(across.index + 1, plane.width - 1);
  return lk::blended(lk::blended(upper[across.index], upper[right], across.fraction),
                     lk::blended(lower[across.index], lower[right], across.fraction),
                     down.fraction);
}

__device__ float confidence_at(const DeviceAssessment& job, int x, int y, int residual) {
  const float u = job.flow.u.at(x, y), v = job.flow.v.at(x, y);
  const lk::Landing across = lk::landing(x, u, job.flow.u.width);
  const lk::Landing down = lk::landing(y, v, job.flow.u.height);
  const float eigenvalue = job.eigenvalues.at(x, y);
  if (!(eigenvalue > job.min_eigenvalue) || !across.inside || !down.inside) return 0;
  float doubt = lk::doubt({static_cast<float>(residual), eigenvalue,
                           variation(job.flow.u, x, y) + variation(job.flow.v, x, y), job.pixel});
  if (job.backward.u.data != nullptr) {
    const float du = u + sample(job.backward.u, across, down);
    const float dv = v + sample(job.backward.v, across, down);
    doubt = lk::doubt_both_ways(doubt, std::sqrt(std::fma(du, du, dv * dv)), job.pixel);
  }
  return lk::confidence_of(doubt);
}

__global__ void __launch_bounds__(kThreads) assess_kernel(DeviceAssessment job, lk::Offset none) {
  __shared__ TrialTile<kTile, kThreads> tile;
  fovea::cuda::after_previous();
  constexpr int kRun = TrialTile<kTile, kThreads>::kRun;
  const int2 origin{static_cast<int>(blockIdx.x) * kTile, static_cast<int>(blockIdx.y) * kTile};
  if (!tile_counts<kTile, kThreads>(job.first.mask, origin)) {  // no system had any pixels
    for_tile<kTile, kThreads>(job.flow.u.width, job.flow.u.height, origin,
                              [&](int x, int y) { job.confidence.at(x, y) = 0; });
    return;
  }
  sum_along(job.first, job.second, job.flow, &none, 1, origin, &tile);
  const int thread = static_cast<int>(threadIdx.x);
  const int column = thread % kTile, top = thread / kTile * kRun;
  int sums[kRun];
  sum_down(tile, column, top, sums);
  const int x = origin.x + column;
  if (x >= job.flow.u.width) return;
#pragma unroll
  for (int n = 0; n < kRun; ++n) {
    const int y = origin.y + top + n;
    if (y >= job.flow.u.height) return;
    job.confidence.at(x, y) = confidence_at(job, x, y, sums[n]);
  }
}

}  // namespace

void assess(const DeviceAssessment& request, cudaStream_t stream) {
  fovea::cuda::launch_after(
      assess_kernel, {trial_grid<kTile>(request.flow.u.width, request.flow.u.height), kThreads},
      stream, "confidence of a flow", request, lk::Offset{0, 0});
}

}  // namespace fovea::flow::cuda
