// Where threads wait for each other: barriers of blocks and clusters, and what lanes do together.
#include <algorithm>

#include "launch_state.h"

namespace emulator {
namespace {

void wake(std::vector<Fiber*>& fibers) {
  if (running.order == Order::kReverse) std::reverse(fibers.begin(), fibers.end());
  for (Fiber* fiber : fibers) {
    fiber->waits = nullptr;
    running.ready.push_back(fiber);
  }
  fibers.clear();
}

void wake_lanes(Warp& warp, unsigned lanes) {
  std::vector<Fiber*> fibers;
  fibers.reserve(kLanes);
  for (int lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1) fibers.push_back(warp.fiber[lane]);
  wake(fibers);
}

// Threads that have ended count as arrived, as they do on a device.
bool release_block(Block& block) {
  if (block.arrived != block.alive) return false;
  block.result = block.votes;
  block.votes = {};
  block.arrived = 0;
  wake(block.waiting);
  return true;
}
void release_cluster() {
  if (running.arrived != running.alive) return;
  running.arrived = 0;
  wake(running.waiting);
}

// Does the work of the lanes that this one waits for, if all of them are here. Lanes that have
// ended count as here. Returns the lanes that took part.
unsigned meet(Warp& warp, int lane) {
  const auto want = warp.want[lane];
  const unsigned needed = want.mask & warp.present;
  if ((warp.waiting & needed) != needed) return 0;
  for (int i = 0; i < kLanes; ++i)
    if (needed >> i & 1 && (warp.want[i].mask != want.mask || warp.want[i].tag != want.tag))
      return 0;
  warp.lanes.mask = needed;
  want.work(warp.lanes);
  warp.waiting &= ~needed;
  return needed;
}

}  // namespace

void wait_for(const char* what) {
  self().waits = what;
  to_host(false);
}

int sync_block(Vote vote, int predicate) {
  Fiber& me = self();
  Block& block = *me.block;
  running.idle = 0;
  block.votes.all &= predicate != 0;
  block.votes.any |= predicate != 0;
  block.votes.count += predicate != 0;
  ++block.arrived;
  // In forward order the last thread need not stop: it would be the next to run or one of the next.
  if (running.order != Order::kForward || !release_block(block)) {
    block.waiting.push_back(&me);
    release_block(block);
    wait_for("__syncthreads()");
  }
  switch (vote) {
    case Vote::kAnd: return block.result.all;
    case Vote::kOr: return block.result.any;
    case Vote::kCount: return block.result.count;
    default: return 0;
  }
}

void sync_cluster() {
  running.idle = 0;
  running.waiting.push_back(&self());
  ++running.arrived;
  release_cluster();
  wait_for("cluster.sync()");
}

void yield() {
  constexpr unsigned long long kForEver = 100'000'000;  // some seconds
  if (++running.idle > kForEver) fail("a loop that waits for ever");
  running.ready.push_back(&self());
  to_host(false);
}

void together(unsigned mask, const void* tag, const void* in, void* out, void (*work)(Lanes&)) {
  Fiber& me = self();
  Warp& warp = *me.warp;
  const unsigned mine = 1U << me.lane;
  running.idle = 0;
  if ((mask & mine) == 0) fail("a mask without the calling lane");
  warp.want[me.lane] = {mask, tag, work};
  warp.lanes.in[me.lane] = in;
  warp.lanes.out[me.lane] = out;
  warp.waiting |= mine;
  const unsigned met = meet(warp, static_cast<int>(me.lane));
  if (met != 0 && running.order == Order::kForward) {
    wake_lanes(warp, met & ~mine);
    return;
  }
  wake_lanes(warp, met);
  wait_for("an operation of a warp");
}

void end_of_thread() {
  Fiber& me = self();
  finish_copies();
  me.done = true;
  Warp& warp = *me.warp;
  warp.present &= ~(1U << me.lane);
  for (int lane = 0; lane < kLanes; ++lane)  // some may have waited for this one alone
    if (warp.waiting >> lane & 1 && warp.want[lane].mask >> me.lane & 1)
      wake_lanes(warp, meet(warp, lane));
  --me.block->alive;
  --running.alive;
  if (me.block->alive > 0 && me.block->arrived > 0) release_block(*me.block);
  if (running.alive > 0 && running.arrived > 0) release_cluster();
}

}  // namespace emulator
