// Floyd-Warshall over squares on the device, in the order of close_squares_math.h.
#include <algorithm>

#include "ops/shortest_paths/gpu/closing.cuh"
#include "ops/shortest_paths/gpu/panel_steps.cuh"
#include "ops/shortest_paths/squares.cuh"

namespace fovea::cuda {
namespace {

using detail::kGroup;
using detail::kPanel;
using detail::kPivots;
using detail::TrailStep;
using detail::TrailTile;

__device__ float* pivots_of(const Square& square, int panel) {
  const int group = panel / kGroup % square.pivot_groups;
  return square.pivots +
         (static_cast<std::ptrdiff_t>(group) * kPivots + panel % kGroup * kPanel) * square.side();
}

__global__ void __launch_bounds__(Tile128::kThreads, 2)
    trail_kernel(const Square* squares, TrailStep step) {
  extern __shared__ float4 shared_memory[];
  const Square square = squares[blockIdx.y];
  const TrailTile tile = trail_tile(step, square.panels, blockIdx.x);
  if (tile.begin >= tile.end) return;
  const std::int64_t side = square.side();
  const float* pivots = pivots_of(square, step.group);
  update_tile({square.tile(tile.row, tile.column),
               square.pitch(),
               {pivots + tile.row * kPanel, side},
               {pivots + tile.column * kPanel, side},
               tile.begin,
               tile.end},
              shared_memory);
}

// Floyd-Warshall inside a tile, one node after the other, with 4 x 4 numbers per thread in
// registers. The row and the column of a node, which are equal, pass through `through`, two times
// 64 numbers.
__device__ void close(float* tile, int pitch, float* through) {
  int values[4][4];
  load(values, tile, pitch);
  const int row = tile_row(), column = tile_column();
  for (int k4 = 0; k4 < kPathTile; k4 += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float* now = through + k % 2 * kPathTile;
      if (row == k4)
        *reinterpret_cast<int4*>(now + column) =
            make_int4(values[k][0], values[k][1], values[k][2], values[k][3]);
      __syncthreads();
      const float4 a = *reinterpret_cast<const float4*>(now + row);
      const float4 b = *reinterpret_cast<const float4*>(now + column);
      const float from[4] = {a.x, a.y, a.z, a.w}, to[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) values[i][j] = min(values[i][j], bits_of(from[i] + to[j]));
    }
  }
  store(values, tile, pitch);
  __syncthreads();
}

// Finishes the panel's own tile and computes the pivots of its columns.
__global__ void __launch_bounds__(kPanelTuning.panel_block)
    diagonal_kernel(const Square* squares, int panel) {
  extern __shared__ float4 shared_memory[];
  alignas(16) __shared__ float through[2 * kPathTile];
  const Square square = squares[blockIdx.x];
  if (panel >= square.panels) return;
  auto* tile = reinterpret_cast<float*>(shared_memory);
  const std::int64_t side = square.side();
  float* pivots = pivots_of(square, panel) + panel * kPanel;
  move_diagonal<false>(square.tile(panel, panel), square.pitch(), tile);
  __syncthreads();

  for (int t = 0; t < 2; ++t) {
    const auto block = [&](int row, int column) {
      return tile + row * kPathTile * kDiagonalPitch + column * kPathTile;
    };
    const int u = 1 - t;
    int least[4][4];
    close(block(t, t), kDiagonalPitch, through);
    load(least, block(t, t), kDiagonalPitch);
    store(least, pivots + (t * side + t) * kPathTile, side);
    set(least, kInfiniteBits);
    multiply(block(t, t), kDiagonalPitch, block(t, u), kDiagonalPitch, least);
    __syncthreads();
    store(least, block(t, u), kDiagonalPitch);
    store_mirrored(least, block(u, t), kDiagonalPitch);
    store(least, pivots + (t * side + u) * kPathTile, side);
    __syncthreads();
    load(least, block(u, u), kDiagonalPitch);
    multiply(block(t, u), kDiagonalPitch, block(t, u), kDiagonalPitch, least);
    store(least, block(u, u), kDiagonalPitch);  // no other thread has read this
    __syncthreads();
  }
  move_diagonal<true>(square.tile(panel, panel), square.pitch(), tile);
}

// Finishes 64 columns of the panel's rows and computes their pivots. Above the diagonal they are
// the mirrored ones below it.
__global__ void __launch_bounds__(kPanelTuning.panel_block, 2)
    columns_kernel(const Square* squares, int panel) {
  extern __shared__ float4 shared_memory[];
  const Square square = squares[blockIdx.y];
  const int column = static_cast<int>(blockIdx.x) * kPanelTuning.columns;
  const int other = column / kPanel;
  if (panel >= square.panels || column >= square.side() || other == panel) return;
  auto* own = reinterpret_cast<float*>(shared_memory);  // pivots of the panel's own tile
  float* columns = own + kPanel * kPanel;
  const std::int64_t side = square.side(), pitch = square.pitch();
  float* pivots = pivots_of(square, panel);
  const bool turned = other > panel;
  float* there = turned ? square.tile(other, panel) + column % kPanel * pitch
                        : square.tile(panel, other) + column % kPanel;
  load_own(pivots + panel * kPanel, side, own);
  move_columns<false>(there, pitch, turned, columns);
  __syncthreads();
  finish_columns(own, columns, pivots + column, side);
  move_columns<true>(there, pitch, turned, columns);
}

// The kernels over a list of squares.
class SquareSteps {
 public:
  explicit SquareSteps(const Squares& squares) : squares_(squares) {
    for (const Square& square : squares.all) panels_ = std::max(panels_, square.panels);
    allow_shared(diagonal_kernel, kDiagonalBytes, kWhat);
    allow_shared(columns_kernel, kColumnsBytes, kWhat);
    allow_shared(trail_kernel, Tile128::kBytes, kWhat);
  }

  int panels() const { return panels_; }
  // Takes the step over all squares.
  void trail(const TrailStep& step, cudaStream_t stream) const {
    unsigned tiles = 0;
    if (step.done > 0)
      for (const Square& square : squares_.all)
        tiles = std::max(tiles, detail::trail_tiles(step, square.panels));
    launch(trail_kernel, {dim3(tiles, count()), kTileThreads, Tile128::kBytes, stream, kWhat},
           squares_.on_device, step);
  }
  // Finishes a panel whose tiles have taken all earlier steps.
  void finish(int panel, cudaStream_t stream) const {
    launch(diagonal_kernel,
           {dim3(count()), kPanelTuning.panel_block, kDiagonalBytes, stream, kWhat},
           squares_.on_device, panel);
    launch(columns_kernel,
           {dim3(static_cast<unsigned>(panels_ * kPanelBlocks), count()), kPanelTuning.panel_block,
            kColumnsBytes, stream, kWhat},
           squares_.on_device, panel);
  }

 private:
  static constexpr const char* kWhat = "floyd-warshall";

  unsigned count() const { return static_cast<unsigned>(squares_.all.size()); }

  Squares squares_;
  int panels_ = 0;
};

__global__ void clear_kernel(const Square* squares) {
  const Square square = squares[blockIdx.y];
  const std::int64_t side = square.side(), quads = side * side / 4;
  const float none = __int_as_float(kInfiniteBits);
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < quads;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const std::int64_t row = i * 4 / side, column = i * 4 % side;
    reinterpret_cast<float4*>(square.distances)[i] =
        make_float4(row == column ? 0.F : none, row == column + 1 ? 0.F : none,
                    row == column + 2 ? 0.F : none, row == column + 3 ? 0.F : none);
  }
}

// A block clears one tile.
__global__ void clear_half_kernel(Square half) {
  const int row = detail::triangle_row(blockIdx.x);
  const auto rows = static_cast<unsigned>(row);
  const auto column = static_cast<int>(blockIdx.x - rows * (rows + 1) / 2);
  float* tile = half.tile(row, column);
  for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(detail::kPanelTile);
       i += static_cast<int>(blockDim.x))
    tile[i] = row == column && i / kPanel == i % kPanel ? 0.F : __int_as_float(kInfiniteBits);
}

constexpr int kMirror =
    32;  // side of the square that a block mirrors at a time; a row of it has 8 threads

__global__ void __launch_bounds__(8 * kMirror) mirror_kernel(const Square* squares, float cutoff) {
  __shared__ float turned[kMirror][kMirror + 1];
  const Square square = squares[blockIdx.y];
  const auto number = blockIdx.x;
  const int rows = square.side() / kMirror;
  const int row = detail::triangle_row(number);
  if (row >= rows) return;
  const int column =
      static_cast<int>(number - static_cast<unsigned>(row) * (static_cast<unsigned>(row) + 1) / 2);
  const bool diagonal = row / (kPanel / kMirror) == column / (kPanel / kMirror);
  if (diagonal && !(cutoff < __int_as_float(kInfiniteBits)))
    return;  // the mirrored half is there already
  const std::int64_t side = square.side();
  const int x = static_cast<int>(threadIdx.x) % kMirror;
  for (int y = static_cast<int>(threadIdx.x) / kMirror; y < kMirror; y += 8) {
    float* place = square.distances + (row * kMirror + y) * side + column * kMirror + x;
    float value = *place;
    if (value > cutoff) *place = value = __int_as_float(kInfiniteBits);
    turned[y][x] = value;
  }
  __syncthreads();
  if (row == column) return;
  for (int y = static_cast<int>(threadIdx.x) / kMirror; y < kMirror; y += 8)
    square.distances[(column * kMirror + y) * side + row * kMirror + x] = turned[x][y];
}

int most_panels(const Squares& squares) {
  int panels = 0;
  for (const Square& square : squares.all) panels = std::max(panels, square.panels);
  return panels;
}

}  // namespace

void clear_squares(const Squares& squares, cudaStream_t stream) {
  constexpr unsigned kThreads = 256, kBlocksOfPanel = 8;
  const auto panels = static_cast<unsigned>(most_panels(squares));
  launch(clear_kernel,
         {dim3(panels * kBlocksOfPanel, static_cast<unsigned>(squares.all.size())), kThreads, 0,
          stream, "clearing distances"},
         squares.on_device);
}

void clear_half(const Square& half, cudaStream_t stream) {
  const auto panels = static_cast<unsigned>(half.panels);
  launch(clear_half_kernel, {dim3(panels * (panels + 1) / 2), 256, 0, stream, "clearing distances"},
         half);
}

void close_squares(const Squares& squares, const Exec& exec, cudaStream_t stream) {
  if (most_panels(squares) > 0) close_in_groups(SquareSteps(squares), exec, stream);
}

void close_strip(const Squares& strip, cudaStream_t stream) {
  const SquareSteps steps(strip);
  const Square& square = strip.all.front();
  const int first = square.strip_first, end = first + square.strip_count;
  for (int group = first; group < end; group += kGroup) {
    for (int panel = group; panel < std::min(end, group + kGroup); ++panel) {
      steps.trail({group, panel - group, panel, 1, true}, stream);
      steps.finish(panel, stream);
    }
    steps.trail({group, kGroup, first, square.strip_count, true}, stream);
  }
}

void mirror_squares(const Squares& squares, float cutoff, cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(most_panels(squares) * (kPanel / kMirror));
  launch(mirror_kernel,
         {dim3(rows * (rows + 1) / 2, static_cast<unsigned>(squares.all.size())), 8 * kMirror, 0,
          stream, "mirroring distances"},
         squares.on_device, cutoff);
}

}  // namespace fovea::cuda
