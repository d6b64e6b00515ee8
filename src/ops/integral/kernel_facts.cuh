// What a kernel takes of a multiprocessor of the current device.
#pragma once
#include "core/cuda_check.h"
#include "core/timing/timing.h"

namespace fovea::cuda {

template <class Kernel>
KernelFacts kernel_facts(Kernel* kernel, int threads) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "asking about a kernel");
  int blocks = 0, device = 0, most = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
        "asking about a kernel");
  check(cudaGetDevice(&device), "asking about a kernel");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device),
        "asking about a kernel");
  return {threads, attributes.numRegs, static_cast<int>(attributes.sharedSizeBytes),
          static_cast<double>(blocks) * threads / most};
}

}  // namespace fovea::cuda
