// Variational refinement on CUDA: the warp, the systems, and relaxations. A block relaxes its tile
// and as many pixels around it as the relaxations reach, in shared memory: the order of a
// checkerboard makes every pixel's value the same in each of the tiles that compute it.
#include "flow/refine/refine_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::after_previous;
using fovea::cuda::grid_over;
using fovea::cuda::launch_after;
using fovea::cuda::thread_place;
using lk::clamped;

constexpr struct {
  int block_x = 32, block_y = 8;
  int tile = 32;            // side of the pixels that a block relaxes
  int relax_threads = 512;  // threads of such a block
} kRefineTuning;
constexpr int kStencil = 4;  // pixels that second derivatives reach

dim3 refine_threads() { return dim3(kRefineTuning.block_x, kRefineTuning.block_y); }
template <class Kernel, class... Arguments>
void launch_over(Kernel* kernel, const FloatPlane& plane, cudaStream_t stream, const char* what,
                 const Arguments&... arguments) {
  launch_after(kernel, {grid_over(plane.width, plane.height, refine_threads()), refine_threads()},
               stream, what, arguments...);
}

__device__ bool inside(const FloatPlane& plane, int2 place) {
  return place.x < plane.width && place.y < plane.height;
}
__device__ float near(const FloatPlane& plane, int x, int y) {
  return plane.at(clamped(x, plane.width), clamped(y, plane.height));
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

// Whether a pixel of the first image counts, and all that are interpolated for it.
__device__ float counted(const DeviceRefine& job, int2 at, int i, int j) {
  if (!job.first.features.counts(at.x, at.y)) return 0;
  const DevicePlane<std::uint8_t>& mask = job.second.features.mask;
  if (mask.data == nullptr) return 1;
  for (int dy = -1; dy <= 2; ++dy)
    for (int dx = -1; dx <= 2; ++dx)
      if (mask.at(clamped(i + dx, mask.width), clamped(j + dy, mask.height)) == 0) return 0;
  return 1;
}

__global__ void warp_kernel(DeviceRefine job) {
  after_previous();
  const int2 at = thread_place();
  const FloatPlane& gray = job.second.gray;
  if (!inside(gray, at)) return;
  const lk::Landing across = lk::landing(at.x, job.space.base.u.at(at.x, at.y), gray.width);
  const lk::Landing down = lk::landing(at.y, job.space.base.v.at(at.x, at.y), gray.height);
  const refine::Cubic cx = refine::cubic(across.fraction), cy = refine::cubic(down.fraction);
  const float* rows[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) rows[k] = gray.row(clamped(down.index + k - 1, gray.height));
  float columns[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int x = clamped(across.index + k - 1, gray.width);
    columns[k] = refine::weighted(cy, rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
  }
  const float there = refine::weighted(cx, columns[0], columns[1], columns[2], columns[3]);
  const float here = job.first.gray.at(at.x, at.y);
  job.space.mean.at(at.x, at.y) = (here + there) * 0.5F;
  job.space.difference.at(at.x, at.y) = there - here;
  job.space.valid.at(at.x, at.y) = across.inside && down.inside ? 1.0F : 0.0F;
  if (job.space.counted.data != nullptr)
    job.space.counted.at(at.x, at.y) = counted(job, at, across.index, down.index);
}

// Derivatives of the mean; `valid` becomes 0 wherever one would touch a pixel that does not count.
__global__ void derive_kernel(DeviceRefineSpace space) {
  after_previous();
  const int2 at = thread_place();
  if (!inside(space.mean, at)) return;
  const auto mean = [&](int dx, int dy) { return near(space.mean, at.x + dx, at.y + dy); };
  space.dx.at(at.x, at.y) = refine::derivative(mean(-2, 0), mean(-1, 0), mean(1, 0), mean(2, 0));
  space.dy.at(at.x, at.y) = refine::derivative(mean(0, -2), mean(0, -1), mean(0, 1), mean(0, 2));
  if (space.counted.data == nullptr) return;
  float least = space.valid.at(at.x, at.y);
  for (int dy = -kStencil; dy <= kStencil; ++dy)
    for (int dx = -kStencil; dx <= kStencil; ++dx)
      least = fminf(least, near(space.counted, at.x + dx, at.y + dy));
  space.valid.at(at.x, at.y) = least;
}

__device__ float smoothness_at(const DeviceField& field, int x, int y, float alpha) {
  const float u = field.u.at(x, y), v = field.v.at(x, y);
  const float ux = near(field.u, x + 1, y) - u, uy = near(field.u, x, y + 1) - u;
  const float vx = near(field.v, x + 1, y) - v, vy = near(field.v, x, y + 1) - v;
  return refine::smoothness(ux, uy, vx, vy, alpha);
}

__global__ void system_kernel(DeviceRefine job, DeviceField field) {
  after_previous();
  const int2 at = thread_place();
  const int x = at.x, y = at.y;
  if (!inside(field.u, at)) return;
  const DeviceRefineSpace& space = job.space;
  const auto smooth = [&](int i, int j) { return smoothness_at(field, i, j, job.energy.alpha); };
  const float here = smooth(x, y), gray = job.first.gray.at(x, y);
  const float edge = job.energy.edge;
  float left = 0, right = 0, up = 0, down = 0;
  if (x > 0)
    left = refine::between(smooth(x - 1, y), here, gray - job.first.gray.at(x - 1, y), edge);
  if (x + 1 < field.u.width)
    right = refine::between(here, smooth(x + 1, y), job.first.gray.at(x + 1, y) - gray, edge);
  if (y > 0) up = refine::between(smooth(x, y - 1), here, gray - job.first.gray.at(x, y - 1), edge);
  if (y + 1 < field.u.height)
    down = refine::between(here, smooth(x, y + 1), job.first.gray.at(x, y + 1) - gray, edge);

  const auto across_of = [&](const FloatPlane& plane) {
    return refine::derivative(near(plane, x - 2, y), near(plane, x - 1, y), near(plane, x + 1, y),
                              near(plane, x + 2, y));
  };
  const auto down_of = [&](const FloatPlane& plane) {
    return refine::derivative(near(plane, x, y - 2), near(plane, x, y - 1), near(plane, x, y + 1),
                              near(plane, x, y + 2));
  };
  const refine::Derivatives d{
      space.dx.at(x, y), space.dy.at(x, y), space.difference.at(x, y),   across_of(space.dx),
      down_of(space.dx), down_of(space.dy), across_of(space.difference), down_of(space.difference)};
  const float u0 = space.base.u.at(x, y), v0 = space.base.v.at(x, y);
  const refine::System s = refine::data_system(
      d, {u0, v0, field.u.at(x, y) - u0, field.v.at(x, y) - v0}, space.valid.at(x, y), job.energy);
  const float around = (left + right) + (up + down);
  space.right.at(x, y) = right;
  space.down.at(x, y) = down;
  space.cross.at(x, y) = s.a12;
  space.want_u.at(x, y) = s.c1;
  space.want_v.at(x, y) = s.c2;
  space.inverse_u.at(x, y) = 1 / (s.a11 + around);
  space.inverse_v.at(x, y) = 1 / (s.a22 + around);
}

// A tile with its surroundings, in shared memory; places are those of the image.
struct RelaxTile {
  float *u, *v;
  int left, top;      // of the surroundings, within the image
  int width, height;  // of the surroundings, within the image
  __device__ int index(int x, int y) const { return (y - top) * width + (x - left); }
  __device__ bool holds(int x, int y) const {
    return x >= left && x < left + width && y >= top && y < top + height;
  }
};

// Neighbors that the tile does not hold have no weight at the border of the image; elsewhere what
// they would change does not reach the pixels that the block writes.
__device__ void relax_pixel(const DeviceRefineSpace& space, const RelaxTile& tile, int x, int y,
                            float omega) {
  const int own = tile.index(x, y);
  const auto at = [&](int i, int j) { return tile.holds(i, j) ? tile.index(i, j) : own; };
  const int i_left = at(x - 1, y), i_right = at(x + 1, y), i_up = at(x, y - 1),
            i_down = at(x, y + 1);
  const float left = x > 0 ? space.right.at(x - 1, y) : 0.0F, right = space.right.at(x, y);
  const float up = y > 0 ? space.down.at(x, y - 1) : 0.0F, down = space.down.at(x, y);
  const auto around = [&](const float* plane) {
    return (left * plane[i_left] + right * plane[i_right]) +
           (up * plane[i_up] + down * plane[i_down]);
  };
  const float cross = space.cross.at(x, y);
  const float u =
      refine::relaxed(tile.u[own], (space.want_u.at(x, y) + around(tile.u)) - cross * tile.v[own],
                      space.inverse_u.at(x, y), omega);
  const float v = refine::relaxed(tile.v[own], (space.want_v.at(x, y) + around(tile.v)) - cross * u,
                                  space.inverse_v.at(x, y), omega);
  tile.u[own] = u;
  tile.v[own] = v;
}

__global__ void relax_kernel(DeviceRefineSpace space, DeviceRelaxation fields, float omega) {
  extern __shared__ float relax_memory[];
  after_previous();
  const int halves = 2 * fields.relaxations;
  const int width = fields.in.u.width, height = fields.in.u.height;
  const int x0 = static_cast<int>(blockIdx.x) * kRefineTuning.tile;
  const int y0 = fovea::cuda::block_row() * kRefineTuning.tile;
  if (y0 >= height) return;
  const int x1 = lk::least(x0 + kRefineTuning.tile, width);
  const int y1 = lk::least(y0 + kRefineTuning.tile, height);
  RelaxTile tile;
  tile.left = lk::most(x0 - halves, 0);
  tile.top = lk::most(y0 - halves, 0);
  tile.width = lk::least(x1 + halves, width) - tile.left;
  tile.height = lk::least(y1 + halves, height) - tile.top;
  const int count = tile.width * tile.height;
  tile.u = relax_memory;
  tile.v = relax_memory + count;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < count; i += threads) {
    const int x = tile.left + i % tile.width, y = tile.top + i / tile.width;
    tile.u[i] = fields.in.u.at(x, y);
    tile.v[i] = fields.in.v.at(x, y);
  }
  __syncthreads();
  const int pairs = (tile.width + 1) / 2;
  for (int half = 0; half < halves; ++half) {
    for (int i = thread; i < pairs * tile.height; i += threads) {
      const int y = tile.top + i / pairs;
      const int x = tile.left + 2 * (i % pairs) + ((tile.left + y + half) & 1);
      if (x < tile.left + tile.width) relax_pixel(space, tile, x, y, omega);
    }
    __syncthreads();
  }
  for (int i = thread; i < kRefineTuning.tile * kRefineTuning.tile; i += threads) {
    const int x = x0 + i % kRefineTuning.tile, y = y0 + i / kRefineTuning.tile;
    if (x >= x1 || y >= y1) continue;
    const int from = tile.index(x, y);
    fields.out.u.at(x, y) = refine::limited(tile.u[from], space.base.u.at(x, y));
    fields.out.v.at(x, y) = refine::limited(tile.v[from], space.base.v.at(x, y));
  }
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

void refine_warp(const DeviceRefine& job, cudaStream_t stream) {
  launch_over(warp_kernel, job.space.mean, stream, "warping", job);
  launch_over(derive_kernel, job.space.mean, stream, "derivatives", job.space);
}
void refine_systems(const DeviceRefine& job, const DeviceField& field, cudaStream_t stream) {
  launch_over(system_kernel, field.u, stream, "the systems of a flow", job, field);
}
void relax(const DeviceRefine& job, const DeviceRelaxation& fields, cudaStream_t stream) {
  const int tile = kRefineTuning.tile, side = tile + 4 * fields.relaxations;
  const dim3 blocks = fovea::cuda::tall_grid(fovea::cuda::blocks_for(fields.in.u.width, tile),
                                             fovea::cuda::blocks_for(fields.in.u.height, tile));
  const std::size_t bytes = 2 * sizeof(float) * static_cast<std::size_t>(side) * side;
  launch_after(relax_kernel, {blocks, dim3(kRefineTuning.relax_threads), bytes}, stream,
               "relaxations", job.space, fields, job.energy.omega);
}

}  // namespace fovea::flow::cuda
