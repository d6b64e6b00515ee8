#include <fovea/actions/show.h>
#include <fovea/actions/timeline.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/files.h"
#include "support/xml_check.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

const std::vector<std::string> kClasses{"walk", "run"};

Event seen_event(std::int32_t label, std::int64_t first, std::int64_t last) {
  Event event;
  event.label = label;
  event.first_frame = first;
  event.last_frame = last;
  return event;
}

TEST(Timeline, ShowsWhatTheFunctionShows) {
  const std::vector<Event> events{seen_event(0, 0, 30), seen_event(1, 50, 90),
                                  seen_event(0, 40, 60)};
  Timeline timeline(kClasses, 25);
  for (const Event& event : events) timeline.add(event);
  EXPECT_EQ(timeline.bars(), 3U);
  EXPECT_EQ(timeline.svg(100), timeline_svg(events, kClasses, 100, 25));
  EXPECT_EQ(test::xml_problem(timeline.svg(100)), "");
}

TEST(Timeline, MemoryDoesNotGrowWithTheStream) {
  Timeline timeline(kClasses, 25);
  std::size_t most = 0;
  for (std::int64_t i = 0; i < 30'000; ++i) {
    timeline.add(seen_event(static_cast<std::int32_t>(i % 2), 40 * i, 40 * i + 25));
    most = std::max(most, timeline.bars());
  }
  EXPECT_LE(most, 2U * 4097U);
  EXPECT_GT(timeline.bars(), 1000U);
  EXPECT_EQ(test::xml_problem(timeline.svg(30'000 * 40)), "");
}

// Two hours of one action, a long rest, and two hours of the other: rows stay apart, and so do
// times.
TEST(Timeline, JoinedBarsCoverWhatTheyCovered) {
  Timeline timeline(kClasses, 25);
  for (std::int64_t i = 0; i < 9'000; ++i) timeline.add(seen_event(0, 20 * i, 20 * i + 9));
  timeline.add(seen_event(0, 400'000, 400'010));
  const std::string all = timeline.svg(800'000);
  Timeline joined(kClasses, 25);
  joined.add(seen_event(0, 0, 20 * 8'999 + 9));
  joined.add(seen_event(0, 400'000, 400'010));
  if (timeline.bars() == 2) {
    EXPECT_EQ(all, joined.svg(800'000));
  }
  EXPECT_LE(timeline.bars(), 4097U);
}

TEST(Timeline, WhatCannotBeIsNamed) {
  Timeline timeline(kClasses, 25);
  EXPECT_THAT(message_of<InvalidArgument>([&] { timeline.add(seen_event(2, 0, 1)); }),
              HasSubstr("the label 2"));
  EXPECT_THROW(Timeline(kClasses, 0), InvalidArgument);
  EXPECT_THROW(Timeline(kClasses, std::numeric_limits<double>::quiet_NaN()), InvalidArgument);
  EXPECT_THROW(static_cast<void>(timeline.svg(-1)), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
