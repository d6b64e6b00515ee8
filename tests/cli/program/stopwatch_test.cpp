#include "cli/program/stopwatch.h"

#include <fovea/core/error.h>

#include <gtest/gtest.h>
#include <algorithm>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(SecondsText, TakesTheUnitThatFits) {
  EXPECT_EQ(seconds_text(8.12e-7), "812 ns");
  EXPECT_EQ(seconds_text(4.31e-5), "43.1 us");
  EXPECT_EQ(seconds_text(2.05e-3), "2.05 ms");
  EXPECT_EQ(seconds_text(0.99997), "1000 ms");
  EXPECT_EQ(seconds_text(1.31), "1.31 s");
  EXPECT_EQ(seconds_text(258.4), "258 s");
  EXPECT_EQ(seconds_text(1312), "1312 s");
}

TEST(Stopwatch, TellsTheMedianAndTakesTurns) {
  std::string order;
  const auto runner = [&](char name, double seconds) {
    return [&order, name, seconds](int iterations) {
      order += name;
      return seconds * iterations;
    };
  };
  const auto timings = time_in_turns({runner('a', 0.02), runner('b', 0.05)}, 3, {});
  EXPECT_DOUBLE_EQ(timings[0].seconds, 0.02);
  EXPECT_DOUBLE_EQ(timings[1].seconds, 0.05);
  EXPECT_EQ(timings[0].spread, 0);
  EXPECT_TRUE(order.ends_with("ababab")) << order;
}

TEST(Stopwatch, RunsLongEnoughForTheClock) {
  int most = 0;
  time_in_turns({[&](int iterations) {
                  most = std::max(most, iterations);
                  return iterations * 1e-6;
                }},
                1, {});
  EXPECT_GE(most, 10000);
  EXPECT_LE(most, 160000);
}

TEST(Stopwatch, Stops) {
  EXPECT_THROW(time_in_turns({[](int) { return 1.0; }}, 1, fired()), Cancelled);
}

}  // namespace
}  // namespace fovea::cli
