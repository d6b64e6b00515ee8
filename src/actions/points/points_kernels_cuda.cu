// CUDA twin of the arithmetic of interest points: one thread per pixel, with all scales and all
// frames of a push in one launch. Sums have the order of the CPU. There are few taps, and reads of
// neighbors overlap in the first-level cache; the flow takes many times longer than all of this.
#include "actions/points/points_cuda.cuh"
#include "actions/points/points_math.h"
#include "core/launch.cuh"
#include "core/rgb.h"

namespace fovea::actions::cuda {
namespace {

using fovea::cuda::blocks_for;
using fovea::cuda::check_launch;

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
} kTuning;
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

dim3 grid_for(const PlaneShape& shape, int layers) {
  return dim3(blocks_for(shape.width, kTuning.block_x), blocks_for(shape.height, kTuning.block_y),
              static_cast<unsigned>(layers));
}

// The pixel of a thread, and the table and frame that its layer belongs to.
struct Place {
  int x, y, table, frame;
};
__device__ Place place_of(int frames) {
  const int layer = static_cast<int>(blockIdx.z);
  return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
          static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y), layer / frames, layer % frames};
}
__device__ bool inside(const Place& at, const PlaneShape& shape) {
  return at.x < shape.width && at.y < shape.height;
}
__device__ float* plane_of(const DeviceRing& ring, const PlaneShape& shape, long long time) {
  return ring.planes + ring_slot(time, ring.length) * shape.size();
}
__device__ std::ptrdiff_t offset_of(const Place& at, const PlaneShape& shape) {
  return static_cast<std::ptrdiff_t>(at.y) * shape.pitch + at.x;
}

__device__ float sum_along(const float* row, int x, int width, const DeviceTaps& taps) {
  float sum = 0;
  for (int i = -taps.radius; i <= taps.radius; ++i)
    sum = fmaf(taps.weights[i + taps.radius], row[clamped(x + i, width)], sum);
  return sum;
}
__device__ float sum_down(const float* plane, const Place& at, const PlaneShape& shape,
                          const DeviceTaps& taps) {
  float sum = 0;
  for (int i = -taps.radius; i <= taps.radius; ++i)
    sum = fmaf(
        taps.weights[i + taps.radius],
        plane[static_cast<std::ptrdiff_t>(clamped(at.y + i, shape.height)) * shape.pitch + at.x],
        sum);
  return sum;
}
// The newest frame under the taps is `time`.
__device__ float sum_over_time(const DeviceRing& ring, const PlaneShape& shape, const Place& at,
                               long long time, const DeviceTaps& taps) {
  int slot = ring_slot(time - 2 * taps.radius, ring.length);
  const float* pixel = ring.planes + offset_of(at, shape);
  float sum = 0;
  for (int i = 0; i <= 2 * taps.radius; ++i) {
    sum = fmaf(taps.weights[i], pixel[slot * shape.size()], sum);
    if (++slot == ring.length) slot = 0;
  }
  return sum;
}

__global__ void gray_kernel(const std::uint8_t* frames, std::ptrdiff_t frame_bytes, int stride,
                            float* level, PlaneShape shape) {
  const Place at = place_of(static_cast<int>(gridDim.z));
  if (!inside(at, shape)) return;
  level[at.frame * shape.size() + offset_of(at, shape)] =
      gray_of(frames[at.frame * frame_bytes + static_cast<std::ptrdiff_t>(at.y) * stride + at.x]);
}

__global__ void halve_kernel(const float* from, PlaneShape from_shape, float* to,
                             PlaneShape shape) {
  const Place at = place_of(static_cast<int>(gridDim.z));
  if (!inside(at, shape)) return;
  const float* plane = from + at.frame * from_shape.size();
  const auto row = [&](int i) {
    return plane + static_cast<std::ptrdiff_t>(reflected(2 * at.y + i, from_shape.height)) *
                       from_shape.pitch;
  };
  const auto column = [&](int i) {
    const int x = reflected(2 * at.x + i, from_shape.width);
    return halve_sum(row(-2)[x], row(-1)[x], row(0)[x], row(1)[x], row(2)[x]);
  };
  to[at.frame * shape.size() + offset_of(at, shape)] =
      halve_sum(column(-2), column(-1), column(0), column(1), column(2));
}

__global__ void smooth_along_kernel(const SmoothTable* tables, FrameRun run) {
  const Place at = place_of(run.frames);
  const SmoothTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  const std::ptrdiff_t row =
      at.frame * table.shape.size() + static_cast<std::ptrdiff_t>(at.y) * table.shape.pitch;
  table.across[row + at.x] = sum_along(table.level + row, at.x, table.shape.width, table.taps);
}
__global__ void smooth_down_kernel(const SmoothTable* tables, FrameRun run) {
  const Place at = place_of(run.frames);
  const SmoothTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  plane_of(table.ring, table.shape, run.time + at.frame)[offset_of(at, table.shape)] =
      sum_down(table.across + at.frame * table.shape.size(), at, table.shape, table.taps);
}
__global__ void repeat_smooth_kernel(const SmoothTable* tables, FrameRun run) {
  const Place at = place_of(run.frames);
  const SmoothTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  const std::ptrdiff_t pixel = offset_of(at, table.shape);
  plane_of(table.ring, table.shape, run.time + at.frame)[pixel] =
      plane_of(table.ring, table.shape, run.time - 1)[pixel];
}

__global__ void blur_kernel(const ChannelTable* tables, FrameRun run) {
  const Place at = place_of(run.frames);
  const ChannelTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  const long long time = run.time + at.frame;
  plane_of(table.blurred, table.shape, time - table.time.radius)[offset_of(at, table.shape)] =
      sum_over_time(table.smooth, table.shape, at, time, table.time);
}
__global__ void derivative_kernel(const ChannelTable* tables, FrameRun run) {
  const Place at = place_of(run.frames);
  const ChannelTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  const PlaneShape& shape = table.shape;
  const long long time = run.time + at.frame - table.derivative_lag;
  const float* here = plane_of(table.blurred, shape, time);
  const float* above =
      here + static_cast<std::ptrdiff_t>(clamped(at.y - 1, shape.height)) * shape.pitch;
  const float* row = here + static_cast<std::ptrdiff_t>(at.y) * shape.pitch;
  const float* below =
      here + static_cast<std::ptrdiff_t>(clamped(at.y + 1, shape.height)) * shape.pitch;
  const int left = clamped(at.x - 1, shape.width), right = clamped(at.x + 1, shape.width);
  const auto along_x = [&](int x) { return sobel_smooth(above[x], row[x], below[x]); };
  const auto along_y = [&](int x) { return below[x] - above[x]; };
  const std::ptrdiff_t pixel = offset_of(at, shape);
  plane_of(table.dx, shape, time)[pixel] = (along_x(right) - along_x(left)) * table.along;
  plane_of(table.dy, shape, time)[pixel] =
      sobel_smooth(along_y(left), along_y(at.x), along_y(right)) * table.along;
  plane_of(table.dt, shape, time)[pixel] = (plane_of(table.blurred, shape, time + 1)[pixel] -
                                            plane_of(table.blurred, shape, time - 1)[pixel]) *
                                           table.over_time;
}

__global__ void moments_kernel(const ChannelTable* tables, FrameRun run) {
  const Place at = place_of(run.frames);
  const ChannelTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  const long long newest = run.time + at.frame - table.derivative_lag;
  int slot = ring_slot(newest - 2 * table.sum_time.radius, table.dx.length);
  const std::ptrdiff_t pixel = offset_of(at, table.shape), size = table.shape.size();
  float moments[kMoments] = {};
  for (int i = 0; i <= 2 * table.sum_time.radius; ++i) {
    const std::ptrdiff_t from = slot * size + pixel;
    add_moments(table.sum_time.weights[i], table.dx.planes[from], table.dy.planes[from],
                table.dt.planes[from], moments);
    if (++slot == table.dx.length) slot = 0;
  }
  float* out = table.over_frames + at.frame * kMoments * size + pixel;
#pragma unroll
  for (int m = 0; m < kMoments; ++m) out[m * size] = moments[m];
}
__global__ void moments_along_kernel(const ChannelTable* tables, FrameRun run) {
  const Place at = place_of(run.frames);
  const ChannelTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  const std::ptrdiff_t size = table.shape.size();
  std::ptrdiff_t row =
      at.frame * kMoments * size + static_cast<std::ptrdiff_t>(at.y) * table.shape.pitch;
  for (int m = 0; m < kMoments; ++m, row += size)
    table.across[row + at.x] =
        sum_along(table.over_frames + row, at.x, table.shape.width, table.sum_space);
}
__global__ void response_kernel(const ChannelTable* tables, float k, FrameRun run) {
  const Place at = place_of(run.frames);
  const ChannelTable& table = tables[at.table];
  if (!inside(at, table.shape)) return;
  const std::ptrdiff_t size = table.shape.size();
  const float* planes = table.across + at.frame * kMoments * size;
  float moments[kMoments];
#pragma unroll
  for (int m = 0; m < kMoments; ++m)
    moments[m] = sum_down(planes + m * size, at, table.shape, table.sum_space);
  plane_of(table.response, table.shape,
           run.time + at.frame - table.response_lag)[offset_of(at, table.shape)] =
      harris_response(moments, k);
}

__global__ void periodic_kernel(PeriodicTable table, FrameRun run) {
  const Place at = place_of(run.frames);
  if (!inside(at, table.shape)) return;
  const long long time = run.time + at.frame;
  plane_of(table.response, table.shape, time - table.even.radius)[offset_of(at, table.shape)] =
      periodic_response(sum_over_time(table.smooth, table.shape, at, time, table.even),
                        sum_over_time(table.smooth, table.shape, at, time, table.odd));
}

__global__ void maxima_kernel(const MaximaTable* tables, MaximaRules rules, FrameRun run,
                              FoundOnDevice found) {
  const Place at = place_of(run.frames);
  const MaximaTable& table = tables[at.table];
  const PlaneShape& shape = table.shape;
  const long long time = run.time + at.frame - table.lag;
  if (time < 0 || at.x < rules.border || at.y < rules.border ||
      at.x >= shape.width - rules.border || at.y >= shape.height - rules.border)
    return;
  const float value = plane_of(table.response, shape, time)[offset_of(at, shape)];
  if (!(value > rules.threshold)) return;
  const int x0 = max(at.x - rules.space, 0), x1 = min(at.x + rules.space, shape.width - 1);
  const int y0 = max(at.y - rules.space, 0), y1 = min(at.y + rules.space, shape.height - 1);
  for (int dt = -rules.time; dt <= rules.time; ++dt) {
    const float* plane = plane_of(table.response, shape, time + dt);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x)
        if (plane[static_cast<std::ptrdiff_t>(y) * shape.pitch + x] >= value &&
            (dt != 0 || x != at.x || y != at.y))
          return;
  }
  const unsigned index = atomicAdd(found.count, 1U);
  if (index < found.room) found.list[index] = {time, table.channel, at.x, at.y, value};
}

__global__ void sample_flow_kernel(const float* u, const float* v, int stride, int level,
                                   PlaneShape shape, float* out_u, float* out_v) {
  const Place at = place_of(1);
  if (!inside(at, shape)) return;
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(at.y << level) * stride + (at.x << level);
  out_u[offset_of(at, shape)] = u == nullptr ? 0.0F : u[from];
  out_v[offset_of(at, shape)] = v == nullptr ? 0.0F : v[from];
}

// Luma as io::to_gray() computes it; gray frames are copied.
__global__ void take_gray_kernel(ImageView<const std::uint8_t> frame, std::uint8_t* gray,
                                 int stride) {
  const auto [x, y] = fovea::cuda::thread_place();
  if (x >= frame.width || y >= frame.height) return;
  const std::uint8_t* pixel = &frame.at(x, y);
  gray[static_cast<std::ptrdiff_t>(y) * stride + x] = static_cast<std::uint8_t>(
      frame.channels == 1 ? pixel[0] : fovea::detail::luma(pixel[0], pixel[1], pixel[2]));
}

}  // namespace

void take_gray(const ImageView<const std::uint8_t>& frame, std::uint8_t* gray, int stride,
               cudaStream_t stream) {
  take_gray_kernel<<<fovea::cuda::grid_over(frame.width, frame.height, kThreads), kThreads, 0,
                     stream>>>(frame, gray, stride);
  check_launch("points: frames on the device");
}
void make_gray(const std::uint8_t* frames, std::ptrdiff_t frame_bytes, int stride, float* level,
               const PlaneShape& shape, int count, cudaStream_t stream) {
  gray_kernel<<<grid_for(shape, count), kThreads, 0, stream>>>(frames, frame_bytes, stride, level,
                                                               shape);
  check_launch("points: gray levels");
}
void halve_level(const float* from, const PlaneShape& from_shape, float* to,
                 const PlaneShape& to_shape, int count, cudaStream_t stream) {
  halve_kernel<<<grid_for(to_shape, count), kThreads, 0, stream>>>(from, from_shape, to, to_shape);
  check_launch("points: pyramid");
}
void smooth_frames(const SmoothTable* tables, const FrameRun& run, const Grid& grid) {
  const dim3 blocks = grid_for(grid.largest, grid.tables * run.frames);
  smooth_along_kernel<<<blocks, kThreads, 0, grid.stream>>>(tables, run);
  check_launch("points: smoothing");
  smooth_down_kernel<<<blocks, kThreads, 0, grid.stream>>>(tables, run);
  check_launch("points: smoothing");
}
void repeat_smooth(const SmoothTable* tables, const FrameRun& run, const Grid& grid) {
  repeat_smooth_kernel<<<grid_for(grid.largest, grid.tables * run.frames), kThreads, 0,
                         grid.stream>>>(tables, run);
  check_launch("points: repeating a frame");
}
void differentiate(const ChannelTable* tables, const FrameRun& run, const Grid& grid) {
  const dim3 blocks = grid_for(grid.largest, grid.tables * run.frames);
  blur_kernel<<<blocks, kThreads, 0, grid.stream>>>(tables, run);
  check_launch("points: smoothing over time");
  derivative_kernel<<<blocks, kThreads, 0, grid.stream>>>(tables, run);
  check_launch("points: derivatives");
}
void respond(const ChannelTable* tables, float k, const FrameRun& run, const Grid& grid) {
  const dim3 blocks = grid_for(grid.largest, grid.tables * run.frames);
  moments_kernel<<<blocks, kThreads, 0, grid.stream>>>(tables, run);
  check_launch("points: moments over time");
  moments_along_kernel<<<blocks, kThreads, 0, grid.stream>>>(tables, run);
  check_launch("points: moments along rows");
  response_kernel<<<blocks, kThreads, 0, grid.stream>>>(tables, k, run);
  check_launch("points: responses");
}
void respond_periodic(const PeriodicTable& table, const FrameRun& run, cudaStream_t stream) {
  periodic_kernel<<<grid_for(table.shape, run.frames), kThreads, 0, stream>>>(table, run);
  check_launch("points: responses");
}
void find_maxima(const MaximaTable* tables, const MaximaRules& rules, const FrameRun& run,
                 const FoundOnDevice& found, const Grid& grid) {
  maxima_kernel<<<grid_for(grid.largest, grid.tables * run.frames), kThreads, 0, grid.stream>>>(
      tables, rules, run, found);
  check_launch("points: maxima");
}
void sample_flow(const float* u, const float* v, int stride, int level, const PlaneShape& shape,
                 float* out_u, float* out_v, cudaStream_t stream) {
  sample_flow_kernel<<<grid_for(shape, 1), kThreads, 0, stream>>>(u, v, stride, level, shape, out_u,
                                                                  out_v);
  check_launch("points: flow");
}

}  // namespace fovea::actions::cuda
