// The min-plus product of one tile by one block of threads, with 8 x 8 numbers per thread in
// registers and both operands in shared memory, where three stages of 16 rows are in flight.
//
// Distances are never negative and never NaN, so that their bits have the order of integers. Hopper
// takes the least of three integers in one instruction, which makes one and a half instructions per
// step instead of two.
#pragma once
#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda_check.h"

namespace fovea::cuda {

// Numbers in rows. Row k of an operand is row list[k] of the data, or row k where there is no list.
// Rows are aligned to 16 bytes.
struct Strip {
  const float* data = nullptr;
  std::int64_t pitch = 0;
  const std::int32_t* list = nullptr;

  __device__ const float* row(int k) const { return data + (list ? list[k] : k) * pitch; }
};

__device__ inline int bits_of(float value) { return __float_as_int(value); }
constexpr int kInfiniteBits = 0x7f800000;

// A tile of kRows x kColumns, and the positions of its threads.
template <int kWarpRows>
struct Tile {
  static constexpr int kRows = 32 * kWarpRows, kColumns = 128;
  static constexpr int kThreads = 64 * kWarpRows;
  static constexpr int kDepth = 16, kStages = 3;
  static constexpr int kMine = 8;  // rows and columns per thread: two runs of 4 each

  struct Stage {
    float a[kDepth][kRows];
    float b[kDepth][kColumns];
  };
  static constexpr std::size_t kBytes = kStages * sizeof(Stage);

  // The position in the tile of row or column i of a thread.
  __device__ static int row(int i) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    return warp / 2 * 32 + lane / 8 * 4 + i / 4 * 16 + i % 4;
  }
  __device__ static int column(int j) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    return warp % 2 * 64 + lane % 8 * 4 + j / 4 * 32 + j % 4;
  }

  // The minima of a thread, as bits.
  struct Least {
    int bits[kMine][kMine];
    __device__ void clear() {
#pragma unroll
      for (int i = 0; i < kMine; ++i)
#pragma unroll
        for (int j = 0; j < kMine; ++j) bits[i][j] = kInfiniteBits;
    }
  };

  // Loads one stage of an operand from row k on; rows from `end` on are infinite.
  template <int kWidth>
  __device__ static void fetch(float (*to)[kWidth], const Strip& from, int k, int end) {
    constexpr int kQuads = kWidth / 4;
#pragma unroll
    for (int i = 0; i < kDepth * kQuads / kThreads; ++i) {
      const int item = static_cast<int>(threadIdx.x) + i * kThreads;
      const int row = item / kQuads, quad = item % kQuads * 4;
      if (k + row < end) {
        __pipeline_memcpy_async(&to[row][quad], from.row(k + row) + quad, sizeof(float4));
      } else {
        const float none = __int_as_float(kInfiniteBits);
        *reinterpret_cast<float4*>(&to[row][quad]) = make_float4(none, none, none, none);
      }
    }
  }

  __device__ static void load(const float* from, int apart, float (&to)[kMine]) {
    const float4 low = *reinterpret_cast<const float4*>(from);
    const float4 high = *reinterpret_cast<const float4*>(from + apart);
    to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
    to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
  }

  // least(i, j) = min of itself and a(k, i) + b(k, j) for k from begin to end. All threads of the
  // block must call it; the stages are free again when it returns.
  __device__ static void accumulate(Stage* stages, const Strip& a, const Strip& b, int begin,
                                    int end, Least& least) {
    const int steps = (end - begin + kDepth - 1) / kDepth;
    const int my_row = row(0), my_column = column(0);
    const auto request = [&](int step, int slot) {
      if (step < steps) {
        fetch<kRows>(stages[slot].a, a, begin + step * kDepth, end);
        fetch<kColumns>(stages[slot].b, b, begin + step * kDepth, end);
      }
      __pipeline_commit();
    };
    for (int step = 0; step < kStages - 1; ++step) request(step, step);
    int slot = 0, free_slot = kStages - 1;
    for (int step = 0; step < steps; ++step) {
      __pipeline_wait_prior(kStages - 2);
      __syncthreads();
      request(step + kStages - 1, free_slot);
      free_slot = slot;
      const Stage& now = stages[slot];
#pragma unroll 2  // with more unrolling, registers spill
      for (int k = 0; k < kDepth; k += 2) {
        float b0[kMine], b1[kMine];
        load(&now.b[k][my_column], 32, b0);
        load(&now.b[k + 1][my_column], 32, b1);
#pragma unroll
        for (int i = 0; i < kMine; i += 4) {
          const float4 low = *reinterpret_cast<const float4*>(&now.a[k][my_row + i * 4]);
          const float4 high = *reinterpret_cast<const float4*>(&now.a[k + 1][my_row + i * 4]);
          const float a0[4] = {low.x, low.y, low.z, low.w};
          const float a1[4] = {high.x, high.y, high.z, high.w};
#pragma unroll
          for (int n = 0; n < 4; ++n)
#pragma unroll
            for (int j = 0; j < kMine; ++j)
              least.bits[i + n][j] = __vimin3_s32(least.bits[i + n][j], bits_of(a0[n] + b0[j]),
                                                  bits_of(a1[n] + b1[j]));
        }
      }
      slot = slot + 1 == kStages ? 0 : slot + 1;
    }
    __pipeline_wait_prior(0);
    __syncthreads();
  }
};

struct Launch {
  dim3 grid;
  unsigned threads = 0;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  const char* what = "";
};

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Launch& how, const Arguments&... arguments) {
  if (how.grid.x == 0 || how.grid.y == 0 || how.grid.z == 0) return;
  cudaLaunchConfig_t config{};
  config.gridDim = how.grid;
  config.blockDim = dim3(how.threads);
  config.dynamicSmemBytes = how.shared_bytes;
  config.stream = how.stream;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), how.what);
}

}  // namespace fovea::cuda
