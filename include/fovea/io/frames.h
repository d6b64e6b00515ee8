#pragma once
#include <fovea/core/exec.h>
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

// A source of frames: a video file, a folder or list of images, or y4m through a pipe.
using Frames = VideoReader;

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
  int in_flight = 1;             // frames that exist at a time; with 1 the three steps take turns
  std::int64_t expected = 0;     // number of frames that is expected; 0 where it is not known
  std::string stage = "frames";  // name of the stage in progress reports
  Exec exec{};                   // progress and stop
};
// Lists in_flight and stage. What is expected is a fact about the source, and programs add exec.
FOVEA_API void describe(OptionVisitor& visit, FrameRunOptions& options);

// The three steps of a run. An item holds a frame and what a worker makes of it. Items are reused,
// and so is their memory.
template <class Item, class Worker>
struct FrameSteps {
  // Reads the next item and returns false at the end. It is called from one thread.
  std::function<bool(Item&)> read;
  // Works on an item, in one thread per worker. Which worker gets an item is left to chance and
  // must not influence the result.
  std::function<void(Worker&, Item&)> work;
  // Writes an item. Items come in the order of reading, in the calling thread.
  std::function<void(Item&)> write;
};

// How many workers suit a device, and how many threads each of them gets. A CPU is used better by
// several frames at a time than by all threads on one frame, and on a GPU several streams overlap
// copies with work. `most` limits the number of workers, because each has memory of its own.
struct FrameWorkers {
  int count = 1;
  int threads = 1;    // threads per worker
  int in_flight = 1;  // frames that exist at a time
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

// Reads items, gives them to workers and writes them in the order of reading; the three steps run
// at the same time. A single worker gets the items in order, so that it may keep state from frame
// to frame.
//
// A source that breaks, a worker that fails and a requested stop all end the run in the same way:
// the items before are written, and FrameRun::fault holds the reason. Only exceptions of `write`
// leave this function, because nothing can be written after them.
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
