// Finds GPUs. Nothing here fails on a machine without a driver: it says why instead.
#include <fovea/error.h>

#include <string>

#include "core/backend.h"
#include "core/cuda_check.h"

namespace fovea::cuda {
namespace {

// The number of GPUs, or -1 with CUDA's reason.
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

// A GPU that this build holds no code for cannot be used; asking for a kernel's attributes tells
// without running it.
bool has_code_for_current_device() {
  cudaFuncAttributes attributes;
  const bool ok = cudaFuncGetAttributes(&attributes, probe_kernel) == cudaSuccess;
  cudaGetLastError();
  return ok;
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

std::string absence() {
  std::string reason;
  const int count = count_devices(reason);
  if (count < 0) return reason;
  if (count == 0) return "no NVIDIA GPU on this machine";
  if (!has_code_for_current_device())
    return "this build holds no code for this GPU; rebuild with -DCMAKE_CUDA_ARCHITECTURES=native";
  return {};
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
