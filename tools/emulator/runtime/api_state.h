// What the parts of the runtime API share: streams, and memory that was allocated.
#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "emulator/api.h"

namespace emulator {

constexpr std::size_t kDeviceBytes = std::size_t{12} << 30;

using Work = std::function<void()>;

struct Graph {
  std::vector<Work> nodes;
  std::vector<std::shared_ptr<void>> kept;  // memory that was allocated while recording
};
struct GraphExec {
  std::shared_ptr<Graph> graph;
};
struct Stream {
  Graph* capture = nullptr;    // what records the work, if anything does
  bool began_capture = false;  // others join one
  struct Numbered {
    unsigned long long number;
    Work work;
  };
  std::deque<Numbered> queue;  // where streams are lazy
};
struct Event {
  Graph* capture = nullptr;
  Stream* stream = nullptr;       // nullptr: not recorded
  unsigned long long number = 0;  // of the work before it
  std::shared_ptr<std::chrono::steady_clock::time_point> time =
      std::make_shared<std::chrono::steady_clock::time_point>();
};
struct Pool {
  std::uint64_t threshold = 0;
};

extern std::recursive_mutex api_mutex;  // of all below
extern std::set<Stream*> streams;
extern unsigned long long work_number;  // of the work queued last

// Notes an error for cudaGetLastError() and returns it.
cudaError_t keep(cudaError_t error);
Stream& stream_of(cudaStream_t handle);
// Runs, queues or records work.
void enqueue(cudaStream_t handle, Work work);
// Does the queued work of a stream, up to a number.
void drain(Stream& stream, unsigned long long last = ~0ULL);
void drain_all();

// A piece of allocated memory.
struct Piece {
  char* data = nullptr;
  std::size_t bytes = 0;
  bool on_device = false;  // else pinned memory of the host
};
const Piece* piece_of(const void* data);  // nullptr: none holds this address

}  // namespace emulator
