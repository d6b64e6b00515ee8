#include "core/on_device.cuh"

#include <fovea/error.h>

namespace fovea::cuda {

Session::Session(const Exec& exec)
    : stream_(static_cast<cudaStream_t>(exec.stream)), wait_(exec.stream == nullptr) {
  throw_if_stopped(exec);
  check(cudaGetDevice(&previous_device_), "reading the current device");
  check(cudaSetDevice(exec.device.index), "choosing the device");
}

Session::~Session() { cudaSetDevice(previous_device_); }

void Session::finish(const char* what) {
  check_launch(what);
  if (wait_) check(cudaStreamSynchronize(stream_), what);
}

}  // namespace fovea::cuda
