#include "core/parallel.h"

#include <fovea/core/error.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace fovea {
namespace {

using Chunk = std::pair<std::int64_t, std::int64_t>;

std::set<Chunk> chunks_of(int threads, std::int64_t count, std::int64_t grain) {
  std::mutex mutex;
  std::set<Chunk> chunks;
  parallel_for({.threads = threads}, count, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    chunks.insert({begin, end});
  });
  return chunks;
}

TEST(Parallel, BordersDependOnTheGrainAlone) {
  const std::set<Chunk> expected{{0, 4}, {4, 8}, {8, 10}};
  for (const int threads : {0, 1, 2, 7}) EXPECT_EQ(chunks_of(threads, 10, 4), expected);
}

TEST(Parallel, EmptyAndOddRanges) {
  EXPECT_TRUE(chunks_of(2, 0, 4).empty());
  EXPECT_TRUE(chunks_of(2, -5, 4).empty());
  EXPECT_EQ(chunks_of(2, 3, 0).size(), 3U);
  EXPECT_EQ(chunks_of(2, 3, 100).size(), 1U);
}

TEST(Parallel, ExceptionsReachTheCaller) {
  for (const int threads : {1, 4}) {
    const auto failing = [&] {
      parallel_for({.threads = threads}, 100, 1, [](std::int64_t begin, std::int64_t) {
        if (begin == 37) throw std::runtime_error("chunk 37");
      });
    };
    EXPECT_THROW(failing(), std::runtime_error);
  }
}

TEST(Parallel, StopsWhenAsked) {
  for (const int threads : {1, 3}) {
    std::stop_source source;
    std::atomic<int> done = 0;
    const auto stopping = [&] {
      parallel_for({.threads = threads, .stop = source.get_token()}, 100000, 1,
                   [&](std::int64_t, std::int64_t) {
                     if (++done == 10) source.request_stop();
                   });
    };
    EXPECT_THROW(stopping(), Cancelled);
    EXPECT_LT(done, 1000);
  }
}

TEST(Parallel, NestedLoopsAreComplete) {
  std::atomic<int> inner = 0;
  const Exec exec{.threads = 3};
  parallel_for(exec, 8, 1, [&](std::int64_t, std::int64_t) {
    parallel_for(exec, 8, 1, [&](std::int64_t, std::int64_t) { ++inner; });
  });
  EXPECT_EQ(inner, 64);
}

TEST(Parallel, NeverMoreThreadsThanAsked) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for({.threads = 2}, 200, 1, [&](std::int64_t, std::int64_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // work that others could share
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_LE(seen.size(), 2U);
}

// The outer loop has fewer chunks than threads, so that the inner ones are what fills them.
TEST(Parallel, NestedLoopsNeverAddThreads) {
  std::atomic<int> running = 0, most = 0;
  const Exec exec{.threads = 4};
  parallel_for(exec, 2, 1, [&](std::int64_t, std::int64_t) {
    parallel_for(exec, 100, 1, [&](std::int64_t, std::int64_t) {
      const int now = ++running;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));  // work that others could share
      --running;
    });
  });
  EXPECT_LE(most, 4);
}

}  // namespace
}  // namespace fovea
