// What the kernels of floyd-warshall share: the update of a tile of 128 x 128, and the steps over
// tiles of 64 x 64 in shared memory with which a panel is finished by 256 threads.
#pragma once
#include "ops/shortest_paths/close_squares_math.h"
#include "ops/shortest_paths/min_plus_tile.cuh"

namespace fovea::cuda {

using detail::kPathTile;
using Tile128 = Tile<4>;
static_assert(Tile128::kRows == detail::kPanel && Tile128::kColumns == detail::kPanel);
constexpr auto kTileThreads = static_cast<unsigned>(Tile128::kThreads);

// The tile at `to` is the least of itself and a(k, row) + b(k, column) for k from begin to end. All
// threads of a block must call it; `stages` has Tile128::kBytes of shared memory.
struct TileUpdate {
  float* to;
  std::int64_t pitch;
  Strip a, b;
  int begin, end;
};
__device__ inline void update_tile(const TileUpdate& update, float4* stages) {
  float* to = update.to;
  const std::int64_t pitch = update.pitch;
  for (int line = static_cast<int>(threadIdx.x); line < 4 * detail::kPanel;
       line += Tile128::kThreads)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(to + line / 4 * pitch + line % 4 * 32));

  Tile128::Least least;
  least.clear();
  Tile128::accumulate(reinterpret_cast<Tile128::Stage*>(stages), update.a, update.b, update.begin,
                      update.end, least);
#pragma unroll
  for (int i = 0; i < Tile128::kMine; ++i)
#pragma unroll
    for (int j = 0; j < Tile128::kMine; j += 4) {
      auto* place = reinterpret_cast<int4*>(to + Tile128::row(i) * pitch + Tile128::column(j));
      int4 old = __ldcs(place);
      old.x = min(old.x, least.bits[i][j]);
      old.y = min(old.y, least.bits[i][j + 1]);
      old.z = min(old.z, least.bits[i][j + 2]);
      old.w = min(old.w, least.bits[i][j + 3]);
      __stcs(place, old);
    }
}

// The position of one of 256 threads in a tile of 64 x 64: the first of its 4 x 4 numbers.
__device__ inline int tile_row() { return static_cast<int>(threadIdx.x) / 16 * 4; }
__device__ inline int tile_column() { return static_cast<int>(threadIdx.x) % 16 * 4; }

// least(i, j) = min of itself and a(k, i) + b(k, j) over the 64 k of a tile in shared memory.
__device__ inline void multiply(const float* a, int a_pitch, const float* b, int b_pitch,
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

__device__ inline void set(int (&least)[4][4], int bits) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) least[i][j] = bits;
}

__device__ inline void load(int (&values)[4][4], const float* tile, int pitch) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int4 row =
        *reinterpret_cast<const int4*>(tile + (tile_row() + i) * pitch + tile_column());
    values[i][0] = row.x, values[i][1] = row.y, values[i][2] = row.z, values[i][3] = row.w;
  }
}

__device__ inline void store(const int (&values)[4][4], float* tile, std::int64_t pitch) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<int4*>(tile + (tile_row() + i) * pitch + tile_column()) =
        make_int4(values[i][0], values[i][1], values[i][2], values[i][3]);
}

__device__ inline void store_mirrored(const int (&values)[4][4], float* tile, std::int64_t pitch) {
#pragma unroll
  for (int j = 0; j < 4; ++j)
    *reinterpret_cast<int4*>(tile + (tile_column() + j) * pitch + tile_row()) =
        make_int4(values[0][j], values[1][j], values[2][j], values[3][j]);
}

constexpr struct {
  unsigned panel_block = 256;  // threads that finish a panel: 4 x 4 numbers of 64 x 64 per thread
  int columns = 64;            // columns of a panel that a block finishes
} kPanelTuning;
constexpr int kPanelThreads = static_cast<int>(kPanelTuning.panel_block);
constexpr int kPanelBlocks = detail::kPanel / kPanelTuning.columns;  // blocks per tile of a panel
constexpr int kDiagonalPitch = detail::kPanel + 4, kColumnsPitch = kPanelTuning.columns + 4;
constexpr std::size_t kDiagonalBytes = sizeof(float) * detail::kPanel * kDiagonalPitch;
constexpr std::size_t kColumnsBytes =
    sizeof(float) * detail::kPanel * (detail::kPanel + kColumnsPitch);

// Copies the panel's own tile of 128 x 128 between global memory, with a pitch of its own, and
// shared memory with kDiagonalPitch.
template <bool kStore>
__device__ void move_diagonal(float* there, std::int64_t pitch, float* tile) {
  constexpr int kQuads = detail::kPanel / 4;
  for (int i = static_cast<int>(threadIdx.x); i < detail::kPanel * kQuads; i += kPanelThreads) {
    auto* global = reinterpret_cast<float4*>(there + i / kQuads * pitch + i % kQuads * 4);
    auto* shared = reinterpret_cast<float4*>(tile + i / kQuads * kDiagonalPitch + i % kQuads * 4);
    if constexpr (kStore) *global = *shared;
    else *shared = *global;
  }
}

// Loads 128 x 128 pivots to shared memory without gaps.
__device__ inline void load_own(const float* pivots, std::int64_t side, float* own) {
  constexpr int kQuads = detail::kPanel / 4;
  for (int i = static_cast<int>(threadIdx.x); i < detail::kPanel * kQuads; i += kPanelThreads)
    *reinterpret_cast<float4*>(own + i * 4) =
        *reinterpret_cast<const float4*>(pivots + i / kQuads * side + i % kQuads * 4);
}

// Copies 64 columns of a panel's rows between shared memory and a tile at `there`, which has them
// as rows or, where it is `turned`, as columns: there 32 threads read 32 rows, whose next numbers
// are in the cache.
template <bool kStore>
__device__ void move_columns(float* there, std::int64_t pitch, bool turned, float* columns) {
  constexpr int kQuads = kPanelTuning.columns / 4;
  for (int i = static_cast<int>(threadIdx.x); i < detail::kPanel * kQuads; i += kPanelThreads) {
    if (!turned) {
      auto* shared =
          reinterpret_cast<float4*>(columns + i / kQuads * kColumnsPitch + i % kQuads * 4);
      auto* global = reinterpret_cast<float4*>(there + i / kQuads * pitch + i % kQuads * 4);
      if constexpr (kStore) *global = *shared;
      else *shared = *global;
    } else {
      const int k = i / kPanelTuning.columns * 4, c = i % kPanelTuning.columns;
      float* here = columns + k * kColumnsPitch + c;
      auto* global = reinterpret_cast<float4*>(there + c * pitch + k);
      if constexpr (kStore) {
        *global = make_float4(here[0], here[kColumnsPitch], here[2 * kColumnsPitch],
                              here[3 * kColumnsPitch]);
      } else {
        const float4 four = *global;
        here[0] = four.x;
        here[kColumnsPitch] = four.y;
        here[2 * kColumnsPitch] = four.z;
        here[3 * kColumnsPitch] = four.w;
      }
    }
  }
}

// Finishes 64 columns of a panel's rows in shared memory. own(k, i) is the way from node i of the
// panel to its node k when k was a pivot; the pivots of the columns go to `pivots`.
__device__ inline void finish_columns(const float* own, float* columns, float* pivots,
                                      std::int64_t side) {
  for (int t = 0; t < 2; ++t) {
    const int u = 1 - t;
    const float* row = own + t * kPathTile * detail::kPanel;
    float* here = columns + t * kPathTile * kColumnsPitch;
    float* there = columns + u * kPathTile * kColumnsPitch;
    int least[4][4];
    set(least, kInfiniteBits);
    multiply(row + t * kPathTile, detail::kPanel, here, kColumnsPitch, least);
    __syncthreads();
    store(least, here, kColumnsPitch);
    store(least, pivots + t * kPathTile * side, side);
    __syncthreads();
    load(least, there, kColumnsPitch);
    multiply(row + u * kPathTile, detail::kPanel, here, kColumnsPitch, least);
    store(least, there, kColumnsPitch);  // each thread stores its own numbers
    __syncthreads();
  }
}

}  // namespace fovea::cuda
