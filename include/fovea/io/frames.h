#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/frame_steps.h>
#include <fovea/core/options.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::io {

// The way from a source of frames through workers to results in order: run_frames() below.

// A source of frames: a video file, a folder or list of images, y4m through a pipe, a camera or a
// stream.
using Frames = VideoReader;

using fovea::FrameSteps;

// How a run over frames ended. What was given to the sink is valid, whatever happened afterwards.
struct FrameRun {
  std::int64_t frames = 0;  // number of frames given to the sink
  double seconds = 0;       // from the first read to the last write
  std::exception_ptr
      fault{};  // why the run ended before the source did: the source broke, a worker failed, or
                // a stop was requested (Cancelled); null where the run is complete

  bool whole() const { return fault == nullptr; }
  // Throws the fault, if there is one. Call it after outputs are completed, so that results are
  // kept.
  void rethrow() const {
    if (fault != nullptr) std::rethrow_exception(fault);
  }
};

struct FrameRunOptions {
  int in_flight = 1;  // items that exist at a time; with 1, all steps run in the calling thread
  int threads = 0;    // threads that prepare, work and complete; 0: one per worker
  std::uint64_t memory_bytes = 0;  // most memory of all items in flight; 0: no limit
  std::uint64_t most_bytes = 0;    // most memory of one item, which is refused else; 0: no limit
  std::int64_t expected = 0;       // number of frames that is expected; 0 where it is not known
  std::string stage = "frames";    // name of the stage in progress reports
  Exec exec{};                     // progress and stop
};
// Lists all but `expected`, which is a fact about the source, and exec, which programs add.
FOVEA_API void describe(OptionVisitor& visit, FrameRunOptions& options);

// Throws FormatError that says how much memory is needed where that is more than `most`, of which 0
// is no limit.
FOVEA_API void require_memory(std::uint64_t needed, std::uint64_t most);

// How many workers suit a device, and how many threads each of them gets. A CPU is used better by
// several frames at a time than by all threads on one frame, and on a GPU several streams overlap
// copies with work, while the threads of the CPU decode and encode. Where a frame depends on those
// before it, there is a single worker.
struct FrameWorkers {
  int count = 1;
  int threads = 1;    // threads per worker, as Exec::threads
  int runners = 1;    // threads that prepare, work and complete, as FrameRunOptions::threads
  int in_flight = 1;  // as FrameRunOptions::in_flight
};
// `frames` is the number of frames, or 0 where it is not known: there are no more workers than
// frames. `most` limits the number of workers, for those that have much memory of their own or must
// see the frames in order; 0 is no limit.
FOVEA_API FrameWorkers plan_frame_workers(const Exec& exec, std::int64_t frames = 0, int most = 0);
// The same for the frames of a reader. Where it drops frames, one worker takes one frame at a time
// with all threads: a frame that is read ahead would be old when its turn comes.
FOVEA_API FrameWorkers plan_frame_workers(const Exec& exec, const VideoReader& reader,
                                          int most = 0);

namespace detail {

FOVEA_API FrameRun run_slots(int workers, const SlotSteps& steps, const FrameRunOptions& options);

}  // namespace detail

// Reads items, gives them to workers and writes them in the order of reading; all steps run at the
// same time. A single worker gets the items in order, so that it may keep state from frame to
// frame.
//
// A source that breaks, a worker that fails and a requested stop all end the run in the same way:
// the items before are written, and FrameRun::fault holds the reason. Only exceptions of `write`
// leave this function, because nothing can be written after them.
template <class Item, class Worker>
FrameRun run_frames(std::span<Worker> workers, const FrameSteps<Item, Worker>& steps,
                    const FrameRunOptions& options) {
  std::vector<Item> items(static_cast<std::size_t>(options.in_flight < 1 ? 1 : options.in_flight));
  const auto at = [&](int slot) -> Item& { return items[static_cast<std::size_t>(slot)]; };
  const auto on_item = [&](const std::function<void(Item&)>& step) -> std::function<void(int)> {
    if (!step) return {};
    return [&](int slot) { step(at(slot)); };
  };
  SlotSteps slots{.read = [&](int slot) { return steps.read(at(slot)); },
                  .prepare = on_item(steps.prepare),
                  .complete = on_item(steps.complete),
                  .write = on_item(steps.write)};
  if (steps.work)
    slots.work = [&](int worker, int slot) {
      steps.work(workers[static_cast<std::size_t>(worker)], at(slot));
    };
  if (steps.bytes) slots.bytes = [&](int slot) { return steps.bytes(at(slot)); };
  return detail::run_slots(static_cast<int>(workers.size()), slots, options);
}

}  // namespace fovea::io
