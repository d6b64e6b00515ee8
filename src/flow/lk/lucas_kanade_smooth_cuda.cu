// The median filter between steps and the enlargement between levels, on CUDA.
#include "flow/lk/lucas_kanade_median_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::after_previous;
using fovea::cuda::launch_after;

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
} kTuning;

dim3 grid_over(int width, int height, int planes) {
  const auto blocks = [](int size, int step) {
    return static_cast<unsigned>((size + step - 1) / step);
  };
  return {blocks(width, kTuning.block_x), blocks(height, kTuning.block_y),
          static_cast<unsigned>(planes)};
}
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

template <int kRadius>
__global__ void __launch_bounds__(kTuning.block_x* kTuning.block_y)
    median_kernel(DeviceField in, DeviceField out) {
  after_previous();
  constexpr int kSide = 2 * kRadius + 1;
  constexpr int kWidth = kTuning.block_x + 2 * kRadius, kHeight = kTuning.block_y + 2 * kRadius;
  __shared__ float tile[kHeight][kWidth];
  const DevicePlane<float> from = blockIdx.z == 0 ? in.u : in.v;
  const DevicePlane<float> to = blockIdx.z == 0 ? out.u : out.v;
  const int x0 = static_cast<int>(blockIdx.x) * kTuning.block_x;
  const int y0 = static_cast<int>(blockIdx.y) * kTuning.block_y;
  const int column = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
  const int thread = line * kTuning.block_x + column;
  constexpr int kThreadCount = kTuning.block_x * kTuning.block_y;
  for (int i = thread; i < kWidth * kHeight; i += kThreadCount)
    tile[i / kWidth][i % kWidth] = from.at(lk::clamped(x0 + i % kWidth - kRadius, from.width),
                                           lk::clamped(y0 + i / kWidth - kRadius, from.height));
  __syncthreads();
  const int x = x0 + column, y = y0 + line;
  if constexpr (kRadius == 2) {
    // Columns are sorted once for the five pixels that share them.
    __shared__ float sorted[kSide][kTuning.block_y][kWidth];
    for (int i = thread; i < kWidth * kTuning.block_y; i += kThreadCount) {
      float of_column[kSide];
#pragma unroll
      for (int j = 0; j < kSide; ++j) of_column[j] = tile[i / kWidth + j][i % kWidth];
      sort5(of_column);
#pragma unroll
      for (int j = 0; j < kSide; ++j) sorted[j][i / kWidth][i % kWidth] = of_column[j];
    }
    __syncthreads();
    if (x >= to.width || y >= to.height) return;
    float values[kSide][kSide];
#pragma unroll
    for (int j = 0; j < kSide; ++j)
#pragma unroll
      for (int i = 0; i < kSide; ++i) values[j][i] = sorted[j][line][column + i];
    to.at(x, y) = middle_of_sorted(values);
  } else {
    if (x >= to.width || y >= to.height) return;
    float set[kSide * kSide];
#pragma unroll
    for (int j = 0; j < kSide; ++j)
#pragma unroll
      for (int i = 0; i < kSide; ++i) set[j * kSide + i] = tile[line + j][column + i];
    to.at(x, y) = middle(set);
  }
}

__device__ void enlarge_at(DevicePlane<float> in, DevicePlane<float> out, float scale) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out.width || y >= out.height) return;
  const float* above = in.row(y / 2);
  const float* below = in.row(lk::least((y + 1) / 2, in.height - 1));
  const auto column = [&](int i) { return above[i] + below[i]; };
  const int next = lk::least((x + 1) / 2, in.width - 1);
  out.at(x, y) = (column(x / 2) + column(next)) * scale;
}
__global__ void enlarge_field_kernel(DeviceField in, DeviceField out) {
  after_previous();
  if (blockIdx.z == 0) enlarge_at(in.u, out.u, 0.5F);
  else enlarge_at(in.v, out.v, 0.5F);
}
__global__ void enlarge_plane_kernel(DevicePlane<float> in, DevicePlane<float> out) {
  after_previous();
  enlarge_at(in, out, 0.25F);
}

}  // namespace

void median(const DeviceField& in, const DeviceField& out, int radius, cudaStream_t stream) {
  const dim3 grid = grid_over(out.u.width, out.u.height, 2);
  launch_after(radius == 1 ? median_kernel<1> : median_kernel<2>, {grid, kThreads}, stream,
               "median of a flow", in, out);
}

void enlarge(const DeviceField& in, const DeviceField& out, cudaStream_t stream) {
  launch_after(enlarge_field_kernel, {grid_over(out.u.width, out.u.height, 2), kThreads}, stream,
               "enlarging a flow", in, out);
}
void enlarge(DevicePlane<float> confidence, DevicePlane<float> out, cudaStream_t stream) {
  launch_after(enlarge_plane_kernel, {grid_over(out.width, out.height, 1), kThreads}, stream,
               "enlarging a confidence", confidence, out);
}

}  // namespace fovea::flow::cuda
