// Runs launches: the threads of a block, or of a cluster of blocks, are fibers of one thread of the
// host.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>

#include "fiber.h"
#include "launch_state.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulator {

Thread* now = nullptr;
Launch running;

namespace {

std::mutex one_launch;
void* suspended_host = nullptr;
#if defined(__SANITIZE_ADDRESS__)
const void* host_stack = nullptr;
std::size_t host_stack_bytes = 0;
#endif

void fiber_body() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &host_stack, &host_stack_bytes);
#endif
  (*running.thread)();
  end_of_thread();
  to_host(true);
  __builtin_unreachable();
}

void to_fiber(Fiber& fiber) {
  if (fiber.stack == nullptr) {
    fiber.stack = take_stack();
    fiber.suspended = begin_at(fiber.stack, fiber.number, fiber_body);
  }
  now = &fiber;
  threadIdx = fiber.thread_idx;
  blockIdx = fiber.block_idx;
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, fiber.stack, kStackBytes);
#endif
  emulator_switch(&suspended_host, fiber.suspended);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  now = nullptr;
  if (fiber.done) {
    return_stack(fiber.stack);
    fiber.stack = nullptr;
  }
}

[[noreturn]] void report_deadlock() {
  constexpr int kMost = 40;
  std::fprintf(stderr, "emulator: deadlock in kernel %s: %u threads wait for others\n",
               running.name, running.alive);
  int shown = 0;
  for (const Block& block : running.blocks)
    for (const Fiber& fiber : block.fibers) {
      if (fiber.done || shown++ >= kMost) continue;
      const uint3 b = fiber.block_idx, t = fiber.thread_idx;
      std::fprintf(stderr, "  block (%u,%u,%u) thread (%u,%u,%u) lane %u: %s", b.x, b.y, b.z, t.x,
                   t.y, t.z, fiber.lane, fiber.waits != nullptr ? fiber.waits : "?");
      if (fiber.warp->waiting >> fiber.lane & 1)
        std::fprintf(stderr, ", mask %08x", fiber.warp->want[fiber.lane].mask);
      std::fprintf(stderr, "\n");
    }
  std::abort();
}

Fiber& take_ready() {
  std::vector<Fiber*>& ready = running.ready;
  std::size_t& next = running.next_ready;
  if (running.order == Order::kShuffle)
    std::swap(ready[next], ready[next + running.random() % (ready.size() - next)]);
  Fiber& fiber = *ready[next++];
  constexpr std::size_t kTooMany = 4096;  // that are done, before the others
  if (next == ready.size() || (next > kTooMany && next * 2 > ready.size())) {
    ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(next));
    next = 0;
  }
  return fiber;
}

void run_cluster() {
  if (running.order == Order::kReverse) std::reverse(running.ready.begin(), running.ready.end());
  while (running.next_ready < running.ready.size()) to_fiber(take_ready());
  if (running.alive > 0) report_deadlock();
}

uint3 place_of(std::size_t number, dim3 size) {
  return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
          static_cast<unsigned>(number / (std::size_t{size.x} * size.y))};
}

uint3 place_of_block(std::size_t cluster, std::size_t rank, const Config& config) {
  const dim3 size = config.cluster, grid = config.grid;
  const uint3 at = place_of(cluster, dim3(grid.x / size.x, grid.y / size.y, grid.z / size.z));
  const uint3 within = place_of(rank, size);
  return {at.x * size.x + within.x, at.y * size.y + within.y, at.z * size.z + within.z};
}

void begin_thread(Block& block, unsigned number, uint3 block_idx, dim3 size) {
  Fiber& fiber = block.fibers[number];
  fiber.thread_idx = place_of(number, size);
  fiber.block_idx = block_idx;
  fiber.lane = number % kLanes;
  fiber.number = number;
  fiber.block = &block;
  fiber.warp = &block.warps[number / kLanes];
  fiber.shared = block.shared;
  fiber.done = false;
  fiber.waits = nullptr;
  fiber.warp->present |= 1U << fiber.lane;
  fiber.warp->fiber[fiber.lane] = &fiber;
  running.ready.push_back(&fiber);
}

void begin_block(std::size_t cluster, unsigned rank, const Config& config) {
  Block& block = running.blocks[rank];
  const unsigned threads = config.block.x * config.block.y * config.block.z;
  if (block.fibers.size() != threads) {
    block.fibers = std::vector<Fiber>(threads);
    block.warps = std::vector<Warp>((threads + kLanes - 1) / kLanes);
  }
  block.shared = shared_room(rank);
  constexpr std::size_t kBeyond = 4096;  // also what lies behind the memory in use
  std::memset(block.shared, kNeverWritten,
              std::min<std::size_t>(kMostShared, running.shared_bytes + kBeyond));
  block.alive = threads;
  block.arrived = 0;
  block.rank = rank;
  block.votes = {};
  block.waiting.clear();
  for (Warp& warp : block.warps) warp.present = warp.waiting = 0;
  const uint3 block_idx = place_of_block(cluster, rank, config);
  for (unsigned i = 0; i < threads; ++i) begin_thread(block, i, block_idx, config.block);
  running.alive += threads;
}

}  // namespace

void to_host(bool last) {
  Fiber& me = self();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(last ? nullptr : &me.fake_stack, host_stack, host_stack_bytes);
#else
  static_cast<void>(last);
#endif
  emulator_switch(&me.suspended, suspended_host);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(me.fake_stack, &host_stack, &host_stack_bytes);
#endif
}

void fail(const char* what) {
  std::fprintf(stderr, "emulator: %s", what);
  if (running.name != nullptr) std::fprintf(stderr, " in kernel %s", running.name);
  if (now != nullptr) {
    const uint3 b = now->block_idx, t = now->thread_idx;
    std::fprintf(stderr, ", block (%u,%u,%u) thread (%u,%u,%u)", b.x, b.y, b.z, t.x, t.y, t.z);
  }
  std::fprintf(stderr, "\n");
  std::abort();
}

void execute(const Config& config, const char* name, const std::function<void()>& thread) {
  const std::lock_guard lock(one_launch);
  const dim3 grid = config.grid, block = config.block, cluster = config.cluster;
  if (is_traced())
    std::fprintf(stderr, "emulator: %s <<<(%u,%u,%u), (%u,%u,%u), %zu>>>\n", name, grid.x, grid.y,
                 grid.z, block.x, block.y, block.z, config.shared);
  running.name = name;
  running.thread = &thread;
  ++running.number;
  running.order = thread_order();
  running.shared_bytes = (config.shared + 127) / 128 * 128;
  running.idle = 0;
  blockDim = block;
  gridDim = grid;
  const std::size_t ranks = std::size_t{cluster.x} * cluster.y * cluster.z;
  if (running.blocks.size() != ranks) running.blocks = std::vector<Block>(ranks);
  std::vector<std::size_t> sequence(std::size_t{grid.x} * grid.y * grid.z / ranks);
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  const Order order = block_order();
  if (order == Order::kReverse) std::reverse(sequence.begin(), sequence.end());
  if (order == Order::kShuffle) std::shuffle(sequence.begin(), sequence.end(), running.random);
  for (const std::size_t number : sequence) {
    running.alive = running.arrived = 0;
    for (unsigned rank = 0; rank < ranks; ++rank) begin_block(number, rank, config);
    run_cluster();
  }
  running.name = nullptr;
}

}  // namespace emulator
