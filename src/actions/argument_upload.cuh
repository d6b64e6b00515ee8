// Small tables that change with every push. They travel in the arguments of kernels, so that the
// host neither copies nor waits.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/on_device.cuh"

namespace fovea::actions::cuda {

class ArgumentUpload {
 public:
  void send(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    constexpr std::size_t kPiece = 3584;  // what upload() puts into arguments
    constexpr std::size_t kMost = 16 * kPiece;
    if (bytes > kMost) {
      fovea::cuda::upload(to, from, bytes, stream);
      copied_ += static_cast<std::int64_t>(bytes);
      return;
    }
    for (std::size_t done = 0; done < bytes; done += kPiece)
      fovea::cuda::upload(static_cast<unsigned char*>(to) + done,
                          static_cast<const unsigned char*>(from) + done,
                          std::min(kPiece, bytes - done), stream);
  }
  // Bytes that were too many and were copied, for tests.
  std::int64_t copied() const { return copied_; }

 private:
  std::int64_t copied_ = 0;
};

}  // namespace fovea::actions::cuda
