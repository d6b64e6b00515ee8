// An engine that lives on one device and is made again when the work moves to another.
#pragma once
#include <fovea/core/device.h>

#include <memory>
#include <utility>

namespace fovea::detail {

template <class Engine>
class Resident {
 public:
  // The engine for a resolved device. make() returns a std::unique_ptr<Engine>; it is called the
  // first time, after reset(), and when the device differs from that of the call before.
  template <class Make>
  Engine& on(Device device, Make&& make) {
    if (engine_ == nullptr || device != device_) {
      engine_.reset();  // frees its memory before the next engine allocates
      engine_ = std::forward<Make>(make)();
      device_ = device;
    }
    return *engine_;
  }

  // The engine of the last call, or null.
  Engine* get() const { return engine_.get(); }
  // Makes the next call build a new engine, for example because the size of its input has changed.
  void reset() { engine_.reset(); }

 private:
  std::unique_ptr<Engine> engine_{};
  Device device_{};
};

}  // namespace fovea::detail
