// The order in which floyd-warshall works on the device. While the tiles of one group are updated,
// the panels of the next group are already finished on a stream of their own; the tiles that these
// panels need are updated first.
#pragma once
#include <fovea/core/exec.h>

#include <algorithm>

#include "core/event.cuh"
#include "ops/shortest_paths/close_squares_math.h"

namespace fovea::cuda {

// A stream whose blocks run before those of other streams.
class UrgentStream {
 public:
  UrgentStream() {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "a stream");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "a stream");
  }
  ~UrgentStream() { cudaStreamDestroy(stream_); }
  UrgentStream(const UrgentStream&) = delete;
  UrgentStream& operator=(const UrgentStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Steps has panels(), trail(step, stream), and finish(panel, stream), which finishes a panel whose
// tiles have taken all earlier steps.
template <class Steps>
void close_in_groups(const Steps& steps, const Exec& exec, cudaStream_t stream) {
  using detail::kGroup;
  constexpr int kManyPanels = 32;  // as many panels take long enough to report progress
  const int panels = steps.panels();
  const UrgentStream urgent;
  Event ready, finished;
  ready.record(stream);
  for (int group = 0; group < panels; group += kGroup) {
    ready.hold(urgent.get());
    for (int panel = group; panel < std::min(panels, group + kGroup); ++panel) {
      steps.trail({group, panel - group, panel, 1, true}, urgent.get());
      steps.finish(panel, urgent.get());
    }
    finished.record(urgent.get());
    if (group > 0) steps.trail({group - kGroup, kGroup, group, kGroup, false}, stream);
    finished.hold(stream);
    steps.trail({group, kGroup, group + kGroup, kGroup, true}, stream);
    ready.record(stream);
    if (exec.progress && panels >= kManyPanels && group % (8 * kGroup) == 0) {
      throw_if_stopped(exec);
      exec.progress({"distances", static_cast<double>(group), static_cast<double>(panels)});
    }
  }
  steps.trail({(panels - 1) / kGroup * kGroup, kGroup, panels, 0, false}, stream);
}

}  // namespace fovea::cuda
