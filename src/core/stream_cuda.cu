// Streams that do not wait for the default stream.
#include "core/backend.h"
#include "core/cuda_check.h"

namespace fovea::cuda {

void* make_stream(int index) {
  const ScopedDevice device(Device::cuda(index));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return stream;
}

void release_stream(void* stream) noexcept { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }

}  // namespace fovea::cuda
