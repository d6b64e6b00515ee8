// Floyd-Warshall over all tiles of a square (Katz and Kider, Graphics Hardware 2008), in the order
// of close_squares_math.h: twice the steps and pivots of distances that are the same both ways.
#include "ops/shortest_paths/gpu/directed_square.cuh"

#include "ops/shortest_paths/gpu/closing.cuh"
#include "ops/shortest_paths/gpu/panel_steps.cuh"

namespace fovea::cuda {
namespace {

using detail::kGroup;
using detail::kPanel;
using detail::kPivots;
using detail::TrailStep;
using detail::TrailTile;

// Where the pivots of a panel begin among those of its group and the next.
__device__ std::int64_t pivot_place(const DirectedSquare& square, int panel) {
  const int group = panel / kGroup % static_cast<int>(detail::kPivotGroups);
  return (static_cast<std::int64_t>(group) * kPivots + panel % kGroup * kPanel) * square.side();
}

__global__ void __launch_bounds__(Tile128::kThreads, 2)
    directed_trail_kernel(DirectedSquare square, TrailStep step) {
  extern __shared__ float4 shared_memory[];
  const TrailTile tile = directed_tile(step, square.panels, blockIdx.x);
  if (tile.begin >= tile.end) return;
  const std::int64_t side = square.side(), place = pivot_place(square, step.group);
  update_tile({square.distances + (tile.row * side + tile.column) * kPanel,
               side,
               {square.columns + place + tile.row * kPanel, side},
               {square.rows + place + tile.column * kPanel, side},
               tile.begin,
               tile.end},
              shared_memory);
}

// least(i, j) = min of itself and a(i, k) + b(k, j) over the 64 k of a tile in shared memory.
__device__ void multiply_rows(const float* a, const float* b, int pitch, int (&least)[4][4]) {
  a += tile_row() * pitch;
  b += tile_column();
  for (int k = 0; k < kPathTile; k += 4) {
    float from[4][4], to[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float4 four = *reinterpret_cast<const float4*>(a + i * pitch + k);
      from[i][0] = four.x, from[i][1] = four.y, from[i][2] = four.z, from[i][3] = four.w;
      const float4 onward = *reinterpret_cast<const float4*>(b + (k + i) * pitch);
      to[i][0] = onward.x, to[i][1] = onward.y, to[i][2] = onward.z, to[i][3] = onward.w;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int n = 0; n < 4; ++n) least[i][j] = min(least[i][j], bits_of(from[i][n] + to[n][j]));
  }
}

// Floyd-Warshall inside a tile, one node after the other, with 4 x 4 numbers per thread in
// registers. The row and the column of a node pass through `through`, two times 2 x 64 numbers.
__device__ void close_both_ways(float* tile, int pitch, float* through) {
  int values[4][4];
  load(values, tile, pitch);
  const int row = tile_row(), column = tile_column();
  for (int k4 = 0; k4 < kPathTile; k4 += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float* onward = through + k % 2 * 2 * kPathTile;
      float* back = onward + kPathTile;
      if (row == k4)
        *reinterpret_cast<int4*>(onward + column) =
            make_int4(values[k][0], values[k][1], values[k][2], values[k][3]);
      if (column == k4)
        *reinterpret_cast<int4*>(back + row) =
            make_int4(values[0][k], values[1][k], values[2][k], values[3][k]);
      __syncthreads();
      const float4 a = *reinterpret_cast<const float4*>(back + row);
      const float4 b = *reinterpret_cast<const float4*>(onward + column);
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

// Finishes the panel's own tile and computes its pivots, of rows and of columns.
__global__ void __launch_bounds__(kPanelTuning.panel_block)
    directed_diagonal_kernel(DirectedSquare square, int panel) {
  extern __shared__ float4 shared_memory[];
  alignas(16) __shared__ float through[4 * kPathTile];
  auto* tile = reinterpret_cast<float*>(shared_memory);
  const std::int64_t side = square.side();
  const std::int64_t place = pivot_place(square, panel) + panel * kPanel;
  float *rows = square.rows + place, *columns = square.columns + place;
  float* there = square.distances + (panel * side + panel) * kPanel;
  move_diagonal<false>(there, side, tile);
  __syncthreads();
  for (int t = 0; t < 2; ++t) {
    const auto block = [&](int row, int column) {
      return tile + row * kPathTile * kDiagonalPitch + column * kPathTile;
    };
    const int u = 1 - t;
    int onward[4][4], back[4][4];
    close_both_ways(block(t, t), kDiagonalPitch, through);
    load(onward, block(t, t), kDiagonalPitch);
    store(onward, rows + (t * side + t) * kPathTile, side);
    store_mirrored(onward, columns + (t * side + t) * kPathTile, side);
    set(onward, kInfiniteBits);
    set(back, kInfiniteBits);
    multiply_rows(block(t, t), block(t, u), kDiagonalPitch, onward);
    multiply_rows(block(u, t), block(t, t), kDiagonalPitch, back);
    __syncthreads();
    store(onward, block(t, u), kDiagonalPitch);
    store(back, block(u, t), kDiagonalPitch);
    store(onward, rows + (t * side + u) * kPathTile, side);
    store_mirrored(back, columns + (t * side + u) * kPathTile, side);
    __syncthreads();
    load(onward, block(u, u), kDiagonalPitch);
    multiply_rows(block(u, t), block(t, u), kDiagonalPitch, onward);
    store(onward, block(u, u), kDiagonalPitch);  // no other thread has read this
    __syncthreads();
  }
  move_diagonal<true>(there, side, tile);
}

// Finishes 64 columns of the panel's rows or, in the second layer of the grid, 64 rows of its
// columns, which are treated as columns of the mirrored square.
__global__ void __launch_bounds__(kPanelTuning.panel_block, 2)
    directed_columns_kernel(DirectedSquare square, int panel) {
  extern __shared__ float4 shared_memory[];
  const int column = static_cast<int>(blockIdx.x) * kPanelTuning.columns;
  if (column / kPanel == panel) return;
  const bool turned = blockIdx.y == 1;
  auto* own = reinterpret_cast<float*>(shared_memory);
  float* columns = own + kPanel * kPanel;
  const std::int64_t side = square.side(), place = pivot_place(square, panel);
  float* there =
      square.distances + (turned ? column * side + panel * kPanel : panel * kPanel * side + column);
  load_own((turned ? square.rows : square.columns) + place + panel * kPanel, side, own);
  move_columns<false>(there, side, turned, columns);
  __syncthreads();
  finish_columns(own, columns, (turned ? square.columns : square.rows) + place + column, side);
  move_columns<true>(there, side, turned, columns);
}

class DirectedSteps {
 public:
  explicit DirectedSteps(const DirectedSquare& square) : square_(square) {
    allow_shared(directed_diagonal_kernel, kDiagonalBytes, kWhat);
    allow_shared(directed_columns_kernel, kColumnsBytes, kWhat);
    allow_shared(directed_trail_kernel, Tile128::kBytes, kWhat);
  }
  int panels() const { return square_.panels; }
  void trail(const TrailStep& step, cudaStream_t stream) const {
    const unsigned tiles = step.done > 0 ? detail::directed_tiles(step, square_.panels) : 0;
    launch(directed_trail_kernel, {dim3(tiles), kTileThreads, Tile128::kBytes, stream, kWhat},
           square_, step);
  }
  void finish(int panel, cudaStream_t stream) const {
    launch(directed_diagonal_kernel,
           {dim3(1), kPanelTuning.panel_block, kDiagonalBytes, stream, kWhat}, square_, panel);
    launch(directed_columns_kernel,
           {dim3(static_cast<unsigned>(square_.panels * kPanelBlocks), 2), kPanelTuning.panel_block,
            kColumnsBytes, stream, kWhat},
           square_, panel);
  }

 private:
  static constexpr const char* kWhat = "directed floyd-warshall";
  DirectedSquare square_;
};

__global__ void cut_kernel(float* distances, std::int64_t count, float cutoff) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    if (distances[i] > cutoff) distances[i] = __int_as_float(kInfiniteBits);
}

}  // namespace

void close_directed_square(const DirectedSquare& square, const Exec& exec, cudaStream_t stream) {
  if (square.panels > 0) close_in_groups(DirectedSteps(square), exec, stream);
}

void cut_directed_square(const DirectedSquare& square, float cutoff, cudaStream_t stream) {
  if (cutoff == kUnreachable) return;
  constexpr unsigned kThreads = 256, kBlocksOfPanel = 8;
  const std::int64_t side = square.side();
  launch(cut_kernel,
         {dim3(static_cast<unsigned>(square.panels) * kBlocksOfPanel), kThreads, 0, stream,
          "cutting distances"},
         square.distances, side * side, cutoff);
}

}  // namespace fovea::cuda
