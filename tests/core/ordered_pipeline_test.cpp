#include "core/ordered_pipeline.h"

#include <fovea/core/error.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>

namespace fovea {
namespace {

struct Number {
  int value = -1;
  int square = -1;
};
struct Worker {
  int items = 0;
};
using Pipeline = OrderedPipeline<Number, Worker>;

// Squares 0 to count - 1 with workers that need different times, and remembers what was written.
struct Squares {
  int count = 100;
  int workers = 3;
  int in_flight = 5;
  int fail_read = -1, fail_work = -1, fail_write = -1;
  Exec exec{};

  std::vector<int> written{};
  std::atomic<int> read = 0;
  int most_in_flight = 0;
  int worked = 0;

  void run() {
    std::vector<Worker> states(static_cast<std::size_t>(workers));
    Pipeline pipeline(states, in_flight,
                      {.read =
                           [&](Number& number) {
                             if (read == fail_read) throw std::runtime_error("read");
                             if (read == count) return false;
                             number.value = read++;
                             return true;
                           },
                       .work =
                           [&](Worker& worker, Number& number) {
                             if (number.value % 3 == 0)
                               std::this_thread::sleep_for(std::chrono::microseconds(200));
                             if (number.value == fail_work) throw std::runtime_error("work");
                             number.square = number.value * number.value;
                             ++worker.items;
                           },
                       .write =
                           [&](Number& number) {
                             most_in_flight =
                                 std::max(most_in_flight, read - static_cast<int>(written.size()));
                             if (number.value == fail_write) throw std::runtime_error("write");
                             written.push_back(number.square);
                           }});
    const auto count_work = [&] {
      for (const Worker& state : states) worked += state.items;
    };
    try {
      pipeline.run(exec);
    } catch (...) {
      count_work();
      throw;
    }
    count_work();
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
  for (const int workers : {1, 2, 7})
    for (const int in_flight : {1, 2, 10}) {
      Squares squares{.workers = workers, .in_flight = in_flight};
      squares.run();
      squares.expect_written(100);
      EXPECT_EQ(squares.worked, 100);
      EXPECT_LE(squares.most_in_flight, in_flight);
    }
}

TEST(OrderedPipeline, NoItemsIsNoProblem) {
  Squares squares{.count = 0};
  squares.run();
  squares.expect_written(0);
}

TEST(OrderedPipeline, StepsRunBesideEachOther) {
  // Two workers wait for each other, reader and writer go on meanwhile: none of it ends in turns.
  std::atomic<int> busy = 0;
  std::vector<Worker> states(2);
  int next = 0, written = 0;
  Pipeline pipeline(states, 3,
                    {.read = [&](Number& number) { return (number.value = next++) < 2; },
                     .work =
                         [&](Worker&, Number&) {
                           ++busy;
                           while (busy < 2) std::this_thread::yield();
                         },
                     .write = [&](Number&) { ++written; }});
  pipeline.run({});
  EXPECT_EQ(written, 2);
}

TEST(OrderedPipeline, AFailedReadLeavesAfterWhatWasRead) {
  for (const int at : {0, 1, 50, 99}) {
    Squares squares{.fail_read = at};
    EXPECT_EQ(squares.failure(), "read");
    squares.expect_written(at);
  }
}

TEST(OrderedPipeline, FailedWorkLeavesAfterWhatWasBeforeIt) {
  for (const int workers : {1, 4})
    for (const int at : {0, 1, 50, 99}) {
      Squares squares{.workers = workers, .fail_work = at};
      EXPECT_EQ(squares.failure(), "work");
      squares.expect_written(at);
    }
}

TEST(OrderedPipeline, AFailedWriteLeavesAtOnce) {
  for (const int at : {0, 50, 99}) {
    Squares squares{.fail_write = at};
    EXPECT_EQ(squares.failure(), "write");
    squares.expect_written(at);
    EXPECT_LE(squares.read, at + 5);
  }
}

TEST(OrderedPipeline, OfTwoFailuresTheFirstInOrderLeaves) {
  Squares squares{.fail_read = 52, .fail_work = 51};
  EXPECT_EQ(squares.failure(), "work");
  squares.expect_written(51);
}

TEST(OrderedPipeline, AStopEndsIt) {
  std::stop_source stop;
  Squares fired;
  fired.exec.stop = stop.get_token();
  stop.request_stop();
  EXPECT_THROW(fired.run(), Cancelled);
  fired.expect_written(0);

  // In the middle, from a worker, while the writer waits for it.
  std::stop_source later;
  std::vector<Worker> states(2);
  int next = 0, written = 0;
  Pipeline endless(states, 4,
                   {.read =
                        [&](Number& number) {
                          number.value = next++;
                          return true;
                        },
                    .work =
                        [&](Worker&, Number& number) {
                          if (number.value == 20) later.request_stop();
                        },
                    .write = [&](Number&) { ++written; }});
  EXPECT_THROW(endless.run({.stop = later.get_token()}), Cancelled);
  EXPECT_LE(written, 24);
}

}  // namespace
}  // namespace fovea
