// Shared memory of blocks, and copies into it.
#include <memory>

#include "launch_state.h"

namespace emulator {

char* shared_room(std::size_t rank) {
  constexpr std::size_t kAlignment = 1024;
  struct Room {
    alignas(kAlignment) char bytes[kMostShared];
  };
  static std::vector<std::unique_ptr<Room>> rooms;  // kept for all launches
  while (rooms.size() <= rank) rooms.push_back(std::make_unique<Room>());
  return rooms[rank]->bytes;
}

char* static_shared(Slot& slot, std::size_t bytes, std::size_t alignment) {
  if (slot.launch != running.number) {  // the first thread of a launch that comes here
    alignment = alignment < 16 ? 16 : alignment;
    slot.offset = (running.shared_bytes + alignment - 1) / alignment * alignment;
    slot.launch = running.number;
    running.shared_bytes = slot.offset + bytes;
    if (running.shared_bytes > kMostShared) fail("more shared memory than a block may have");
    for (const Block& block : running.blocks)
      std::memset(block.shared + slot.offset, kNeverWritten, bytes);
  }
  return now->shared + slot.offset;
}
char* dynamic_shared() { return now->shared; }

unsigned shared_offset(const void* here) {
  const std::ptrdiff_t offset = static_cast<const char*>(here) - now->shared;
  if (offset < 0 || offset >= kMostShared) fail("an address that is not one of shared memory");
  return static_cast<unsigned>(offset);
}
char* shared_at(unsigned offset) { return now->shared + offset; }

void* shared_of_rank(void* here, unsigned rank) {
  if (rank >= running.blocks.size()) fail("map_shared_rank() beyond the cluster");
  return running.blocks[rank].shared + shared_offset(here);
}
unsigned cluster_rank() { return self().block->rank; }
unsigned cluster_blocks() { return static_cast<unsigned>(running.blocks.size()); }

namespace {

void land(std::vector<Copy>& copies, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Copy& copy = copies[i];
    const std::size_t read = copy.bytes - copy.zeros;
    std::memcpy(copy.to, copy.from, read);
    std::memset(static_cast<char*>(copy.to) + read, 0, copy.zeros);
  }
  copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros) {
  self().copies.push_back({to, from, bytes, zeros});
}
void commit_copies() { self().batches.push_back(self().copies.size()); }
void await_copies(unsigned but_last) {
  Fiber& me = self();
  if (me.batches.size() <= but_last) return;
  const std::size_t count = me.batches.size() - but_last, end = me.batches[count - 1];
  land(me.copies, end);
  me.batches.erase(me.batches.begin(), me.batches.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t& each : me.batches) each -= end;
}
void finish_copies() {
  land(self().copies, self().copies.size());
  self().batches.clear();
}

}  // namespace emulator
