// A position in a stream that other streams or the host can wait for.
#pragma once
#include "core/cuda_check.h"

namespace fovea::cuda {

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "an event"); }
  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_), "an event"); }
  // Whether the device has reached this position. Forgets errors of earlier launches.
  bool passed() const {
    if (cudaEventQuery(event_) == cudaSuccess) return true;
    cudaGetLastError();  // CUDA calls it an error
    return false;
  }
  // `what` names the work in errors, which are reported here.
  void wait(const char* what) const { check(cudaEventSynchronize(event_), what); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace fovea::cuda
