// Launches in a row where each waits for the one before: the next one's threads are brought to the
// processors while the last ones of this one still work, which saves about a microsecond each.
#pragma once
#include "core/cuda_check.h"

namespace fovea::cuda {

struct LaunchShape {
  dim3 grid, threads;
  std::size_t shared_bytes = 0;
};

// The kernel must call after_previous() before it reads or writes what others do.
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

// Waits until the launch before is done and seen, then lets the next one come.
__device__ inline void after_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace fovea::cuda
