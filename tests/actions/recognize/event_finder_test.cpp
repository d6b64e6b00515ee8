// Covers: event_blocks, event_search, event_picker, event_rules
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/recognize/event_finder.h"
#include "actions/synthetic.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Event event(std::int64_t first, std::int64_t last, double distance) {
  Event result;
  result.first_frame = first;
  result.last_frame = last;
  result.distance = distance;
  return result;
}

TEST(EventPicker, OfOverlappingEventsTheNearestCounts) {
  EventPicker picker(5);
  std::vector<Event> events;
  picker.offer(event(0, 20, 2), 20, events);
  picker.offer(event(4, 22, 1), 22, events);
  picker.offer(event(6, 24, 3), 24, events);
  picker.advance(24, events);
  EXPECT_THAT(events, IsEmpty());
  picker.advance(27, events);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].distance, 1);
  // What overlaps with a reported event is not reported, however near it is.
  EXPECT_FALSE(picker.wants(22, 30, 0.1));
  picker.offer(event(23, 40, 3), 40, events);
  picker.offer(event(41, 60, 3), 60, events);  // begins after the waiting one: lets it go
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[1].first_frame, 23);
  picker.finish(events);
  EXPECT_EQ(events.back().first_frame, 41);
}

Model trained() {
  const SyntheticCorpus set(3, 3, 30);
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  return train(set.corpus, set.points, options);
}

// Clips one after the other, by a subject that was not trained on; -1 is an unknown action.
std::vector<Event> recognized(const Model& model, const std::vector<int>& labels,
                              const RecognizeOptions& options, std::size_t* most_kept = nullptr) {
  EventFinder finder(model, options);
  finder.set_frame_size({160, 120});
  std::vector<Event> events;
  std::int64_t next = 0, settled = 0;
  for (std::size_t clip = 0; clip < labels.size(); ++clip) {
    const PointSet set =
        synthetic_points(labels[clip] < 0 ? 20 : labels[clip], 10 + static_cast<int>(clip) % 5, 30);
    for (std::size_t i = 0; i < set.points.size(); ++i) {
      const std::size_t before = events.size();
      finder.push(next++, std::span(&set.points[i], 1),
                  set.descriptors.view().crop(0, static_cast<int>(i), kDescriptorSize, 1), events);
      for (std::size_t e = before; e < events.size(); ++e)
        EXPECT_GE(events[e].first_frame, settled) << "a settled frame got an event";
      EXPECT_GE(finder.settled_frames(), settled);
      settled = finder.settled_frames();
    }
    if (most_kept != nullptr) *most_kept = std::max(*most_kept, finder.kept_frames());
  }
  finder.finish(events);
  return events;
}

class Recognize : public testing::TestWithParam<StreamMode> {};

TEST_P(Recognize, FindsWhatFollowsWhatAndNothingElse) {
  const Model model = trained();
  const std::vector<int> labels{0, 2, -1, 1, 0};
  const std::vector<Event> events =
      recognized(model, labels, {.mode = GetParam(), .block = 30, .overlap = 15, .patience = 5});
  std::vector<bool> seen(labels.size(), false);
  std::int64_t last = -1;
  for (const Event& one : events) {
    const auto clip = static_cast<std::size_t>((one.first_frame + one.last_frame) / 2 / 30);
    EXPECT_EQ(one.label, labels[clip]) << one.first_frame << " to " << one.last_frame;
    seen[clip] = true;
    EXPECT_GT(one.first_frame, last);  // they do not overlap
    last = one.last_frame;
    EXPECT_GT(one.margin, 0);
    EXPECT_FALSE(one.box.empty());
    EXPECT_GE(one.box.x, 0);
    EXPECT_LE(one.box.bottom(), 120);
    EXPECT_EQ(one.name, model.classes[static_cast<std::size_t>(one.label)]);
    EXPECT_GE(one.score, 0);
    EXPECT_LT(one.score, 1);
    EXPECT_THAT(one.path, SizeIs(8));
  }
  EXPECT_THAT(seen, ElementsAre(true, true, false, true, true));
}

TEST_P(Recognize, MemoryDoesNotGrowWithTheStream) {
  const Model model = trained();
  const RecognizeOptions options{.mode = GetParam(), .block = 30, .overlap = 15, .patience = 5};
  std::size_t after_few = 0, after_many = 0;
  recognized(model, std::vector<int>(6, 1), options, &after_few);
  recognized(model, std::vector<int>(60, 1), options, &after_many);
  EXPECT_EQ(after_few, after_many);
}

TEST_P(Recognize, FindsNothingWhereNothingHappens) {
  Model model = trained();
  for (Prototype& prototype : model.prototypes) prototype.reject = 100;
  for (const double reject : {0.0, 1.0}) {
    EventFinder finder(
        model, {.mode = GetParam(), .block = 30, .overlap = 15, .reject = reject, .patience = 5});
    finder.set_frame_size({160, 120});
    std::vector<Event> events;
    const Image<float> none(kDescriptorSize, 0);
    for (std::int64_t frame = 0; frame < 90; ++frame) finder.push(frame, {}, none.view(), events);
    finder.finish(events);
    EXPECT_THAT(events, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Recognize,
                         testing::Values(StreamMode::kStream, StreamMode::kBlocks),
                         [](const auto& mode) {
                           return mode.param == StreamMode::kStream ? "stream" : "blocks";
                         });

// Two synthetic people at once: the second acts `shift` pixels to the right of the first.
std::vector<Event> both(const Model& model, int left, int right, float shift,
                        const RecognizeOptions& options, std::size_t* most_kept = nullptr,
                        int repeats = 3) {
  EventFinder finder(model, options);
  finder.set_frame_size({400, 120});
  std::vector<Event> events;
  std::int64_t next = 0, settled = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const PointSet a = synthetic_points(left, 10 + repeat % 3, 30);
    const PointSet b = synthetic_points(right, 11 + repeat % 3, 30);
    for (std::size_t i = 0; i < a.points.size(); ++i) {
      std::vector<SpaceTimePoint> points{a.points[i], b.points[i]};
      points[1].x += shift;
      Image<float> descriptors(kDescriptorSize, 2);
      // The more confident of the two comes first, now one, now the other.
      const std::size_t first = i % 3 == 0 ? 1 : 0;
      std::swap(points[0], points[first]);
      for (std::size_t row = 0; row < 2; ++row)
        std::copy_n((row == first ? a : b).descriptors.row(static_cast<int>(i)), kDescriptorSize,
                    descriptors.row(static_cast<int>(row)));
      const std::size_t before = events.size();
      finder.push(next++, points, descriptors.view(), events);
      for (std::size_t e = before; e < events.size(); ++e)
        EXPECT_GE(events[e].first_frame, settled) << "a settled frame got an event";
      EXPECT_GE(finder.settled_frames(), settled);
      settled = finder.settled_frames();
    }
    if (most_kept != nullptr) *most_kept = std::max(*most_kept, finder.kept_frames());
  }
  finder.finish(events);
  return events;
}

TEST(RecognizePlaces, PeopleSideBySideAreKeptApart) {
  const Model model = trained();
  const RecognizeOptions options{.patience = 5};
  const std::vector<Event> events = both(model, 0, 2, 240, options);
  int left = 0, right = 0;
  for (const Event& event : events) {
    const bool is_right = event.box.x > 150;
    (is_right ? right : left) += event.label == (is_right ? 2 : 0) ? 1 : 0;
    EXPECT_LT(event.box.width, 120);  // never across both
  }
  EXPECT_GE(left, 2);
  EXPECT_GE(right, 2);
  // Without places their points are mixed.
  const std::vector<Event> mixed = both(model, 0, 2, 240, {.patience = 5, .places = 1});
  EXPECT_LT(mixed.size(), events.size());
}

TEST(RecognizePlaces, OnePersonIsAsWithoutPlaces) {
  const Model model = trained();
  const std::vector<int> labels{0, 2, -1, 1, 0};
  const auto apart = recognized(model, labels, {.patience = 5, .places = 4});
  const auto whole = recognized(model, labels, {.patience = 5, .places = 1});
  ASSERT_EQ(apart.size(), whole.size());
  for (std::size_t i = 0; i < apart.size(); ++i) {
    EXPECT_EQ(apart[i].first_frame, whole[i].first_frame);
    EXPECT_EQ(apart[i].distance, whole[i].distance);
    EXPECT_EQ(apart[i].box, whole[i].box);
    EXPECT_EQ(apart[i].place, 0);
  }
}

TEST(RecognizePlaces, MemoryDoesNotGrowWithTheStream) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Model model = trained();
  std::size_t most = 0;
  both(model, 0, 2, 240, {.patience = 5, .places = 2, .classify = true}, &most, 40);
  // For each of two places 80 frames of points and 47 of a clip, the last 25 frames, and events.
  EXPECT_LE(most, 2U * (80 + 47) + 25 + 2 * 8);
}

TEST(RecognizeClassify, ClipsDecideWhatAnEventIs) {
  const Model model = trained();
  const std::vector<int> labels{0, 2, -1, 1, 0};
  const auto events = recognized(model, labels, {.patience = 5, .classify = true});
  ASSERT_GE(events.size(), 4U);
  for (const Event& one : events) {
    const auto clip = static_cast<std::size_t>((one.first_frame + one.last_frame) / 2 / 30);
    EXPECT_EQ(one.label, labels[clip]);
    EXPECT_EQ(one.label, model.prototypes[static_cast<std::size_t>(one.prototype)].label);
    EXPECT_EQ(one.name, model.classes[static_cast<std::size_t>(one.label)]);
  }
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { EventFinder(model, {.mode = StreamMode::kBlocks, .classify = true}); }),
              HasSubstr("leave classify out"));
}

TEST(RecognizeBounds, NothingIsRejectedWithRejectZero) {
  Model model = trained();
  for (Prototype& prototype : model.prototypes) prototype.reject = 0.001F;
  EXPECT_TRUE(recognized(model, {0, 1}, {.patience = 5}).empty());
  EXPECT_FALSE(recognized(model, {0, 1}, {.reject = 0, .patience = 5}).empty());
}

TEST(RecognizeBounds, WhatCannotBeIsNamed) {
  const Model model = trained();
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                EventFinder(model, {.mode = StreamMode::kBlocks, .block = 30, .overlap = 30});
              }),
              HasSubstr("blocks of 30 frames cannot overlap by 30"));
  EventFinder finder(model, {});
  std::vector<Event> events;
  EXPECT_THAT(message_of<InvalidArgument>([&] { finder.push(3, {}, {}, events); }),
              HasSubstr("frame 3 after -1"));
  EXPECT_THROW(EventFinder(Model{}, {}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
