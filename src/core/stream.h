// An order of its own for work on a GPU, so that what several threads ask for runs side by side.
#pragma once
#include <fovea/core/device.h>

#include <memory>

#include "core/backend.h"

namespace fovea {

// A cudaStream_t for Exec::stream while this lives; null, which the CPU takes, where the device is
// no GPU.
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
