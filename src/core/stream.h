// A CUDA stream of its own for each thread, so that the GPU work of several threads overlaps.
#pragma once
#include <fovea/core/device.h>

#include <memory>

#include "core/backend.h"

namespace fovea {

// Owns a cudaStream_t for Exec::stream. The stream is null where the device is not a GPU, which the
// CPU twins accept.
class Stream {
 public:
  Stream() = default;
  explicit Stream(Device device)
      : stream_(device.kind == DeviceKind::kCuda ? cuda::make_stream(device.index) : nullptr) {}
  void* get() const { return stream_.get(); }

 private:
  struct Release {
    void operator()(void* stream) const noexcept { cuda::release_stream(stream); }
  };
  std::unique_ptr<void, Release> stream_;
};

}  // namespace fovea
