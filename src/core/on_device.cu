#include "core/on_device.cuh"

#include <fovea/core/error.h>
#include <fovea/core/exec.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace fovea::cuda {
namespace {

// By default the driver takes freed scratch memory back whenever the host waits for the device, and
// allocating it again costs more than most operations. A pool that someone else has configured is
// left alone.
void keep_scratch_memory(int device) {
  constexpr std::uint64_t kKeptBytes = std::uint64_t{256} << 20;
  cudaMemPool_t pool = nullptr;
  std::uint64_t kept = 0;
  check(cudaDeviceGetDefaultMemPool(&pool, device), "finding the memory pool");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
        "reading the memory pool");
  if (kept != 0) return;
  kept = kKeptBytes;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
        "setting the memory pool");
}

// Data that travels in the arguments of a kernel, which may have 4 KiB.
struct Payload {
  static constexpr std::size_t kBytes = 3584;
  unsigned char bytes[kBytes];
};

__global__ void store_kernel(const __grid_constant__ Payload payload, unsigned char* to,
                             unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[i] = payload.bytes[i];
}

}  // namespace

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "asking for a capture");
  return status != cudaStreamCaptureStatusNone;
}

void upload(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes > Payload::kBytes && !is_captured(stream)) {
    // Pageable host memory: the call returns once the data has been read.
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "uploading a table");
    return;
  }
  constexpr int kThreads = 256;
  Payload payload{};
  for (std::size_t done = 0; done < bytes; done += Payload::kBytes) {
    const std::size_t count = std::min(bytes - done, Payload::kBytes);
    std::memcpy(payload.bytes, static_cast<const unsigned char*>(from) + done, count);
    store_kernel<<<1, kThreads, 0, stream>>>(payload, static_cast<unsigned char*>(to) + done,
                                             static_cast<unsigned>(count));
    check_launch("uploading a table");
  }
}

int require_shared(std::size_t bytes, const char* operation) {
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "reading the current device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "reading the shared memory of the device");
  if (bytes > static_cast<std::size_t>(most))
    throw DeviceError(std::string(operation) + ": needs " + std::to_string(bytes) +
                      " bytes of shared memory a block, cuda:" + std::to_string(device) + " has " +
                      std::to_string(most) + "; ask for device cpu");
  return most;
}

Session::Session(const Exec& exec)
    : stream_(static_cast<cudaStream_t>(exec.stream)), wait_(exec.stream == nullptr) {
  throw_if_stopped(exec);
  cudaGetLastError();  // earlier errors do not belong to this call
  check(cudaGetDevice(&previous_device_), "reading the current device");
  check(cudaSetDevice(exec.device.index), "choosing the device");
  // A captured call may not query memory; the call before it, which loaded the kernels, has done
  // so.
  if (stream_ == nullptr || !is_captured(stream_)) keep_scratch_memory(exec.device.index);
}

Session::~Session() { cudaSetDevice(previous_device_); }

void Session::finish(const char* what) {
  check_launch(what);
  if (wait_) check(cudaStreamSynchronize(stream_), what);
}

}  // namespace fovea::cuda
