#include "core/on_device.cuh"

#include <fovea/error.h>

namespace fovea::cuda {
namespace {

// By default the driver takes freed scratch memory back whenever the device is awaited, and getting
// it again costs more than most operations. A pool that someone else has set up is left alone.
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

}  // namespace

Session::Session(const Exec& exec)
    : stream_(static_cast<cudaStream_t>(exec.stream)), wait_(exec.stream == nullptr) {
  throw_if_stopped(exec);
  check(cudaGetDevice(&previous_device_), "reading the current device");
  check(cudaSetDevice(exec.device.index), "choosing the device");
  keep_scratch_memory(exec.device.index);
}

Session::~Session() { cudaSetDevice(previous_device_); }

void Session::finish(const char* what) {
  check_launch(what);
  if (wait_) check(cudaStreamSynchronize(stream_), what);
}

}  // namespace fovea::cuda
