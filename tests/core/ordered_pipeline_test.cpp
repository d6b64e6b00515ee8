#include "core/ordered_pipeline.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/waiting.h"

namespace fovea {
namespace {

// So that steps end in another order than they begin.
void wait_a_little(int value) {
  if (value % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

// Squares 0 to count - 1 in steps that need different times, and remembers what was written.
struct Squares {
  PipelinePlan plan{.engines = 3, .threads = 4, .in_flight = 5};
  int count = 100;
  std::string fail_step{};
  int fail_at = -1;
  std::uint64_t item_bytes = 0;
  Exec exec{};

  std::vector<int> written{};
  std::vector<int> work_order{};
  std::atomic<int> read = 0;
  int most_in_flight = 0;
  std::atomic<int> working = 0;
  std::atomic<int> most_working = 0;

  void run() {
    struct Item {
      int value = -1;
      int square = -1;
    };
    std::vector<Item> items(static_cast<std::size_t>(plan.in_flight));
    std::mutex mutex;
    std::set<int> busy_engines;
    const auto fail = [&](const char* step, int value) {
      if (fail_step == step && value == fail_at) throw std::runtime_error(step);
    };
    const auto at = [&](int slot) -> Item& { return items[static_cast<std::size_t>(slot)]; };
    run_pipeline(plan,
                 {.read =
                      [&](int slot) {
                        fail("read", read);
                        if (read == count) return false;
                        at(slot) = {read++, -1};
                        return true;
                      },
                  .bytes = [&](int) { return item_bytes; },
                  .prepare =
                      [&](int slot) {
                        wait_a_little(at(slot).value + 1);
                        fail("prepare", at(slot).value);
                        at(slot).square = at(slot).value;
                      },
                  .work =
                      [&](int engine, int slot) {
                        {
                          const std::lock_guard lock(mutex);
                          EXPECT_TRUE(busy_engines.insert(engine).second);
                          work_order.push_back(at(slot).value);
                        }
                        most_working = std::max<int>(most_working, ++working);
                        wait_a_little(at(slot).value);
                        at(slot).square *= at(slot).value;
                        --working;
                        const std::lock_guard lock(mutex);
                        busy_engines.erase(engine);
                        fail("work", at(slot).value);
                      },
                  .complete =
                      [&](int slot) {
                        wait_a_little(at(slot).value + 2);
                        fail("complete", at(slot).value);
                        at(slot).square += 7;
                      },
                  .write =
                      [&](int slot) {
                        most_in_flight =
                            std::max(most_in_flight, read - static_cast<int>(written.size()));
                        fail("write", at(slot).value);
                        written.push_back(at(slot).square - 7);
                      }},
                 exec);
  }
  std::string failure() {
    try {
      run();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }
  void expect_written(int expected) const {
    ASSERT_EQ(static_cast<int>(written.size()), expected);
    for (int i = 0; i < expected; ++i) ASSERT_EQ(written[static_cast<std::size_t>(i)], i * i);
  }
};

TEST(OrderedPipeline, WritesInTheOrderOfReading) {
  for (const int engines : {1, 2, 7})
    for (const int threads : {1, 4})
      for (const int in_flight : {1, 2, 10}) {
        Squares squares{.plan = {engines, threads, in_flight}};
        squares.run();
        squares.expect_written(100);
        EXPECT_EQ(squares.work_order.size(), 100U);
        EXPECT_LE(squares.most_in_flight, in_flight);
        EXPECT_LE(squares.most_working, engines);
      }
}

TEST(OrderedPipeline, ASingleEngineGetsTheItemsInOrder) {
  Squares squares{.plan = {.engines = 1, .threads = 6, .in_flight = 12}};
  squares.run();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(squares.work_order[static_cast<std::size_t>(i)], i);
}

TEST(OrderedPipeline, MemoryBoundsTheItemsInFlight) {
  for (const std::uint64_t bytes : {10, 40, 1000}) {
    Squares squares{.plan = {.engines = 4, .threads = 4, .in_flight = 20, .memory_bytes = 100},
                    .item_bytes = bytes};
    squares.run();
    squares.expect_written(100);
    // One more is read, and waits for room.
    EXPECT_LE(squares.most_in_flight, bytes == 10 ? 11 : bytes == 40 ? 3 : 2);
  }
}

TEST(OrderedPipeline, FewItemsInMemoryUseFewSlots) {
  // What an item keeps in its slot is not more than what memory admits, and one that waits.
  std::set<int> used;
  int next = 0;
  run_pipeline({.threads = 3, .in_flight = 20, .memory_bytes = 100},
               {.read =
                    [&](int slot) {
                      used.insert(slot);
                      return next++ < 200;
                    },
                .bytes = [](int) -> std::uint64_t { return 60; },
                .prepare = [](int) {},
                .write = [](int) {}},
               {});
  EXPECT_LE(used.size(), 2U);
}

TEST(OrderedPipeline, NoItemsIsNoProblem) {
  Squares squares{.count = 0};
  squares.run();
  squares.expect_written(0);
}

TEST(OrderedPipeline, StepsMayBeLeftOut) {
  int next = 0, written = 0;
  run_pipeline({.threads = 2, .in_flight = 3},
               {.read = [&](int) { return next++ < 20; }, .write = [&](int) { ++written; }}, {});
  EXPECT_EQ(written, 20);
}

TEST(OrderedPipeline, EnginesRunBesideEachOther) {
  // Two engines wait for each other; this ends only if both run at a time.
  std::atomic<int> busy = 0;
  int next = 0, written = 0;
  run_pipeline({.engines = 2, .threads = 2, .in_flight = 3},
               {.read = [&](int) { return next++ < 2; },
                .work =
                    [&](int, int) {
                      ++busy;
                      while (busy < 2) std::this_thread::yield();
                    },
                .write = [&](int) { ++written; }},
               {});
  EXPECT_EQ(written, 2);
}

TEST(OrderedPipeline, AFailureLeavesAfterWhatWasBeforeIt) {
  for (const char* step : {"read", "prepare", "work", "complete"})
    for (const int engines : {1, 4})
      for (const int at : {0, 1, 50, 99}) {
        Squares squares{.plan = {engines, 4, 7}, .fail_step = step, .fail_at = at};
        EXPECT_EQ(squares.failure(), step);
        squares.expect_written(at);
      }
}

TEST(OrderedPipeline, AFailedWriteLeavesAtOnce) {
  for (const int at : {0, 50, 99}) {
    Squares squares{.fail_step = "write", .fail_at = at};
    EXPECT_EQ(squares.failure(), "write");
    squares.expect_written(at);
    EXPECT_LE(squares.read, at + 5);
  }
}

TEST(OrderedPipeline, AStopBeforeTheStartDoesNothing) {
  for (const int in_flight : {1, 5}) {
    std::stop_source stop;
    Squares fired{.plan = {2, 2, in_flight}};
    fired.exec.stop = stop.get_token();
    stop.request_stop();
    EXPECT_THROW(fired.run(), Cancelled);
    fired.expect_written(0);
  }
}

TEST(OrderedPipeline, AStopKeepsWhatIsBeingWorkedOn) {
  for (const int engines : {1, 3}) {
    std::stop_source stop;
    std::vector<int> values(8);
    std::atomic<int> finished = 0;
    int next = 0, written = 0;
    EXPECT_THROW(run_pipeline({.engines = engines, .threads = 4, .in_flight = 8},
                              {.read =
                                   [&](int slot) {
                                     values[static_cast<std::size_t>(slot)] = next++;
                                     return true;
                                   },
                               .work =
                                   [&](int, int slot) {
                                     if (values[static_cast<std::size_t>(slot)] == 20)
                                       stop.request_stop();
                                     ++finished;
                                   },
                               .write = [&](int) { ++written; }},
                              {.stop = stop.get_token()}),
                 Cancelled);
    EXPECT_GE(written, 21);  // number 20 itself is finished and written
    EXPECT_LE(written, finished);
    EXPECT_LE(written, 28);
  }
}

TEST(OrderedPipeline, AStopWhileTheLastItemIsWorkedOnIsTooLate) {
  std::stop_source stop;
  int next = 0, written = 0;
  std::atomic<pid_t> reader = 0;  // its thread, once there is nothing more to read
  run_pipeline({.threads = 1, .in_flight = 3},
               {.read =
                    [&](int) {
                      if (next++ < 1) return true;
                      reader = gettid();
                      return false;
                    },
                .complete =
                    [&](int) {
                      while (reader == 0 || !test::asleep(reader)) std::this_thread::yield();
                      stop.request_stop();
                    },
                .write = [&](int) { ++written; }},
               {.stop = stop.get_token()});
  EXPECT_EQ(written, 1);
}

TEST(OrderedPipeline, NeedsAnEngineAndAThread) {
  EXPECT_THROW(run_pipeline({.engines = 0}, {}, {}), InvalidArgument);
  EXPECT_THROW(run_pipeline({.threads = 0}, {}, {}), InvalidArgument);
}

}  // namespace
}  // namespace fovea
