// The launch that runs. There is one at a time, on the thread of the host that started it or waits
// for it.
#pragma once
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "emulator/launch.h"
#include "emulator/threads.h"
#include "emulator/warp.h"
#include "settings.h"

namespace emulator {

constexpr int kNeverWritten = 0xCD;  // bytes of shared memory at the start of a block

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes, zeros;  // the last `zeros` bytes are not read but 0
};

struct Fiber : Thread {
  void* suspended = nullptr;
  char* stack = nullptr;  // nullptr: not begun, or done
  bool done = false;
  const char* waits = nullptr;  // for what
  std::vector<Copy> copies;
  std::vector<std::size_t> batches;  // ends of committed batches in `copies`
  void* fake_stack = nullptr;        // of the address sanitizer
};

struct Warp {
  unsigned present = 0, waiting = 0;  // lanes that have not ended, lanes that wait for others
  Fiber* fiber[kLanes] = {};
  struct {
    unsigned mask;
    const void* tag;
    void (*work)(Lanes&);
  } want[kLanes] = {};
  Lanes lanes = {};
};

struct Block {
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  std::vector<Fiber*> waiting;  // at the barrier
  unsigned alive = 0, arrived = 0, rank = 0;
  struct Votes {
    int all = 1, any = 0, count = 0;
  } votes, result;
  char* shared = nullptr;
};

struct Launch {
  const char* name = nullptr;
  const std::function<void()>* thread = nullptr;
  unsigned long long number = 0;
  Order order = Order::kForward;
  std::size_t shared_bytes = 0;  // in use, as far as is known

  std::vector<Block> blocks;    // of the cluster
  std::vector<Fiber*> waiting;  // at the barrier of the cluster
  unsigned alive = 0, arrived = 0;

  std::vector<Fiber*> ready;
  std::size_t next_ready = 0;
  unsigned long long idle = 0;  // turns in which fibers only waited in a loop
  std::mt19937 random{20240229};
};
extern Launch running;

inline Fiber& self() { return *static_cast<Fiber*>(now); }

// Runs all blocks of a launch and returns when they are done.
void execute(const Config& config, const char* name, const std::function<void()>& thread);

// Of a fiber: lets others run until it is woken.
void wait_for(const char* what);
void to_host(bool last);
void end_of_thread();

char* shared_room(std::size_t rank);
void finish_copies();

}  // namespace emulator
