#pragma once
#include <fovea/core/api.h>
#include <fovea/core/device.h>

#include <memory>

namespace fovea {

// Owns a cudaStream_t for Exec::stream. The GPU work of several threads overlaps where each has its
// own. The stream is null where the device is not a GPU, which the CPU twins accept; then its
// functions do nothing.
class FOVEA_API Stream {
 public:
  Stream() = default;
  explicit Stream(Device device);

  void* get() const { return stream_.get(); }
  // Work that this stream gets from now on begins after the work that `other`, a cudaStream_t, has
  // got so far.
  void wait_for(void* other) const;
  // Returns when the work of this stream is done.
  void synchronize() const;

 private:
  struct FOVEA_API Release {
    void operator()(void* stream) const noexcept;
  };
  std::unique_ptr<void, Release> stream_;
};

}  // namespace fovea
