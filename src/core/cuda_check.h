// CUDA calls that throw. Included by .cu files only.
#pragma once
#include <cuda_runtime.h>

namespace fovea::cuda {

// Throws DeviceError that names the failed work and CUDA's reason; the error state is cleared
// first.
void check(cudaError_t status, const char* what);

// After a launch: what went wrong in asking for it.
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

}  // namespace fovea::cuda
