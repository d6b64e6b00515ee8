#pragma once
#include <cstdint>
#include <functional>

namespace fovea {

// The steps of a run over many items: frames of a video, images, meshes. An item holds what is read
// and what a worker makes of it; items are reused, and so is their memory. All steps run at the
// same time, and all but `read` and `write` may be left out.
template <class Item, class Worker>
struct FrameSteps {
  // Reads the next item and returns false at the end. It is called from one thread, so what takes
  // long, such as decoding, belongs into `prepare`.
  std::function<bool(Item&)> read{};
  // How much memory the item takes. An item for which there is no room waits until others are
  // written, but a single one is always let in.
  std::function<std::uint64_t(const Item&)> bytes{};
  // Decodes an item. Several items are prepared at a time, in any order.
  std::function<void(Item&)> prepare{};
  // Works on an item; each worker has one at a time. Which worker gets an item is left to chance
  // and must not influence the result.
  std::function<void(Worker&, Item&)> work{};
  // Encodes the results of an item. Several items are completed at a time, in any order.
  std::function<void(Item&)> complete{};
  // Writes an item. Items come in the order of reading, in the calling thread.
  std::function<void(Item&)> write{};
};

// The same for items and workers that are known by their numbers. Slots of items are reused.
using SlotSteps = FrameSteps<const int, const int>;

}  // namespace fovea
