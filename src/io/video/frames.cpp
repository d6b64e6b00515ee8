// One policy for every stream of frames: order, progress, stop, and what happens after a failure.
#include <fovea/core/error.h>
#include <fovea/io/frames.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "core/ordered_pipeline.h"
#include "core/parallel.h"

namespace fovea::io {
namespace {

constexpr int kDeviceWorkers = 3;  // upload, compute and download of three frames overlap
constexpr int kWaitingFrames = 2;  // read ahead, so that no worker waits for the source

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace

void describe(OptionVisitor& visit, FrameRunOptions& options) {
  visit("in-flight", options.in_flight,
        "frames that exist at a time; with 1 reading, work and writing take turns", 1, 1e6);
  visit("stage", options.stage, "name of the stage in progress reports");
}

FrameWorkers plan_frame_workers(const Exec& exec, int most) {
  const int threads = thread_count(exec);
  const bool cuda = resolve(exec.device).kind == DeviceKind::kCuda;
  FrameWorkers plan;
  plan.count = std::clamp(cuda ? kDeviceWorkers : threads, 1, std::max(1, most));
  plan.threads = std::max(1, threads / plan.count);
  plan.in_flight = !cuda && threads == 1 ? 1 : plan.count + kWaitingFrames;
  return plan;
}

namespace detail {

FrameRun run_slots(int workers, const SlotSteps& steps, const FrameRunOptions& options) {
  if (workers < 1) throw InvalidArgument("run_frames: there is no worker; give at least one");
  struct Ticket {
    int slot = -1;  // set at the first read
  };
  FrameRun run;
  int slots = 0;
  bool sink_failed = false;
  std::vector<int> numbers(static_cast<std::size_t>(workers));
  std::iota(numbers.begin(), numbers.end(), 0);
  OrderedPipeline<Ticket, int> pipeline(
      numbers, options.in_flight,
      {.read =
           [&](Ticket& ticket) {
             if (ticket.slot < 0) ticket.slot = slots++;
             return steps.read(ticket.slot);
           },
       .work = [&](int worker, Ticket& ticket) { steps.work(worker, ticket.slot); },
       .write =
           [&](Ticket& ticket) {
             sink_failed = true;
             steps.write(ticket.slot);
             sink_failed = false;
             ++run.frames;
             if (options.exec.progress)
               options.exec.progress({options.stage, static_cast<double>(run.frames),
                                      static_cast<double>(options.expected)});
           }});
  const double start = now();
  try {
    pipeline.run(options.exec);
  } catch (...) {
    if (sink_failed) throw;
    run.fault = std::current_exception();
  }
  run.seconds = now() - start;
  return run;
}

}  // namespace detail
}  // namespace fovea::io
