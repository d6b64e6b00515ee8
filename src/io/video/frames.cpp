// One policy for every stream of frames: order, progress, stop, and what happens after a failure.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/ordered_pipeline.h"
#include "core/parallel.h"

namespace fovea::io {
namespace {

constexpr int kDeviceWorkers = 4;  // uploads, kernels and downloads of several frames overlap
constexpr int kWaitingFrames = 2;  // read ahead, so that no worker waits for the source

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// As an amount of memory is written: 512M.
std::string mebibytes(std::uint64_t bytes, bool up) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
  return fmt::format("{}M", (bytes + (up ? kMebibyte - 1 : 0)) / kMebibyte);
}

}  // namespace

void require_memory(std::uint64_t needed, std::uint64_t most) {
  if (most > 0 && needed > most)
    throw FormatError(fmt::format(
        "needs about {} of memory, more than the {} allowed; raise --memory if the file can be "
        "trusted, or shrink it",
        mebibytes(needed, true), mebibytes(most, false)));
}

void describe(OptionVisitor& visit, FrameRunOptions& options) {
  visit("in-flight", options.in_flight,
        "items that exist at a time; with 1, all steps run in the calling thread", 1, 1e6);
  visit("threads", options.threads, "threads that prepare, work and complete; 0 is one per worker",
        0, 4096);
  visit.bytes("memory", options.memory_bytes, "most memory of all items in flight; 0 is no limit");
  visit.bytes("most-bytes", options.most_bytes,
              "most memory of one item, which is refused else; 0 is no limit");
  visit("stage", options.stage, "name of the stage in progress reports");
}

FrameWorkers plan_frame_workers(const Exec& exec, std::int64_t frames, int most) {
  const int threads = thread_count(exec);
  const bool cuda = resolve(exec.device).kind == DeviceKind::kCuda;
  FrameWorkers plan;
  std::int64_t count = cuda ? kDeviceWorkers : threads;
  if (frames > 0) count = std::min(count, frames);
  if (most > 0) count = std::min<std::int64_t>(count, most);
  plan.count = static_cast<int>(std::max<std::int64_t>(count, 1));
  plan.threads = std::max(1, threads / plan.count);
  plan.runners = std::max(threads, plan.count);
  if (frames > 0) plan.runners = static_cast<int>(std::min<std::int64_t>(plan.runners, frames));
  const bool in_turns = frames == 1 || (!cuda && threads == 1);
  plan.in_flight = in_turns ? 1 : plan.runners + plan.count + kWaitingFrames;
  return plan;
}

FrameWorkers plan_frame_workers(const Exec& exec, const VideoReader& reader, int most) {
  if (!reader.drops_frames())
    return plan_frame_workers(exec, std::max<std::int64_t>(0, reader.expected_frames()), most);
  FrameWorkers plan = plan_frame_workers(exec, 0, 1);
  plan.runners = 1;
  plan.in_flight = 1;
  return plan;
}

namespace detail {

FrameRun run_slots(int workers, const SlotSteps& steps, const FrameRunOptions& options) {
  if (workers < 1) throw InvalidArgument("run_frames: there is no worker; give at least one");
  FrameRun run;
  bool sink_failed = false;
  SlotSteps counted = steps;
  if (options.most_bytes > 0 && steps.bytes)
    counted.read = [&](int slot) {
      if (!steps.read(slot)) return false;
      require_memory(steps.bytes(slot), options.most_bytes);
      return true;
    };
  counted.write = [&](int slot) {
    sink_failed = true;
    steps.write(slot);
    sink_failed = false;
    ++run.frames;
    if (options.exec.progress)
      options.exec.progress(
          {options.stage, static_cast<double>(run.frames), static_cast<double>(options.expected)});
  };
  const PipelinePlan plan{.engines = workers,
                          .threads = options.threads > 0 ? options.threads : workers,
                          .in_flight = options.in_flight,
                          .memory_bytes = options.memory_bytes};
  const double start = now();
  try {
    run_pipeline(plan, counted, options.exec);
  } catch (...) {
    if (sink_failed) throw;
    run.fault = std::current_exception();
  }
  run.seconds = now() - start;
  return run;
}

}  // namespace detail
}  // namespace fovea::io
