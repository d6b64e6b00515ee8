// Floyd-Warshall over squares on the device, in the order of close_squares_math.h. While the tiles
// of one group are updated, the panels of the next group are already finished on a stream of their
// own; the tiles that these panels need are updated first.
#include <algorithm>

#include "core/event.cuh"
#include "ops/shortest_paths/min_plus_tile.cuh"
#include "ops/shortest_paths/squares.cuh"

namespace fovea::cuda {
namespace {

using detail::kGroup;
using detail::kPanel;
using detail::kPathTile;
using detail::kPivots;
using detail::TrailStep;
using detail::TrailTile;
using Tile128 = Tile<4>;
static_assert(Tile128::kRows == kPanel && Tile128::kColumns == kPanel);

constexpr struct {
  unsigned panel_block = 256;  // threads that finish a panel: 4 x 4 numbers of 64 x 64 per thread
  int columns = 64;            // columns of a panel that a block finishes
} kTuning;
constexpr int kPanelThreads = static_cast<int>(kTuning.panel_block);
constexpr auto kTileThreads = static_cast<unsigned>(Tile128::kThreads);
constexpr int kBlocks = kPanel / kTuning.columns;  // blocks per tile of a panel
constexpr int kDiagonalPitch = kPanel + 4, kColumnsPitch = 64 + 4;
constexpr std::size_t kDiagonalBytes = sizeof(float) * kPanel * kDiagonalPitch;
constexpr std::size_t kColumnsBytes = sizeof(float) * kPanel * (kPanel + kColumnsPitch);

__device__ float* pivots_of(const Square& square, int panel) {
  const int group = panel / kGroup % static_cast<int>(detail::kPivotGroups);
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
  float* to = square.distances + tile.row * kPanel * side + tile.column * kPanel;
  for (int line = static_cast<int>(threadIdx.x); line < 4 * kPanel; line += Tile128::kThreads)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(to + line / 4 * side + line % 4 * 32));

  Tile128::Least least;
  least.clear();
  Tile128::accumulate(reinterpret_cast<Tile128::Stage*>(shared_memory),
                      {pivots + tile.row * kPanel, side}, {pivots + tile.column * kPanel, side},
                      tile.begin, tile.end, least);
#pragma unroll
  for (int i = 0; i < Tile128::kMine; ++i)
#pragma unroll
    for (int j = 0; j < Tile128::kMine; j += 4) {
      auto* place = reinterpret_cast<int4*>(to + Tile128::row(i) * side + Tile128::column(j));
      int4 old = __ldcs(place);
      old.x = min(old.x, least.bits[i][j]);
      old.y = min(old.y, least.bits[i][j + 1]);
      old.z = min(old.z, least.bits[i][j + 2]);
      old.w = min(old.w, least.bits[i][j + 3]);
      __stcs(place, old);
    }
}

// The position of one of 256 threads in a tile of 64 x 64: the first of its 4 x 4 numbers.
__device__ int tile_row() { return static_cast<int>(threadIdx.x) / 16 * 4; }
__device__ int tile_column() { return static_cast<int>(threadIdx.x) % 16 * 4; }

// least(i, j) = min of itself and a(k, i) + b(k, j) over the 64 k of a tile in shared memory.
__device__ void multiply(const float* a, int a_pitch, const float* b, int b_pitch,
                         int (&least)[4][4]) {
  a += tile_row();
  b += tile_column();
#pragma unroll 4
  for (int k = 0; k < kPathTile; k += 2) {
    const float4 a0 = *reinterpret_cast<const float4*>(a + k * a_pitch);
    const float4 a1 = *reinterpret_cast<const float4*>(a + (k + 1) * a_pitch);
    const float4 b0 = *reinterpret_cast<const float4*>(b + k * b_pitch);
    const float4 b1 = *reinterpret_cast<const float4*>(b + (k + 1) * b_pitch);
    const float a_low[4] = {a0.x, a0.y, a0.z, a0.w}, a_high[4] = {a1.x, a1.y, a1.z, a1.w};
    const float b_low[4] = {b0.x, b0.y, b0.z, b0.w}, b_high[4] = {b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        least[i][j] =
            __vimin3_s32(least[i][j], bits_of(a_low[i] + b_low[j]), bits_of(a_high[i] + b_high[j]));
  }
}

__device__ void set(int (&least)[4][4], int bits) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) least[i][j] = bits;
}

__device__ void load(int (&values)[4][4], const float* tile, int pitch) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int4 row =
        *reinterpret_cast<const int4*>(tile + (tile_row() + i) * pitch + tile_column());
    values[i][0] = row.x, values[i][1] = row.y, values[i][2] = row.z, values[i][3] = row.w;
  }
}

__device__ void store(const int (&values)[4][4], float* tile, std::int64_t pitch) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<int4*>(tile + (tile_row() + i) * pitch + tile_column()) =
        make_int4(values[i][0], values[i][1], values[i][2], values[i][3]);
}

__device__ void store_mirrored(const int (&values)[4][4], float* tile, int pitch) {
#pragma unroll
  for (int j = 0; j < 4; ++j)
    *reinterpret_cast<int4*>(tile + (tile_column() + j) * pitch + tile_row()) =
        make_int4(values[0][j], values[1][j], values[2][j], values[3][j]);
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
__global__ void __launch_bounds__(kTuning.panel_block)
    diagonal_kernel(const Square* squares, int panel) {
  extern __shared__ float4 shared_memory[];
  alignas(16) __shared__ float through[2 * kPathTile];
  const Square square = squares[blockIdx.x];
  if (panel >= square.panels) return;
  auto* tile = reinterpret_cast<float*>(shared_memory);
  const std::int64_t side = square.side();
  float* distances = square.distances + panel * kPanel * side + panel * kPanel;
  float* pivots = pivots_of(square, panel) + panel * kPanel;
  constexpr int kQuads = kPanel / 4;
  for (int i = static_cast<int>(threadIdx.x); i < kPanel * kQuads; i += kPanelThreads)
    *reinterpret_cast<float4*>(tile + i / kQuads * kDiagonalPitch + i % kQuads * 4) =
        *reinterpret_cast<const float4*>(distances + i / kQuads * side + i % kQuads * 4);
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
  for (int i = static_cast<int>(threadIdx.x); i < kPanel * kQuads; i += kPanelThreads)
    *reinterpret_cast<float4*>(distances + i / kQuads * side + i % kQuads * 4) =
        *reinterpret_cast<const float4*>(tile + i / kQuads * kDiagonalPitch + i % kQuads * 4);
}

// Copies 64 columns of a panel's rows between global and shared memory. Above the diagonal they are
// the mirrored ones below it; there 32 threads read 32 rows, whose next numbers are in the cache.
template <bool kStore>
__device__ void move_columns(const Square& square, int panel, int column, float* columns) {
  const std::int64_t side = square.side();
  const bool below = column / kPanel < panel;
  constexpr int kQuads = kTuning.columns / 4;
  for (int i = static_cast<int>(threadIdx.x); i < kPanel * kQuads; i += kPanelThreads) {
    if (below) {
      float* here = columns + i / kQuads * kColumnsPitch + i % kQuads * 4;
      float* there =
          square.distances + (panel * kPanel + i / kQuads) * side + column + i % kQuads * 4;
      if constexpr (kStore) *reinterpret_cast<float4*>(there) = *reinterpret_cast<float4*>(here);
      else *reinterpret_cast<float4*>(here) = *reinterpret_cast<float4*>(there);
    } else {
      const int k = i / kTuning.columns * 4, c = i % kTuning.columns;
      float* here = columns + k * kColumnsPitch + c;
      auto* there =
          reinterpret_cast<float4*>(square.distances + (column + c) * side + panel * kPanel + k);
      if constexpr (kStore) {
        *there = make_float4(here[0], here[kColumnsPitch], here[2 * kColumnsPitch],
                             here[3 * kColumnsPitch]);
      } else {
        const float4 four = *there;
        here[0] = four.x;
        here[kColumnsPitch] = four.y;
        here[2 * kColumnsPitch] = four.z;
        here[3 * kColumnsPitch] = four.w;
      }
    }
  }
}

// Finishes 64 columns of the panel's rows and computes their pivots.
__global__ void __launch_bounds__(kTuning.panel_block, 2)
    columns_kernel(const Square* squares, int panel) {
  extern __shared__ float4 shared_memory[];
  const Square square = squares[blockIdx.y];
  const int column = static_cast<int>(blockIdx.x) * kTuning.columns;
  if (panel >= square.panels || column >= square.side() || column / kPanel == panel) return;
  auto* own = reinterpret_cast<float*>(shared_memory);  // pivots of the panel's own tile
  float* columns = own + kPanel * kPanel;
  const std::int64_t side = square.side();
  float* pivots = pivots_of(square, panel);
  constexpr int kQuads = kPanel / 4;
  for (int i = static_cast<int>(threadIdx.x); i < kPanel * kQuads; i += kPanelThreads)
    *reinterpret_cast<float4*>(own + i * 4) = *reinterpret_cast<const float4*>(
        pivots + i / kQuads * side + panel * kPanel + i % kQuads * 4);
  move_columns<false>(square, panel, column, columns);
  __syncthreads();
  for (int t = 0; t < 2; ++t) {
    const int u = 1 - t;
    const float* row = own + t * kPathTile * kPanel;
    float* here = columns + t * kPathTile * kColumnsPitch;
    float* there = columns + u * kPathTile * kColumnsPitch;
    int least[4][4];
    set(least, kInfiniteBits);
    multiply(row + t * kPathTile, kPanel, here, kColumnsPitch, least);
    __syncthreads();
    store(least, here, kColumnsPitch);
    store(least, pivots + t * kPathTile * side + column, side);
    __syncthreads();
    load(least, there, kColumnsPitch);
    multiply(row + u * kPathTile, kPanel, here, kColumnsPitch, least);
    store(least, there, kColumnsPitch);  // each thread stores its own numbers
    __syncthreads();
  }
  move_columns<true>(square, panel, column, columns);
}

// A stream whose blocks run before those of other streams.
class UrgentStream {
 public:
  UrgentStream() {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "a stream");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "a stream");
  }
  ~UrgentStream() { cudaStreamDestroy(stream_); }
  UrgentStream(const UrgentStream&) = delete;
  UrgentStream& operator=(const UrgentStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Closing {
 public:
  Closing(const Squares& squares, cudaStream_t stream) : squares_(squares), stream_(stream) {
    for (const Square& square : squares.all) panels_ = std::max(panels_, square.panels);
    allow_shared(diagonal_kernel, kDiagonalBytes, kWhat);
    allow_shared(columns_kernel, kColumnsBytes, kWhat);
    allow_shared(trail_kernel, Tile128::kBytes, kWhat);
  }

  void run(const Exec& exec) {
    constexpr int kManyPanels = 32;  // as many panels take long enough to report progress
    Event ready, finished;
    ready.record(stream_);
    for (int group = 0; group < panels_; group += kGroup) {
      ready.hold(urgent_.get());
      finish_panels(group);
      finished.record(urgent_.get());
      if (group > 0) trail({group - kGroup, kGroup, group, kGroup, false}, stream_);
      finished.hold(stream_);
      trail({group, kGroup, group + kGroup, kGroup, true}, stream_);
      ready.record(stream_);
      if (exec.progress && panels_ >= kManyPanels && group % (8 * kGroup) == 0) {
        throw_if_stopped(exec);
        exec.progress({"distances", static_cast<double>(group), static_cast<double>(panels_)});
      }
    }
    const int last = (panels_ - 1) / kGroup * kGroup;
    trail({last, kGroup, panels_, 0, false}, stream_);
  }

 private:
  static constexpr const char* kWhat = "floyd-warshall";

  unsigned count() const { return static_cast<unsigned>(squares_.all.size()); }
  void finish_panels(int group) {
    for (int panel = group; panel < std::min(panels_, group + kGroup); ++panel) {
      trail({group, panel - group, panel, 1, true}, urgent_.get());
      launch(diagonal_kernel,
             {dim3(count()), kTuning.panel_block, kDiagonalBytes, urgent_.get(), kWhat},
             squares_.on_device, panel);
      launch(columns_kernel,
             {dim3(static_cast<unsigned>(panels_ * kBlocks), count()), kTuning.panel_block,
              kColumnsBytes, urgent_.get(), kWhat},
             squares_.on_device, panel);
    }
  }
  void trail(const TrailStep& step, cudaStream_t stream) {
    unsigned tiles = 0;
    if (step.done > 0)
      for (const Square& square : squares_.all)
        tiles = std::max(tiles, detail::trail_tiles(step, square.panels));
    launch(trail_kernel, {dim3(tiles, count()), kTileThreads, Tile128::kBytes, stream, kWhat},
           squares_.on_device, step);
  }

  Squares squares_;
  cudaStream_t stream_;
  UrgentStream urgent_;
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

void close_squares(const Squares& squares, const Exec& exec, cudaStream_t stream) {
  if (most_panels(squares) > 0) Closing(squares, stream).run(exec);
}

void mirror_squares(const Squares& squares, float cutoff, cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(most_panels(squares) * (kPanel / kMirror));
  launch(mirror_kernel,
         {dim3(rows * (rows + 1) / 2, static_cast<unsigned>(squares.all.size())), 8 * kMirror, 0,
          stream, "mirroring distances"},
         squares.on_device, cutoff);
}

}  // namespace fovea::cuda
