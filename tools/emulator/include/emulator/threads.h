// Threads, barriers and shared memory. A thread of the device is a fiber; all fibers of a block, or
// of a cluster of blocks, take turns on one thread of the host, and change only where they wait for
// each other.
#pragma once
#include "emulator/types.h"

namespace emulator {

constexpr int kLanes = 32;  // of a warp

struct Block;
struct Warp;

struct Thread {
  uint3 thread_idx, block_idx;  // the globals threadIdx and blockIdx while it runs
  unsigned lane, number;        // in its warp, in its block
  Block* block;
  Warp* warp;
  char* shared;  // memory of the block
};
extern Thread* now;  // the one that runs

// Prints what is wrong, with the kernel and the thread, and aborts.
[[noreturn]] void fail(const char* what);

enum class Vote { kNone, kAnd, kOr, kCount };
int sync_block(Vote vote, int predicate);
void sync_cluster();
// Lets the others go on, in a loop that waits for one of them.
void yield();

// Where a variable of shared memory lies; one for each declaration in the source.
struct Slot {
  unsigned long long launch = 0;  // the offset is that of this launch
  std::size_t offset = 0;
};
char* static_shared(Slot& slot, std::size_t bytes, std::size_t alignment);
char* dynamic_shared();
template <class T>
T& shared(Slot& slot) {
  return *reinterpret_cast<T*>(static_shared(slot, sizeof(T), alignof(T)));
}
unsigned shared_offset(const void* here);
char* shared_at(unsigned offset);

void* shared_of_rank(void* here, unsigned rank);
unsigned cluster_rank();
unsigned cluster_blocks();

// Copies land when they are awaited and no sooner, so that reading too early shows.
void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros);
void commit_copies();
void await_copies(unsigned but_last);

}  // namespace emulator

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = emulator::kLanes;

inline void __syncthreads() { emulator::sync_block(emulator::Vote::kNone, 0); }
inline int __syncthreads_and(int p) { return emulator::sync_block(emulator::Vote::kAnd, p); }
inline int __syncthreads_or(int p) { return emulator::sync_block(emulator::Vote::kOr, p); }
inline int __syncthreads_count(int p) { return emulator::sync_block(emulator::Vote::kCount, p); }

// Memory is in order, and launches follow each other.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}
