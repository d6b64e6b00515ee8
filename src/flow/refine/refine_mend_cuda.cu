// The weighted median that ends the refinement, on CUDA: one thread per pixel, with the flow around
// a tile in shared memory and the weights in registers.
#include "flow/refine/refine_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using lk::clamped;
using refine::kMendSide;

constexpr int kMendWidth = 32, kMendHeight = 8;  // pixels of a tile, one thread each
constexpr int kMendThreads = kMendWidth * kMendHeight;

// A tile with its surroundings. Places beyond the image hold what the border has.
struct MendTile {
  static constexpr int kWidth = kMendWidth + 2 * refine::kMendRadius;
  static constexpr int kHeight = kMendHeight + 2 * refine::kMendRadius;
  float u[kHeight][kWidth], v[kHeight][kWidth];
  float gray[kHeight][kWidth], weight[kHeight][kWidth];
};

__device__ float weight_at(const DeviceRefine& job, const DeviceField& field, int x, int y) {
  const int width = field.u.width, height = field.u.height;
  const float across =
      field.u.at(lk::least(x + 1, width - 1), y) - field.u.at(lk::most(x - 1, 0), y);
  const float down =
      field.v.at(x, lk::least(y + 1, height - 1)) - field.v.at(x, lk::most(y - 1, 0));
  return refine::mend_weight((across + down) * 0.5F, job.warp.first.at(x, y).z,
                             job.warp.valid.at(x, y), job.first.features.counts(x, y));
}

// Calls body with a component's value at each of the taps and with its number. The first tap is at
// (x, y).
template <class Body>
__device__ void for_mend_taps(const float (&plane)[MendTile::kHeight][MendTile::kWidth], int x,
                              int y, const Body& body) {
#pragma unroll
  for (int j = 0; j < kMendSide; ++j)
#pragma unroll
    for (int i = 0; i < kMendSide; ++i) body(plane[y + j][x + i], j * kMendSide + i);
}

// The weighted median of one component around the pixel whose first tap is at (x, y).
__device__ float mended(const float (&plane)[MendTile::kHeight][MendTile::kWidth], int x, int y,
                        const float (&shares)[refine::kMendTaps], float half) {
  refine::MendBracket bracket;
  for_mend_taps(plane, x, y, [&](float value, int k) {
    if (shares[k] > 0) bracket.take(value);
  });
  if (bracket.flat()) return plane[y + refine::kMendRadius][x + refine::kMendRadius];
  for (int step = 0; step < refine::kMendSteps; ++step) {
    const float at = bracket.middle();
    float below = 0;
    for_mend_taps(plane, x, y,
                  [&](float value, int k) { below += value <= at ? shares[k] : 0.0F; });
    bracket.narrow(at, below, half);
  }
  float least = FLT_MAX;
  for_mend_taps(plane, x, y, [&](float value, int k) {
    if (shares[k] > 0 && value > bracket.under && value < least) least = value;
  });
  return least;
}

__global__ void __launch_bounds__(kMendThreads)
    mend_kernel(DeviceRefine job, DeviceField in, DeviceField out) {
  __shared__ MendTile tile;
  fovea::cuda::after_previous();
  const int x0 = static_cast<int>(blockIdx.x) * kMendWidth;
  const int y0 = fovea::cuda::block_row() * kMendHeight;
  if (y0 >= in.u.height) return;
  const int column = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
  for (int i = line * kMendWidth + column; i < MendTile::kWidth * MendTile::kHeight;
       i += kMendThreads) {
    const int x = clamped(x0 + i % MendTile::kWidth - refine::kMendRadius, in.u.width);
    const int y = clamped(y0 + i / MendTile::kWidth - refine::kMendRadius, in.u.height);
    tile.u[i / MendTile::kWidth][i % MendTile::kWidth] = in.u.at(x, y);
    tile.v[i / MendTile::kWidth][i % MendTile::kWidth] = in.v.at(x, y);
    tile.gray[i / MendTile::kWidth][i % MendTile::kWidth] = job.first.gray.at(x, y);
    tile.weight[i / MendTile::kWidth][i % MendTile::kWidth] = weight_at(job, in, x, y);
  }
  __syncthreads();
  const int x = x0 + column, y = y0 + line;
  if (x >= in.u.width || y >= in.u.height) return;
  const float gray = tile.gray[line + refine::kMendRadius][column + refine::kMendRadius];
  const float here = tile.weight[line + refine::kMendRadius][column + refine::kMendRadius];
  float shares[refine::kMendTaps], sum = 0;
#pragma unroll
  for (int j = 0; j < kMendSide; ++j)
#pragma unroll
    for (int i = 0; i < kMendSide; ++i) {
      const float share = refine::mend_share(tile.weight[line + j][column + i], here,
                                             tile.gray[line + j][column + i] - gray);
      shares[j * kMendSide + i] = share;
      sum += share;
    }
  out.u.at(x, y) = mended(tile.u, column, line, shares, sum * 0.5F);
  out.v.at(x, y) = mended(tile.v, column, line, shares, sum * 0.5F);
}

}  // namespace

void mend(const DeviceRefine& job, const DeviceField& in, const DeviceField& out,
          cudaStream_t stream) {
  const dim3 threads(kMendWidth, kMendHeight);
  fovea::cuda::launch_after(mend_kernel,
                            {fovea::cuda::grid_over(in.u.width, in.u.height, threads), threads},
                            stream, "a weighted median", job, in, out);
}

}  // namespace fovea::flow::cuda
