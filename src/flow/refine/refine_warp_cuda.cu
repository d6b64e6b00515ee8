// Variational refinement on CUDA: gray levels, and the warp of the second image with all
// derivatives in one launch. A block warps its tile and the pixels that second derivatives reach.
#include "flow/refine/refine_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::after_previous;
using fovea::cuda::grid_over;
using fovea::cuda::launch_after;
using fovea::cuda::thread_place;
using lk::clamped;

constexpr int kWarpWidth = 32, kWarpHeight = 8;  // pixels of a tile, one thread each
constexpr int kSlope = refine::kStencil / 2;     // pixels that a derivative reaches
constexpr int kWarpThreads = kWarpWidth * kWarpHeight;

dim3 warp_threads() { return dim3(kWarpWidth, kWarpHeight); }
template <class Kernel, class... Arguments>
void launch_over(Kernel* kernel, const FloatPlane& plane, cudaStream_t stream, const char* what,
                 const Arguments&... arguments) {
  launch_after(kernel, {grid_over(plane.width, plane.height, warp_threads()), warp_threads()},
               stream, what, arguments...);
}

__device__ bool inside(const FloatPlane& plane, int2 place) {
  return place.x < plane.width && place.y < plane.height;
}

__global__ void gray_kernel(DeviceGray units, FloatPlane out) {
  after_previous();
  const int2 at = thread_place();
  if (!inside(out, at)) return;
  const int unit = units.at(at.x, at.y);
  out.at(at.x, at.y) =
      unit == lk::kNoGray ? 0.0F : static_cast<float>(unit) * (1.0F / lk::kGrayUnits);
}

__global__ void mean_kernel(DevicePlane<const float> red, DevicePlane<const float> green,
                            DevicePlane<const float> blue, FloatPlane out) {
  after_previous();
  const int2 at = thread_place();
  if (!inside(out, at)) return;
  out.at(at.x, at.y) =
      refine::mean_of(red.at(at.x, at.y), green.at(at.x, at.y), blue.at(at.x, at.y));
}

struct Landed {
  lk::Landing across, down;
};
__device__ Landed landed(const DeviceField& base, int x, int y) {
  return {lk::landing(x, base.u.at(x, y), base.u.width),
          lk::landing(y, base.v.at(x, y), base.u.height)};
}

// Whether a pixel of the first image counts, and all that are interpolated for it.
__device__ float counted(const DeviceRefine& job, int x, int y, const Landed& at) {
  if (!job.first.features.counts(x, y)) return 0;
  const DevicePlane<std::uint8_t>& mask = job.second.features.mask;
  if (mask.data == nullptr) return 1;
  for (int dy = -1; dy <= 2; ++dy)
    for (int dx = -1; dx <= 2; ++dx)
      if (mask.at(clamped(at.across.index + dx, mask.width),
                  clamped(at.down.index + dy, mask.height)) == 0)
        return 0;
  return 1;
}

__device__ float interpolated(const FloatPlane& gray, const Landed& at) {
  const refine::Cubic cx = refine::cubic(at.across.fraction), cy = refine::cubic(at.down.fraction);
  const float* rows[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) rows[k] = gray.row(clamped(at.down.index + k - 1, gray.height));
  float columns[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int x = clamped(at.across.index + k - 1, gray.width);
    columns[k] = refine::weighted(cy, rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
  }
  return refine::weighted(cx, columns[0], columns[1], columns[2], columns[3]);
}

// A tile with its surroundings. Places beyond the image hold what the border has.
struct WarpTile {
  static constexpr int kWidth = kWarpWidth + 2 * refine::kStencil;
  static constexpr int kHeight = kWarpHeight + 2 * refine::kStencil;
  static constexpr int kInnerWidth = kWarpWidth + 2 * kSlope;
  static constexpr int kInnerHeight = kWarpHeight + 2 * kSlope;
  float mean[kHeight][kWidth], difference[kHeight][kWidth];
  float counted[kHeight][kWidth];  // with masks only
  float dx[kInnerHeight][kInnerWidth], dy[kInnerHeight][kInnerWidth];
};

template <int kWidth, int kHeight>
__device__ float across(const float (&plane)[kHeight][kWidth], int x, int y) {
  return refine::derivative(plane[y][x - 2], plane[y][x - 1], plane[y][x + 1], plane[y][x + 2]);
}
template <int kWidth, int kHeight>
__device__ float down(const float (&plane)[kHeight][kWidth], int x, int y) {
  return refine::derivative(plane[y - 2][x], plane[y - 1][x], plane[y + 1][x], plane[y + 2][x]);
}

__device__ void warp_tile(const DeviceRefine& job, const DeviceField& base, int2 origin,
                          bool masked, WarpTile* tile) {
  const int thread = static_cast<int>(threadIdx.y) * kWarpWidth + static_cast<int>(threadIdx.x);
  const FloatPlane& gray = job.second.gray;
  for (int i = thread; i < WarpTile::kWidth * WarpTile::kHeight; i += kWarpThreads) {
    const int column = i % WarpTile::kWidth, row = i / WarpTile::kWidth;
    const int x = clamped(origin.x - refine::kStencil + column, gray.width);
    const int y = clamped(origin.y - refine::kStencil + row, gray.height);
    const Landed at = landed(base, x, y);
    const float there = interpolated(gray, at), here = job.first.gray.at(x, y);
    tile->mean[row][column] = (here + there) * 0.5F;
    tile->difference[row][column] = there - here;
    if (masked) tile->counted[row][column] = counted(job, x, y, at);
  }
  __syncthreads();
  for (int i = thread; i < WarpTile::kInnerWidth * WarpTile::kInnerHeight; i += kWarpThreads) {
    const int column = i % WarpTile::kInnerWidth, row = i / WarpTile::kInnerWidth;
    const int x = clamped(origin.x - kSlope + column, gray.width) - origin.x + refine::kStencil;
    const int y = clamped(origin.y - kSlope + row, gray.height) - origin.y + refine::kStencil;
    tile->dx[row][column] = across(tile->mean, x, y);
    tile->dy[row][column] = down(tile->mean, x, y);
  }
  __syncthreads();
}

// No data where a derivative would touch a pixel that does not count.
__device__ float valid_at(const DeviceField& base, int2 at, const WarpTile& tile, bool masked) {
  const Landed landing = landed(base, at.x, at.y);
  float least = landing.across.inside && landing.down.inside ? 1.0F : 0.0F;
  if (!masked) return least;
  for (int dy = 0; dy <= 2 * refine::kStencil; ++dy)
    for (int dx = 0; dx <= 2 * refine::kStencil; ++dx)
      least = fminf(least, tile.counted[threadIdx.y + dy][threadIdx.x + dx]);
  return least;
}

__global__ void __launch_bounds__(kWarpThreads) warp_kernel(DeviceRefine job, DeviceField base) {
  __shared__ WarpTile tile;
  after_previous();
  const int2 at = thread_place();
  const int2 origin{static_cast<int>(blockIdx.x) * kWarpWidth,
                    fovea::cuda::block_row() * kWarpHeight};
  if (origin.y >= base.u.height) return;
  const bool masked =
      job.first.features.mask.data != nullptr || job.second.features.mask.data != nullptr;
  warp_tile(job, base, origin, masked, &tile);
  if (!inside(base.u, at)) return;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int i = x + kSlope, j = y + kSlope;                      // among derivatives
  const int k = x + refine::kStencil, l = y + refine::kStencil;  // among differences
  job.warp.first.at(at.x, at.y) =
      make_float4(tile.dx[j][i], tile.dy[j][i], tile.difference[l][k], across(tile.dx, i, j));
  job.warp.second.at(at.x, at.y) =
      make_float4(down(tile.dx, i, j), down(tile.dy, i, j), across(tile.difference, k, l),
                  down(tile.difference, k, l));
  job.warp.valid.at(at.x, at.y) = valid_at(base, at, tile, masked);
}

}  // namespace

void to_gray_levels(DeviceGray units, const FloatPlane& out, cudaStream_t stream) {
  launch_over(gray_kernel, out, stream, "gray levels", units, out);
}
void mean_of_channels(const DevicePlane<const float> (&channels)[3], const FloatPlane& out,
                      cudaStream_t stream) {
  launch_over(mean_kernel, out, stream, "the mean of colors", channels[0], channels[1], channels[2],
              out);
}
void refine_warp(const DeviceRefine& job, const DeviceField& base, cudaStream_t stream) {
  launch_over(warp_kernel, base.u, stream, "warping", job, base);
}

}  // namespace fovea::flow::cuda
