// Covers: event_counts, joined_clips
#include <fmt/format.h>
#include <fovea/actions/evaluate_stream.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/videos.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;
using testing::SizeIs;

Event event_of(std::int32_t label, std::int64_t first, std::int64_t last, std::int32_t place = 0) {
  Event event;
  event.label = label;
  event.first_frame = first;
  event.last_frame = last;
  event.latency_frames = 10;
  event.place = place;
  event.box = {10, 10, 20, 20};
  return event;
}

TEST(JoinEvents, PartsOfOneActionAreOne) {
  const std::vector<Event> events{event_of(0, 0, 20),     event_of(0, 25, 40),
                                  event_of(0, 60, 80),    event_of(1, 90, 99),
                                  event_of(0, 82, 95, 1), event_of(0, 100, 110)};
  const std::vector<Event> joined = join_events(events, 5);
  ASSERT_THAT(joined, SizeIs(5));
  EXPECT_EQ(joined[0].first_frame, 0);
  EXPECT_EQ(joined[0].last_frame, 40);
  EXPECT_EQ(joined[0].latency_frames, 10);
  EXPECT_EQ(joined[2].place, 1);          // another place
  EXPECT_EQ(joined[4].first_frame, 100);  // another action was in between
  EXPECT_THAT(join_events(events, 19), SizeIs(4));
}

TEST(CountEvents, EachTruthMakesOneEventRight) {
  const Rect<float> left{0, 0, 100, 100}, right{100, 0, 100, 100};
  const std::vector<TrueEvent> truth{{0, 0, 99, left}, {1, 0, 99, right}, {0, 200, 299, left}};
  // Right; a second for the same truth; the wrong side; too little in common.
  const std::vector<Event> events{event_of(0, 0, 59), event_of(0, 60, 120), event_of(1, 0, 99),
                                  event_of(0, 280, 379)};
  const EventReport half = count_events(truth, events, 2, 0.5);
  EXPECT_EQ(half.all.truths, 3);
  EXPECT_EQ(half.all.events, 4);
  EXPECT_EQ(half.all.correct, 1);
  EXPECT_DOUBLE_EQ(half.all.precision(), 0.25);
  EXPECT_DOUBLE_EQ(half.all.recall(), 1 / 3.0);
  EXPECT_DOUBLE_EQ(half.all.f1(), 2 / 7.0);
  EXPECT_DOUBLE_EQ(half.all.mean_delay(), 59 + 10 - 99);
  EXPECT_EQ(half.classes[1].correct, 0);
  EXPECT_EQ(count_events(truth, events, 2, 0.1).all.correct, 2);
  EXPECT_TRUE(std::isnan(count_events({}, {}, 2, 0.5).all.precision()));  // of no event
  EXPECT_THROW(static_cast<void>(count_events(truth, events, 1, 0.5)), InvalidArgument);
  EventReport sum = half;
  sum += half;
  EXPECT_EQ(sum.all.events, 8);
  EXPECT_EQ(sum.classes[0].correct, 2);
}

TEST(EventMistakes, AreTheClipsThatShowThem) {
  const Rect<float> all{0, 0, 100, 100};
  const std::vector<ShownClip> shown{{"a.avi", 5, 0, 0, 99, all},
                                     {"b.avi", 0, 1, 140, 239, all},
                                     {"c.avi", 7, -1, 280, 379, all},
                                     {"d.avi", 9, 1, 420, 519, all}};
  const std::vector<TrueEvent> truth{
      {0, 0, 99, all, 0}, {1, 140, 239, all, 1}, {1, 420, 519, all, 3}};
  // Right; another action; an unknown action; motion between clips, nearer to the last one.
  const std::vector<Event> events{event_of(0, 10, 99), event_of(0, 150, 239), event_of(1, 290, 309),
                                  event_of(0, 405, 415)};
  const std::vector<EventMistake> mistakes = event_mistakes(truth, events, 0.5, shown);
  ASSERT_THAT(mistakes, SizeIs(4));
  EXPECT_EQ(mistakes[0], (EventMistake{.truth = 1, .found = 0, .path = "b.avi"}));
  EXPECT_EQ(mistakes[1], (EventMistake{.truth = 1, .path = "d.avi", .frame = 9}));
  EXPECT_EQ(mistakes[2], (EventMistake{.found = 1, .path = "c.avi", .frame = 7 + 19}));
  EXPECT_EQ(mistakes[3], (EventMistake{.found = 0, .between = true, .path = "d.avi", .frame = 9}));
  // As many actions are not found, and as many events are wrong, as are counted.
  const EventReport counts = count_events(truth, events, 2, 0.5);
  EXPECT_EQ(counts.all.truths - counts.all.correct, 2);
  EXPECT_EQ(counts.all.events - counts.all.correct, 3);
  // The same action, with too little in common.
  const std::vector<EventMistake> early =
      event_mistakes({&truth[0], 1}, std::vector<Event>{event_of(0, 0, 20)}, 0.5, shown);
  ASSERT_THAT(early, SizeIs(1));
  EXPECT_EQ(early[0].found, early[0].truth);
  EXPECT_TRUE(
      event_mistakes({&truth[0], 1}, std::vector<Event>{event_of(0, 0, 99)}, 0.5, shown).empty());
  // Events beside the one that made the action right.
  const std::vector<EventMistake> more = event_mistakes(
      {&truth[0], 1},
      std::vector<Event>{event_of(0, 0, 99), event_of(1, 10, 50), event_of(0, 60, 80)}, 0.5, shown);
  ASSERT_THAT(more, SizeIs(2));
  EXPECT_EQ(more[0],
            (EventMistake{.truth = 0, .found = 1, .surplus = true, .path = "a.avi", .frame = 35}));
  EXPECT_EQ(more[1],
            (EventMistake{.truth = 0, .found = 0, .surplus = true, .path = "a.avi", .frame = 75}));
  EXPECT_EQ(event_mistakes({}, std::vector<Event>{event_of(0, 0, 99)}, 0.5, {}).front().path, "");
}

class Joined : public testing::Test {
 protected:
  Joined() {
    for (int action = 0; action < 2; ++action) {
      const std::string path = folder_ / (swing_names()[static_cast<std::size_t>(action)] + ".y4m");
      write_swings(path, {action}, 0, 12);
      clips_.push_back({.path = path, .label = action, .subject = "s", .scenario = {}});
    }
  }
  test::TempFolder folder_;
  std::vector<Clip> clips_;
};

TEST_F(Joined, ClipsStandWhereTheTruthSays) {
  for (const GapMotion motion : {GapMotion::kNone, GapMotion::kMixed}) {
    JoinedClips video(clips_, {.people = 2, .gap = 5, .motion = motion});
    std::vector<Image<std::uint8_t>> frames;
    for (Image<std::uint8_t> frame; video.next(frame);) frames.push_back(clone(frame));
    EXPECT_THAT(frames, SizeIs(5 + 12 + 5 + 12 + 5));
    EXPECT_EQ(frames[0].width(), 2 * 96);
    ASSERT_THAT(video.truth(), SizeIs(4));
    EXPECT_EQ(video.action_frames(), 4 * 12);
    ASSERT_THAT(video.shown(), SizeIs(4));
    for (const TrueEvent& event : video.truth()) {
      EXPECT_EQ(event.last_frame - event.first_frame, 11);
      const ShownClip& source = video.shown()[static_cast<std::size_t>(event.clip)];
      EXPECT_EQ(source.path, clips_[static_cast<std::size_t>(event.label)].path);
      EXPECT_EQ(source.first_frame, event.first_frame);
      io::VideoReader reader(clips_[static_cast<std::size_t>(event.label)].path,
                             {.color = io::VideoColor::kGray});
      io::Frame clip;
      ASSERT_TRUE(reader.next(clip));
      const auto& shown = frames[static_cast<std::size_t>(event.first_frame)];
      for (int y = 0; y < 72; ++y)
        ASSERT_TRUE(std::equal(clip.image.row(y), clip.image.row(y) + 96,
                               shown.row(y) + static_cast<int>(event.area.x)));
    }
  }
}

TEST_F(Joined, TheSeedDecidesAndNothingElse) {
  const auto all = [&](std::uint64_t seed) {
    JoinedClips video(clips_, {.gap = 8, .seed = seed});
    std::vector<std::uint8_t> bytes;
    for (Image<std::uint8_t> frame; video.next(frame);)
      for (int y = 0; y < frame.height(); ++y)
        bytes.insert(bytes.end(), frame.row(y), frame.row(y) + frame.width());
    return bytes;
  };
  EXPECT_EQ(all(1), all(1));
  EXPECT_NE(all(1), all(2));
}

TEST_F(Joined, WhatCannotBeJoinedIsNamed) {
  EXPECT_THAT(message_of<InvalidArgument>([&] { JoinedClips({}, {}); }), HasSubstr("no clips"));
  clips_[0].first = 99;
  EXPECT_THAT(message_of<FormatError>([&] {
                JoinedClips video(clips_, {.gap = 0});
                for (Image<std::uint8_t> frame; video.next(frame);) {
                }
              }),
              HasSubstr("from frame 100"));
  Corpus corpus;
  corpus.classes = {"a", "b", "c"};
  const std::vector<std::string> unknown{"b"}, wrong{"x"}, most{"a", "b"};
  EXPECT_EQ(known_classes(corpus, unknown), (std::vector<std::string>{"a", "c"}));
  EXPECT_THAT(message_of<InvalidArgument>([&] { known_classes(corpus, wrong); }), HasSubstr("x"));
  EXPECT_THROW(known_classes(corpus, most), InvalidArgument);
}

// Packed clips give what the points give, and a model is measured on the subjects that are asked
// for.
TEST(EvaluateStreams, PackedClipsAndGivenModels) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const test::TempFolder folder;
  Corpus corpus;
  corpus.classes.assign(swing_names().begin(), swing_names().begin() + 2);
  for (int action = 0; action < 2; ++action)
    for (int subject = 0; subject < 2; ++subject) {
      const std::string path = folder / fmt::format("{}_{}.y4m", action, subject);
      write_swings(path, {action}, subject, 16);
      corpus.clips.push_back(
          {.path = path, .label = action, .subject = fmt::format("s{}", subject), .scenario = {}});
    }
  TrainOptions train_with;
  train_with.points.harris.levels = 1;
  train_with.cut.nodes = 6;
  train_with.cut.mirror = false;
  train_with.reject_points = 0;
  train_with.exec.device = Device::cpu();
  StreamEvaluateOptions options;
  options.joined.gap = 1;
  options.rejects = {1.5};
  options.exec.device = Device::cpu();
  const ClipOptions reading{.points = train_with.points, .exec = train_with.exec};
  const std::vector<PointSet> points = clip_points(corpus.clips, reading);
  const StreamReport of_sets = evaluate_streams(corpus, points, {}, train_with, options);
  PackedClips packed;
  for (const PointSet& set : points) packed.add(set);
  const StreamReport of_packed = evaluate_streams(corpus, packed, {}, train_with, options);
  EXPECT_EQ(of_sets.frames, of_packed.frames);
  EXPECT_EQ(of_sets.points[0].raw_events, of_packed.points[0].raw_events);
  EXPECT_EQ(of_sets.points[0].overlaps[0].all.correct, of_packed.points[0].overlaps[0].all.correct);
  StreamReport by_subject;
  for (const char* subject : {"s0", "s1"})
    by_subject +=
        evaluate_subject_streams(corpus, packed, {.subjects = {subject}}, train_with, options);
  EXPECT_EQ(by_subject.frames, of_packed.frames);
  EXPECT_EQ(by_subject.points[0].raw_events, of_packed.points[0].raw_events);
  EXPECT_EQ(by_subject.points[0].overlaps[0].all.truths, 4);
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                evaluate_subject_streams(corpus, packed, {.subjects = {"bob"}}, train_with,
                                         options);
              }),
              HasSubstr("no subject bob; expected some of s0, s1"));
  const auto model = std::make_shared<const Model>(train(corpus, points, train_with));
  const StreamReport one = evaluate_model_streams(
      model, corpus, {.unknown = {corpus.classes[0]}, .subjects = {"s1"}}, options);
  EXPECT_EQ(2 * one.frames, of_sets.frames);
  EXPECT_EQ(of_sets.points[0].overlaps[0].all.truths, 4);
  EXPECT_EQ(one.points[0].overlaps[0].all.truths, 1);
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { evaluate_model_streams(model, corpus, {.subjects = {"bob"}}, options); }),
              HasSubstr("no subject bob; expected some of s0, s1"));
}

}  // namespace
}  // namespace fovea::actions
