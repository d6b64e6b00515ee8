// Streams that do not wait for the default stream.
#include "core/backend.h"
#include "core/cuda_check.h"
#include "core/event.cuh"

namespace fovea::cuda {

void* make_stream(int index) {
  const ScopedDevice device(Device::cuda(index));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return stream;
}

void release_stream(void* stream) noexcept { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }

void wait_for_stream(void* stream, void* other) {
  Event event;
  event.record(static_cast<cudaStream_t>(other));
  event.hold(static_cast<cudaStream_t>(stream));
}

void synchronize_stream(void* stream) {
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "waiting for a stream");
}

}  // namespace fovea::cuda
