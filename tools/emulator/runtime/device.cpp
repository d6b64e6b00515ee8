// The device: what it is called and what it has. It resembles an H200.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "api_state.h"
#include "emulator/launch.h"
#include "emulator/threads.h"
#include "settings.h"

namespace emulator {
namespace {

constexpr int kMultiprocessors = 132, kMostThreads = 2048;  // threads of one multiprocessor
constexpr int kSharedOfMultiprocessor = 228 << 10;

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = 0;

}  // namespace

cudaError_t keep(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t occupancy(int* blocks, int threads, std::size_t shared) {
  constexpr int kMostBlocks = 32, kReserved = 1024;  // bytes that each block takes beside its own
  const int warps = (threads + warpSize - 1) / warpSize;
  const int by_warps = kMostThreads / warpSize / std::max(1, warps);
  const int by_memory = static_cast<int>(kSharedOfMultiprocessor / (shared + kReserved));
  *blocks = std::min(kMostBlocks, std::min(by_warps, by_memory));
  return cudaSuccess;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    default: return "an error that the emulator does not raise";
  }
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return *count > 0 ? cudaSuccess : keep(cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* index) {
  *index = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int index) {
  if (index < 0 || index >= device_count()) return keep(cudaErrorInvalidDevice);
  current_device = index;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int index) {
  if (index < 0 || index >= device_count()) return keep(cudaErrorInvalidDevice);
  *to = {};
  std::snprintf(to->name, sizeof(to->name), "NVIDIA H200 (emulated)");
  to->totalGlobalMem = kDeviceBytes;
  to->sharedMemPerBlock = 48 << 10;
  to->sharedMemPerBlockOptin = most_shared();
  to->sharedMemPerMultiprocessor = kSharedOfMultiprocessor;
  to->multiProcessorCount = kMultiprocessors;
  to->major = 9;
  to->warpSize = warpSize;
  to->maxThreadsPerBlock = 1024;
  to->maxThreadsPerMultiProcessor = kMostThreads;
  to->l2CacheSize = 50 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* to, cudaDeviceAttr what, int index) {
  if (index < 0 || index >= device_count()) return keep(cudaErrorInvalidDevice);
  switch (what) {
    case cudaDevAttrMultiProcessorCount: *to = kMultiprocessors; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *to = kMostThreads; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *to = kSharedOfMultiprocessor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *to = most_shared(); break;
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* to, int) {
  static Pool pool;
  *to = &pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* to) {
  std::memcpy(to, &pool->threshold, sizeof(pool->threshold));
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* from) {
  std::memcpy(&pool->threshold, from, sizeof(pool->threshold));
  return cudaSuccess;
}
