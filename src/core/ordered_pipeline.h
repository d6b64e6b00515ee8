// A stream of items through five steps that run at the same time. The results are those of a loop
// over the items, and come in its order.
#pragma once
#include <fovea/core/exec.h>

#include <cstdint>
#include <functional>

namespace fovea {

struct PipelinePlan {
  int engines = 1;    // how many items are worked on at a time; a single engine gets them in order
  int threads = 1;    // threads that prepare, work and complete
  int in_flight = 1;  // items that exist at a time; with 1, all steps run in the calling thread
  std::uint64_t memory_bytes = 0;  // most memory of all items in flight; 0: no limit
};

// An item is known by the number of its slot, from 0 to in_flight - 1. Slots are reused. A step may
// be empty, except read and write.
struct PipelineSteps {
  // Reads the next item and returns false at the end; one thread calls it.
  std::function<bool(int slot)> read;
  // How much memory the item will take. An item that does not fit waits until others are written,
  // but a single one is always let in.
  std::function<std::uint64_t(int slot)> bytes{};
  // Any thread, several items at a time, such as decoding a file.
  std::function<void(int slot)> prepare{};
  // Any thread, one item per engine at a time. Which engine gets an item is left to chance and must
  // not influence the result.
  std::function<void(int engine, int slot)> work{};
  // Any thread, several items at a time, such as encoding a file.
  std::function<void(int slot)> complete{};
  // In the order of reading, in the thread that called run_pipeline().
  std::function<void(int slot)> write;
};

// Returns when all items are written; all its threads have ended when it returns or throws. An
// exception of read, prepare, work or complete leaves here when the items before it are written,
// one of write at once. After a request to stop, no further item is begun, those in flight are
// written up to the first that was cancelled, and Cancelled is thrown if items are left.
void run_pipeline(const PipelinePlan& plan, const PipelineSteps& steps, const Exec& exec);

}  // namespace fovea
