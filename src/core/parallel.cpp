#include "core/parallel.h"

#include <fovea/core/error.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace fovea {

int thread_count(const Exec& exec) {
  if (exec.threads > 0) return exec.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

// Threads leave an arena some time after its last loop, so that one that is used again soon has
// them still. A new arena would begin without any. Each calling thread has arenas of its own, one
// for each number of threads that it has asked for, which are few.
tbb::task_arena& arena_of(int threads) {
  thread_local std::vector<std::pair<int, std::unique_ptr<tbb::task_arena>>> arenas;
  for (const auto& [size, arena] : arenas)
    if (size == threads) return *arena;
  return *arenas.emplace_back(threads, std::make_unique<tbb::task_arena>(threads)).second;
}

// The order in which oneTBB runs things is invisible to the thread sanitizer, because the library
// is not compiled with it. There, an atomic shows what every loop guarantees: a chunk sees what
// came before the loop, and what comes after the loop sees every chunk.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FOVEA_SHOW_ORDER
#endif
#endif
#if defined(FOVEA_SHOW_ORDER) || defined(__SANITIZE_THREAD__)
class Order {
 public:
  void publish() { steps_.fetch_add(1, std::memory_order_release); }
  void observe() const { static_cast<void>(steps_.load(std::memory_order_acquire)); }

 private:
  std::atomic<int> steps_ = 0;
};
#else
struct Order {
  static void publish() {}
  static void observe() {}
};
#endif

}  // namespace

void parallel_for(const Exec& exec, std::int64_t count, std::int64_t grain,
                  FunctionRef<void(std::int64_t, std::int64_t)> body) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t chunks = (count + grain - 1) / grain;
  const auto run_chunk = [&](std::int64_t chunk) {
    throw_if_stopped(exec);
    body(chunk * grain, std::min(count, (chunk + 1) * grain));
  };
  // oneTBB has no more threads than the machine has cores and prints a warning when more are
  // requested.
  const int threads = std::min(thread_count(exec), tbb::info::default_concurrency());
  if (threads == 1 || chunks == 1) {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) run_chunk(chunk);
    return;
  }
  Order before, after;
  before.publish();
  const auto loop = [&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, chunks),
                      [&](const tbb::blocked_range<std::int64_t>& range) {
                        before.observe();
                        for (std::int64_t chunk = range.begin(); chunk != range.end(); ++chunk)
                          run_chunk(chunk);
                        after.publish();
                      });
    after.observe();
  };
  // A nested loop shares the arena of the loop around it; a new one there would only add threads.
  // That is why an arena has room for all requested threads even where the outer loop is short.
  if (tbb::this_task_arena::current_thread_index() >= 0 &&
      tbb::this_task_arena::max_concurrency() == threads)
    return loop();
  arena_of(threads).execute(loop);
}

}  // namespace fovea
