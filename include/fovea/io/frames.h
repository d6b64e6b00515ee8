#pragma once
#include <fovea/core/exec.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::io {

// Every source of frames: a video file, a folder or list of images, y4m through a pipe.
using Frames = VideoReader;

// How a run over frames ended. What the sink was given counts, whatever came after it.
struct FrameRun {
  std::int64_t frames = 0;  // given to the sink
  double seconds = 0;       // from the first read to the last write
  std::exception_ptr
      fault{};  // why the run ended before the source did: the source broke, a worker
                // failed, or Cancelled where exec.stop fired; null where it did not

  bool whole() const { return fault == nullptr; }
  // Throws the fault. Called after outputs are completed, so that what was found is kept.
  void rethrow() const {
    if (fault != nullptr) std::rethrow_exception(fault);
  }
};

struct FrameRunOptions {
  int in_flight = 1;             // frames that exist at a time; with 1 the three steps take turns
  std::int64_t expected = 0;     // frames that the source is expected to give; 0: not known
  std::string stage = "frames";  // as progress names it
  Exec exec{};                   // progress and stop
};

// The three steps of a run. An item holds a frame and what a worker makes of it; items are used
// again, so that their memory is.
template <class Item, class Worker>
struct FrameSteps {
  std::function<bool(Item&)> read;           // the next item; false at the end. In one thread
  std::function<void(Worker&, Item&)> work;  // in one thread per worker. Which worker an item meets
                                             // is chance, and must not show in its result
  std::function<void(Item&)> write;          // in the order of reading, in the calling thread
};

// How many workers suit a device, and with how many threads each: several frames at a time waste
// less of a CPU than all threads on one frame, and on a GPU several streams overlap copies with
// work. `most` bounds the workers, because each has memory of its own.
struct FrameWorkers {
  int count = 1;
  int threads = 1;    // of each
  int in_flight = 1;  // frames
};
FOVEA_API FrameWorkers plan_frame_workers(const Exec& exec, int most = 8);

namespace detail {

struct SlotSteps {
  std::function<bool(int slot)> read;
  std::function<void(int worker, int slot)> work;
  std::function<void(int slot)> write;
};
FOVEA_API FrameRun run_slots(int workers, const SlotSteps& steps, const FrameRunOptions& options);

}  // namespace detail

// Takes items from a source through workers to a sink, in order, the steps beside each other. With
// one worker items are worked on in order too, so that it may carry state from frame to frame.
//
// A source that breaks, a worker that fails and a stop that was asked for all end the run in the
// same way: the items before are written and the reason stands in FrameRun::fault. Only what
// `write` throws leaves this function, since there is nothing left to write to.
template <class Item, class Worker>
FrameRun run_frames(std::span<Worker> workers, const FrameSteps<Item, Worker>& steps,
                    const FrameRunOptions& options) {
  std::vector<Item> items(static_cast<std::size_t>(options.in_flight < 1 ? 1 : options.in_flight));
  const auto at = [&](int slot) -> Item& { return items[static_cast<std::size_t>(slot)]; };
  return detail::run_slots(
      static_cast<int>(workers.size()),
      {.read = [&](int slot) { return steps.read(at(slot)); },
       .work = [&](int worker,
                   int slot) { steps.work(workers[static_cast<std::size_t>(worker)], at(slot)); },
       .write = [&](int slot) { steps.write(at(slot)); }},
      options);
}

}  // namespace fovea::io
