#include <fovea/core/stream.h>

#include "core/backend.h"

namespace fovea {

Stream::Stream(Device device)
    : stream_(device.kind == DeviceKind::kCuda ? cuda::make_stream(device.index) : nullptr) {}

void Stream::wait_for(void* other) const {
  if (stream_) cuda::wait_for_stream(stream_.get(), other);
}

void Stream::synchronize() const {
  if (stream_) cuda::synchronize_stream(stream_.get());
}

void Stream::Release::operator()(void* stream) const noexcept { cuda::release_stream(stream); }

}  // namespace fovea
