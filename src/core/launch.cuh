// Shapes of launches and the positions of their threads, and launches in a row where each waits for
// the one before. The threads of the next launch are placed on the multiprocessors while the last
// threads of this one still work, which saves about a microsecond per launch.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/cuda_check.h"
#include "core/on_device.cuh"

namespace fovea::cuda {

// Blocks of `threads` that cover an image of any height, one thread per pixel. In the kernel
// thread_place() is the pixel, which may lie beyond the last one.
inline dim3 grid_over(int width, int height, dim3 threads) {
  return tall_grid(blocks_for(width, static_cast<int>(threads.x)),
                   blocks_for(height, static_cast<int>(threads.y)));
}
__device__ inline int2 thread_place() {
  return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
          block_row() * static_cast<int>(blockDim.y) + static_cast<int>(threadIdx.y)};
}

// In a launch over a list, every thread has an index among all threads of the grid.
__device__ inline unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline unsigned thread_total() { return gridDim.x * blockDim.x; }

// Blocks of `block` threads for `count` items, but at most `each` blocks per multiprocessor of the
// current device. Where there are more items, the kernel loops over them.
inline unsigned blocks_within(std::int64_t count, int block, int each, const char* what) {
  int device = 0, units = 0;
  check(cudaGetDevice(&device), what);
  check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device), what);
  return std::min(blocks_for(count, block), static_cast<unsigned>(std::max(1, units * each)));
}

struct LaunchShape {
  dim3 grid, threads;
  std::size_t shared_bytes = 0;
};

// The kernel must call after_previous() before it reads or writes what other launches do.
template <class... Parameters, class... Arguments>
void launch_after(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
                  const char* what, const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), what);
}

// Waits until the previous launch is complete and visible, then lets the next one begin.
__device__ inline void after_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace fovea::cuda
