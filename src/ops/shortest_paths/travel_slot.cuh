// Device memory, pinned memory and a stream on which numbers travel between them.
#pragma once
#include <fovea/core/memory.h>

#include <cstddef>

#include "core/event.cuh"
#include "core/on_device.cuh"

namespace fovea::cuda {

struct TravelSlot {
  // `work` names in messages what the numbers are for.
  TravelSlot(std::size_t floats, const char* work)
      : device(floats, Memory::kCuda), host(floats, Memory::kPinned), what(work) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), what);
  }
  ~TravelSlot() {
    cudaStreamSynchronize(stream);  // nothing may still write to memory that is freed now
    cudaStreamDestroy(stream);
  }
  TravelSlot(const TravelSlot&) = delete;
  TravelSlot& operator=(const TravelSlot&) = delete;

  void to_device(float* to, std::size_t floats) {
    check(cudaMemcpyAsync(to, host.data(), floats * sizeof(float), cudaMemcpyHostToDevice, stream),
          what);
  }
  void to_host(const float* from, std::size_t floats) {
    check(
        cudaMemcpyAsync(host.data(), from, floats * sizeof(float), cudaMemcpyDeviceToHost, stream),
        what);
  }

  Array<float> device;
  Array<float> host;
  cudaStream_t stream = nullptr;
  Event done;
  const char* what;
};

}  // namespace fovea::cuda
