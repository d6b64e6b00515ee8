// Variational refinement on CUDA: the systems of a level and their relaxations in one launch. A
// block has a tile and as many pixels around it as the relaxations reach: the order of a
// checkerboard makes every pixel's value the same in each of the tiles that compute it. Systems
// stay in registers, and shared memory holds the flow, red and black pixels apart.
#include <fovea/core/error.h>

#include <string>

#include "flow/lk/lucas_kanade_median_cuda.cuh"
#include "flow/refine/refine_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using lk::clamped;

constexpr int kMostRelaxations = refine::Work{}.relaxations;
constexpr int kMedianRadius = refine::Work{}.median;
static_assert(kMedianRadius == 2, "middle_of_sorted()");

// A level of few small tiles does not fill a GPU: it is bound by the time of a block, and a median
// in the same launch costs less than another launch.
constexpr struct {
  int small_tile = 16, small_threads = 608, median_threads = 736;
  int large_tile = 32, large_threads = 640;
  unsigned most_small = 128;  // tiles of a level
} kSolveTuning;

// A tile of kTile x kTile pixels and `kAround` pixels on each side, all of which are relaxed, in
// pairs of a red and a black pixel.
template <int kTile, int kThreads, bool kMedian>
struct SolveShape {
  static constexpr int kSide = kTile;
  static constexpr int kBlock = kThreads;
  static constexpr bool kSmooth = kMedian;
  static constexpr int kAround = 2 * kMostRelaxations - 1 + (kMedian ? kMedianRadius : 0);
  static constexpr int kRegion = kTile + 2 * kAround;
  static constexpr int kPairs = kRegion / 2;                                   // of a row
  static constexpr int kSlots = (kPairs * kRegion + kThreads - 1) / kThreads;  // pairs of a thread
  static constexpr int kOuter = kRegion + 4;  // with neighbors, and the neighbors' neighbors
  static_assert(kTile % 2 == 0, "pairs");
};
using SmallSolve = SolveShape<kSolveTuning.small_tile, kSolveTuning.small_threads, false>;
using MedianSolve = SolveShape<kSolveTuning.small_tile, kSolveTuning.median_threads, true>;
using LargeSolve = SolveShape<kSolveTuning.large_tile, kSolveTuning.large_threads, false>;

// The flow around a tile. Places beyond the image hold what the border has.
template <class Shape>
struct SolveTile {
  float2 flow[2][Shape::kOuter][Shape::kOuter / 2];
  float smooth[Shape::kRegion + 2][Shape::kRegion + 2];
};
template <class Shape>
struct SolveView {
  SolveTile<Shape>& tile;
  int left, top;  // place in the image of the first pixel of the tile's memory
  __device__ int color(int column, int row) const { return (left + top + column + row) & 1; }
  __device__ float2& at(int column, int row) const {
    return tile.flow[color(column, row)][row][column >> 1];
  }
};

// The system of a pixel with the weights of its neighbors.
struct Relaxed {
  float cross, want_u, want_v, inverse_u, inverse_v;
  float left, right, up, down;
};
// A pixel of one color that a thread relaxes.
struct SolvePixel {
  Relaxed system;
  float2 flow;
  int index;    // of its flow among those of its color
  int odd;      // whether its column in the tile's memory is
  bool counts;  // it lies in the image
};

template <class Shape>
__device__ void load_flow(const DeviceField& in, const SolveView<Shape>& view) {
  for (int i = static_cast<int>(threadIdx.x); i < Shape::kOuter * Shape::kOuter;
       i += Shape::kBlock) {
    const int column = i % Shape::kOuter, row = i / Shape::kOuter;
    const int x = clamped(view.left + column, in.u.width);
    const int y = clamped(view.top + row, in.u.height);
    view.at(column, row) = make_float2(in.u.at(x, y), in.v.at(x, y));
  }
  __syncthreads();
}

template <class Shape>
__device__ void find_smoothness(const DeviceRefineLevel& first, const SolveView<Shape>& view,
                                float alpha) {
  constexpr int kWidth = Shape::kRegion + 2;
  const auto counts = [&](int column, int row) {
    return first.features.counts(clamped(view.left + column, first.gray.width),
                                 clamped(view.top + row, first.gray.height));
  };
  for (int i = static_cast<int>(threadIdx.x); i < kWidth * kWidth; i += Shape::kBlock) {
    const int column = i % kWidth, row = i / kWidth;
    const float2 here = view.at(column, row), right = view.at(column + 1, row),
                 below = view.at(column, row + 1);
    const bool own = counts(column, row), next = counts(column + 1, row),
               down = counts(column, row + 1);
    view.tile.smooth[row][column] = refine::smoothness(
        refine::joined(own, next, right.x - here.x), refine::joined(own, down, below.x - here.x),
        refine::joined(own, next, right.y - here.y), refine::joined(own, down, below.y - here.y),
        alpha);
  }
  __syncthreads();
}

template <class Shape>
__device__ Relaxed system_at(const DeviceRefine& job, const DeviceField& base,
                             const SolveView<Shape>& view, int2 in_tile, float2 flow) {
  const int x = view.left + in_tile.x, y = view.top + in_tile.y;
  const FloatPlane& gray = job.first.gray;
  const float here = view.tile.smooth[in_tile.y][in_tile.x], level = gray.at(x, y);
  const bool counts = job.first.features.counts(x, y);
  const auto weight = [&](int dx, int dy) {
    const int i = x + dx, j = y + dy;
    if (i < 0 || i >= gray.width || j < 0 || j >= gray.height) return 0.0F;
    return refine::joined(counts, job.first.features.counts(i, j),
                          refine::between(view.tile.smooth[in_tile.y + dy][in_tile.x + dx], here,
                                          gray.at(i, j) - level, job.energy.edge));
  };
  Relaxed out;
  out.left = weight(-1, 0);
  out.right = weight(1, 0);
  out.up = weight(0, -1);
  out.down = weight(0, 1);
  const float4 a = job.warp.first.at(x, y), b = job.warp.second.at(x, y);
  const float u0 = base.u.at(x, y), v0 = base.v.at(x, y);
  const refine::System s =
      refine::data_system({a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w},
                          {u0, v0, flow.x - u0, flow.y - v0}, job.warp.valid.at(x, y), job.energy);
  const float around = (out.left + out.right) + (out.up + out.down);
  out.cross = s.a12;
  out.want_u = s.c1;
  out.want_v = s.c2;
  out.inverse_u = 1 / (s.a11 + around);
  out.inverse_v = 1 / (s.a22 + around);
  return out;
}

// The place in the tile's memory of the red or black pixel of a pair.
template <class Shape>
__device__ int2 place_of(const SolveView<Shape>& view, int pair, int color) {
  const int row = pair / Shape::kPairs + 1, column = 2 * (pair % Shape::kPairs) + 1;
  return {view.color(column, row) == color ? column : column + 1, row};
}

template <class Shape>
__device__ SolvePixel pixel_of(const DeviceRefine& job, const DeviceField& base,
                               const SolveView<Shape>& view, int pair, int color) {
  SolvePixel pixel{};
  const int2 place = place_of(view, pair, color);
  const int x = view.left + place.x, y = view.top + place.y;
  pixel.index = place.y * (Shape::kOuter / 2) + (place.x >> 1);
  pixel.odd = place.x & 1;
  pixel.counts = pair < Shape::kPairs * Shape::kRegion && x >= 0 && y >= 0 && x < base.u.width &&
                 y < base.u.height;
  if (!pixel.counts) return pixel;
  pixel.flow = view.at(place.x, place.y);
  pixel.system = system_at(job, base, view, place, pixel.flow);
  return pixel;
}

// How many pixels a place lies beyond those whose values are needed in the end.
template <class Shape>
__device__ int beyond(int2 place) {
  constexpr int kFirst = 2 * kMostRelaxations, kLast = Shape::kRegion + 1 - kFirst;
  return lk::most(lk::most(kFirst - place.x, place.x - kLast),
                  lk::most(kFirst - place.y, place.y - kLast));
}

// `own` and `other` are the flow of the pixel's color and of its neighbors. Neighbors beyond the
// image have no weight.
template <class Shape>
__device__ void relax_pixel(float2* own, const float2* other, float omega, SolvePixel* pixel) {
  constexpr int kRow = Shape::kOuter / 2;
  const Relaxed& s = pixel->system;
  const int at = pixel->index;
  const float2 left = other[at + pixel->odd - 1], right = other[at + pixel->odd];
  const float2 up = other[at - kRow], down = other[at + kRow];
  const float around_u = (s.left * left.x + s.right * right.x) + (s.up * up.x + s.down * down.x);
  const float around_v = (s.left * left.y + s.right * right.y) + (s.up * up.y + s.down * down.y);
  float2& flow = pixel->flow;
  flow.x = refine::relaxed(flow.x, (s.want_u + around_u) - s.cross * flow.y, s.inverse_u, omega);
  flow.y = refine::relaxed(flow.y, (s.want_v + around_v) - s.cross * flow.x, s.inverse_v, omega);
  own[at] = flow;
}

template <class Shape>
__device__ void relax_tile(const SolveView<Shape>& view, int relaxations, float omega,
                           SolvePixel (&pixels)[Shape::kSlots][2]) {
  int away[Shape::kSlots];
#pragma unroll
  for (int slot = 0; slot < Shape::kSlots; ++slot) {
    const int pair = static_cast<int>(threadIdx.x) + slot * Shape::kBlock;
    away[slot] =
        lk::least(beyond<Shape>(place_of(view, pair, 0)), beyond<Shape>(place_of(view, pair, 1)));
  }
  float2* flow[2] = {&view.tile.flow[0][0][0], &view.tile.flow[1][0][0]};
  for (int k = 0; k < relaxations; ++k) {
#pragma unroll
    for (int color = 0; color < 2; ++color) {
      const int reach = 2 * (relaxations - k) - 1 - color;
#pragma unroll
      for (int slot = 0; slot < Shape::kSlots; ++slot)
        if (pixels[slot][color].counts && away[slot] <= reach)
          relax_pixel<Shape>(flow[color], flow[1 - color], omega, &pixels[slot][color]);
      __syncthreads();
    }
  }
}

// The median of both components around the pixels of the tile, whose limited flow lies in shared
// memory.
template <class Shape>
__device__ void write_medians(const SolveView<Shape>& view, const DeviceField& out) {
  constexpr int kArea = Shape::kSide * Shape::kSide, kCount = 2 * kMedianRadius + 1;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * kArea; i += Shape::kBlock) {
    const bool across = i < kArea;
    const int at = across ? i : i - kArea;
    const int x = view.left + Shape::kAround + 1 + at % Shape::kSide;
    const int y = view.top + Shape::kAround + 1 + at / Shape::kSide;
    if (x >= out.u.width || y >= out.u.height) continue;
    float sorted[kCount][kCount];
#pragma unroll
    for (int dx = 0; dx < kCount; ++dx) {
      const int column = clamped(x + dx - kMedianRadius, out.u.width) - view.left;
      float values[kCount];
#pragma unroll
      for (int dy = 0; dy < kCount; ++dy) {
        const float2 flow =
            view.at(column, clamped(y + dy - kMedianRadius, out.u.height) - view.top);
        values[dy] = across ? flow.x : flow.y;
      }
      sort5(values);
#pragma unroll
      for (int dy = 0; dy < kCount; ++dy) sorted[dy][dx] = values[dy];
    }
    (across ? out.u : out.v).at(x, y) = middle_of_sorted(sorted);
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kBlock)
    solve_kernel(DeviceRefine job, DeviceSolution fields) {
  __shared__ SolveTile<Shape> tile;
  fovea::cuda::after_previous();
  const int x0 = static_cast<int>(blockIdx.x) * Shape::kSide;
  const int y0 = fovea::cuda::block_row() * Shape::kSide;
  if (y0 >= fields.out.u.height) return;
  const SolveView<Shape> view{tile, x0 - Shape::kAround - 1, y0 - Shape::kAround - 1};
  load_flow(fields.in, view);
  find_smoothness(job.first, view, job.energy.alpha);
  SolvePixel pixels[Shape::kSlots][2];
#pragma unroll
  for (int slot = 0; slot < Shape::kSlots; ++slot)
#pragma unroll
    for (int color = 0; color < 2; ++color)
      pixels[slot][color] = pixel_of(job, fields.base, view,
                                     static_cast<int>(threadIdx.x) + slot * Shape::kBlock, color);
  relax_tile<Shape>(view, fields.relaxations, job.energy.omega, pixels);
#pragma unroll
  for (int slot = 0; slot < Shape::kSlots; ++slot)
#pragma unroll
    for (int color = 0; color < 2; ++color) {
      const SolvePixel& pixel = pixels[slot][color];
      const int2 place =
          place_of(view, static_cast<int>(threadIdx.x) + slot * Shape::kBlock, color);
      if (!pixel.counts || beyond<Shape>(place) > 0) continue;
      const int x = view.left + place.x, y = view.top + place.y;
      const float u = refine::limited(pixel.flow.x, fields.base.u.at(x, y));
      const float v = refine::limited(pixel.flow.y, fields.base.v.at(x, y));
      if constexpr (Shape::kSmooth) {
        view.at(place.x, place.y) = make_float2(u, v);
      } else {
        fields.out.u.at(x, y) = u;
        fields.out.v.at(x, y) = v;
      }
    }
  if constexpr (Shape::kSmooth) {
    __syncthreads();
    write_medians(view, fields.out);
  }
}

template <class Shape>
void launch_solve(const DeviceRefine& job, const DeviceSolution& fields, const char* what,
                  cudaStream_t stream) {
  const dim3 grid =
      fovea::cuda::tall_grid(fovea::cuda::blocks_for(fields.out.u.width, Shape::kSide),
                             fovea::cuda::blocks_for(fields.out.u.height, Shape::kSide));
  fovea::cuda::launch_after(solve_kernel<Shape>, {grid, Shape::kBlock}, stream, what, job, fields);
}

}  // namespace

bool solve(const DeviceRefine& job, const DeviceSolution& fields, int median, cudaStream_t stream) {
  if (fields.relaxations > kMostRelaxations)
    throw InvalidArgument("a tile sees far enough for " + std::to_string(kMostRelaxations) +
                          " relaxations, but " + std::to_string(fields.relaxations) +
                          " were asked for");
  const unsigned tiles = fovea::cuda::blocks_for(fields.out.u.width, SmallSolve::kSide) *
                         fovea::cuda::blocks_for(fields.out.u.height, SmallSolve::kSide);
  if (tiles > kSolveTuning.most_small) {
    launch_solve<LargeSolve>(job, fields, "relaxations", stream);
    return false;
  }
  const bool with_median = median == kMedianRadius;
  if (with_median) launch_solve<MedianSolve>(job, fields, "relaxations and a median", stream);
  else launch_solve<SmallSolve>(job, fields, "relaxations", stream);
  return with_median;
}

}  // namespace fovea::flow::cuda
