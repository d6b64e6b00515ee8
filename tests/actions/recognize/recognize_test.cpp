// The face: models by name and shared, gray and colored frames, times of events.
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/swing_model.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

std::vector<Event> all_events(Recognizer recognizer,
                              const std::vector<Image<std::uint8_t>>& frames) {
  std::vector<Event> events;
  const auto keep = [&](std::span<const Event> some) {
    events.insert(events.end(), some.begin(), some.end());
  };
  for (const auto& frame : frames) keep(recognizer.push(frame));
  keep(recognizer.finish());
  EXPECT_EQ(recognizer.settled_frames(), std::ssize(frames));
  EXPECT_TRUE(recognizer.finish().empty());
  return events;
}

TEST(Recognizer, KeepsItsModelAndNamesWhatItSees) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  auto model = swing_model();
  RecognizeOptions options{.reject = 1.1, .frame_rate = 50};
  options.exec.device = Device::cpu();
  Recognizer recognizer(model, options);
  model.reset();
  EXPECT_EQ(recognizer.model().classes, swing_names());
  EXPECT_EQ(recognizer.options().reject, 1.1);
  const std::vector<Event> events = all_events(std::move(recognizer), swings({0, 2, 1}, 5, 48));
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(events[0].name, "across");
  EXPECT_EQ(events[0].label, 0);
  for (const Event& event : events) {
    EXPECT_DOUBLE_EQ(event.start_seconds, static_cast<double>(event.first_frame) / 50);
    EXPECT_DOUBLE_EQ(event.end_seconds, static_cast<double>(event.last_frame + 1) / 50);
    EXPECT_GT(event.score, 0);
    EXPECT_GE(event.latency_frames, 0);
  }
}

TEST(Recognizer, TakesColoredFrames) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const auto model = swing_model();
  RecognizeOptions options{.reject = 1.1};
  options.exec.device = Device::cpu();
  const auto frames = swings({0, 2}, 5, 48);
  std::vector<Image<std::uint8_t>> colored;
  for (const auto& gray : frames) {
    colored.emplace_back(gray.width(), gray.height(), 3);
    for (int y = 0; y < gray.height(); ++y)
      for (int x = 0; x < gray.width(); ++x)
        std::fill_n(&colored.back().at(x, y), 3, gray.at(x, y));
  }
  const auto expected = all_events(Recognizer(model, options), frames);
  const auto events = all_events(Recognizer(model, options), colored);
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].distance, expected[i].distance);
    EXPECT_EQ(events[i].box, expected[i].box);
  }
}

TEST(Recognizer, TakesPointsOfFramesInsteadOfFrames) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const auto model = swing_model();
  RecognizeOptions options{.reject = 1.1};
  options.exec.device = Device::cpu();
  const auto frames = swings({0, 2}, 5, 40);
  const auto expected = all_events(Recognizer(model, options), frames);
  PointOptions finding = model->points;
  finding.exec = options.exec;
  PointStream stream(finding);
  Recognizer recognizer(model, options);
  std::vector<Event> events;
  const auto keep = [&](std::span<const Event> some) {
    events.insert(events.end(), some.begin(), some.end());
  };
  const auto take = [&](std::span<const FramePoints> ready) {
    for (const FramePoints& points : ready) keep(recognizer.push(points, {96, 72}));
  };
  for (const auto& frame : frames) take(stream.push(frame));
  take(stream.finish());
  EXPECT_EQ(recognizer.latency(), 0);
  keep(recognizer.finish());
  ASSERT_GE(events.size(), 2U);
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].name, expected[i].name);
    EXPECT_EQ(events[i].distance, expected[i].distance);
    EXPECT_EQ(events[i].box, expected[i].box);
    EXPECT_EQ(events[i].first_frame, expected[i].first_frame);
    EXPECT_LE(events[i].latency_frames, expected[i].latency_frames);
  }
}

TEST(Recognizer, RefusesPointsThatDoNotFollow) {
  RecognizeOptions options;
  options.exec.device = Device::cpu();
  Recognizer recognizer("actions/weizmann", options);
  const auto why = [&](FramePoints points) {
    return message_of<InvalidArgument>([&] { recognizer.push(points); });
  };
  EXPECT_THAT(why({.frame = 1}), HasSubstr("points of frame 1, expected frame 0"));
  EXPECT_THAT(why({.frame = 0, .points = {SpaceTimePoint{}}}), HasSubstr("0 descriptors"));
  EXPECT_TRUE(recognizer.push(FramePoints{.frame = 0}).empty());
  EXPECT_THAT(message_of<InvalidArgument>([&] { recognizer.push(swing_frame(0, 0, 0)); }),
              HasSubstr("either frames or points"));
}

TEST(Recognizer, FindsShippedModelsByName) {
  RecognizeOptions options;
  options.exec.device = Device::cpu();
  EXPECT_EQ(Recognizer("actions/weizmann", options).model().classes.size(), 10U);
  EXPECT_THAT(message_of<IoError>([&] { Recognizer("no_such", options); }),
              HasSubstr("actions/weizmann"));
  EXPECT_THROW(Recognizer(std::shared_ptr<const Model>(), options), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
