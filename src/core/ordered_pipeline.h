// A stream of items through five steps that run at the same time. The results are those of a loop
// over the items, and come in its order.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/frame_steps.h>

#include <cstdint>

namespace fovea {

struct PipelinePlan {
  int engines = 1;    // how many items are worked on at a time; a single engine gets them in order
  int threads = 1;    // threads that prepare, work and complete
  int in_flight = 1;  // items that exist at a time; with 1, all steps run in the calling thread
  std::uint64_t memory_bytes = 0;  // most memory of all items in flight; 0: no limit
};

// Items are known by slots from 0 to in_flight - 1, workers by numbers below `engines`. `write` is
// called in the thread that calls this. Returns when all items are written; all its threads have
// ended when it returns or throws. An exception of read, prepare, work or complete leaves here when
// the items before it are written, one of write at once. After a request to stop, no further item
// is begun, those in flight are written up to the first that was cancelled, and Cancelled is thrown
// if items are left.
void run_pipeline(const PipelinePlan& plan, const SlotSteps& steps, const Exec& exec);

}  // namespace fovea
