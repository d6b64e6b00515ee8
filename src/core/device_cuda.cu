// Finds GPUs. Nothing here fails on a machine without a driver; the functions return the reason
// instead.
#include <fovea/core/error.h>

#include <algorithm>
#include <string>

#include "core/backend.h"
#include "core/cuda_check.h"

namespace fovea::cuda {
namespace {

// The number of GPUs, or -1 with the reason that CUDA gives.
int count_devices(std::string& reason) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return count;
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice) {
    int driver = 0;
    const bool driver_found = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
    if (!driver_found) reason = "no NVIDIA driver on this machine";
    else if (status == cudaErrorNoDevice) reason = "no NVIDIA GPU on this machine";
    else
      reason = "the NVIDIA driver supports CUDA " + std::to_string(driver / 1000) + "." +
               std::to_string(driver % 1000 / 10) + ", this build needs " + toolkit_version();
    return -1;
  }
  reason = cudaGetErrorString(status);
  return -1;
}

__global__ void probe_kernel() {}

// Empty where work can run on this GPU. A GPU for which this build has no code cannot be used;
// querying the attributes of a kernel finds that out without running it.
std::string refusal_of(int index) {
  int previous = index;
  cudaFuncAttributes attributes;
  cudaError_t status = cudaGetDevice(&previous);
  if (status == cudaSuccess && previous != index) status = cudaSetDevice(index);
  if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (previous != index) cudaSetDevice(previous);
  cudaGetLastError();
  if (status == cudaSuccess) return {};
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction)
    return "this build holds no code for this GPU; rebuild with -DCMAKE_CUDA_ARCHITECTURES=native";
  return cudaGetErrorString(status);
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) {
    std::size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    throw DeviceError(
        std::string(what) + ": out of device memory (" + std::to_string(free_bytes >> 20) + " of " +
        std::to_string(total_bytes >> 20) + " MiB free); work on smaller images or batches");
  }
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(status));
}

std::string toolkit_version() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

int device_count() {
  std::string reason;
  return std::max(count_devices(reason), 0);
}

std::uint64_t free_memory(Device device) {
  const ScopedDevice here(device);
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free memory");
  return free_bytes;
}

std::string absence(int index) {
  std::string reason;
  const int count = count_devices(reason);
  if (count < 0) return reason;
  if (count == 0) return "no NVIDIA GPU on this machine";
  if (index < 0 || index >= count)
    return "this machine has " + std::to_string(count) + (count == 1 ? " GPU" : " GPUs") +
           ", counted from cuda:0";
  return refusal_of(index);
}

std::vector<DeviceInfo> device_infos() {
  std::vector<DeviceInfo> infos;
  std::string reason;
  const int count = count_devices(reason);
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, i), "reading device properties");
    infos.push_back({Device::cuda(i), properties.name, properties.totalGlobalMem,
                     properties.multiProcessorCount,
                     std::to_string(properties.major) + "." + std::to_string(properties.minor)});
  }
  return infos;
}

}  // namespace fovea::cuda
