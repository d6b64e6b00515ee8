// The steps of a search on a GPU, timed by events between them. Without a clock nothing is
// recorded.
#pragma once
#include <vector>

#include "core/cuda_check.h"
#include "people/steps.h"

namespace fovea::people::cuda {

class DeviceSteps {
 public:
  DeviceSteps(StepClock* clock, cudaStream_t stream) : clock_(clock), stream_(stream) {}
  ~DeviceSteps() {
    for (const Mark& mark : marks_) cudaEventDestroy(mark.event);
  }
  DeviceSteps(const DeviceSteps&) = delete;
  DeviceSteps& operator=(const DeviceSteps&) = delete;

  // What follows on the stream belongs to this step; the step before ends.
  void begin(Step step) {
    if (!clock_) return;
    marks_.push_back({nullptr, step});
    fovea::cuda::check(cudaEventCreate(&marks_.back().event), "timing a step");
    fovea::cuda::check(cudaEventRecord(marks_.back().event, stream_), "timing a step");
  }
  // Ends the last step, waits for it, and adds all of them to the clock.
  void finish() {
    if (!clock_ || marks_.empty()) return;
    begin(marks_.back().step);
    fovea::cuda::check(cudaEventSynchronize(marks_.back().event), "timing a step");
    for (std::size_t i = 0; i + 1 < marks_.size(); ++i) {
      float milliseconds = 0;
      fovea::cuda::check(cudaEventElapsedTime(&milliseconds, marks_[i].event, marks_[i + 1].event),
                         "timing a step");
      clock_->add(marks_[i].step, 1e-3 * static_cast<double>(milliseconds));
    }
  }

 private:
  struct Mark {
    cudaEvent_t event;
    Step step;
  };
  StepClock* clock_;
  cudaStream_t stream_;
  std::vector<Mark> marks_;
};

}  // namespace fovea::people::cuda
