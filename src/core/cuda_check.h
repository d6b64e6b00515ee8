// CUDA calls that throw. Only .cu files include this header.
#pragma once
#include <cuda_runtime.h>

namespace fovea::cuda {

// Throws a DeviceError that names the failed work and CUDA's reason, after it has cleared CUDA's
// error state.
void check(cudaError_t status, const char* what);

// Call it after a kernel launch: throws if CUDA refused the launch.
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

// Whether the work of the stream becomes a graph instead of being done.
bool is_captured(cudaStream_t stream);

}  // namespace fovea::cuda
