#include "actions/recognize/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fovea/core/random.h>

#include <algorithm>

namespace fovea::actions {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

SpaceTimePoint at(float x, float y) { return {x, y, 0, 4, 2, 1}; }

TEST(Places, OnePersonIsOnePlaceWhereverItGoes) {
  PlaceTracker tracker({40, 60}, 4);
  Random random(1);
  for (std::int64_t t = 0; t < 200; ++t) {
    const float x = 20 + 3 * static_cast<float>(t);  // pixels per frame of a person who walks
    const std::vector<SpaceTimePoint> points{
        at(x + random.uniform(-15, 15), 60 + random.uniform(-30, 30)),
        at(x + random.uniform(-15, 15), 60 + random.uniform(-30, 30))};
    tracker.push(t, points);
    ASSERT_THAT(tracker.places(), SizeIs(1)) << t;
  }
  EXPECT_EQ(tracker.confirmed(), 1);
}

TEST(Places, TwoPeopleSideBySideAreTwo) {
  PlaceTracker tracker({40, 60}, 4);
  for (std::int64_t t = 0; t < 30; ++t) {
    const std::vector<SpaceTimePoint> points{at(50, 60), at(200, 60), at(55, 80)};
    const auto ids = tracker.push(t, points);
    EXPECT_THAT(std::vector<std::int32_t>(ids.begin(), ids.end()), ElementsAre(0, 1, 0));
    EXPECT_EQ(tracker.confirmed(), t + 1 < 8 ? 0 : 2) << t;
  }
  // One of them leaves.
  for (std::int64_t t = 30; t < 100; ++t) tracker.push(t, std::vector{at(200, 60)});
  ASSERT_THAT(tracker.places(), SizeIs(1));
  EXPECT_EQ(tracker.places()[0].id, 1);
}

TEST(Places, PlacesThatMeetBecomeTheOlder) {
  PlaceTracker tracker({40, 60}, 4);
  for (std::int64_t t = 0; t < 60; ++t)
    tracker.push(t, std::vector{at(100, 60), at(260 - 3 * static_cast<float>(t), 60)});
  ASSERT_THAT(tracker.places(), SizeIs(1));
  EXPECT_EQ(tracker.places()[0].id, 0);
}

TEST(Places, NoiseIsBounded) {
  PlaceTracker tracker({5, 5}, 3);
  Random random(7);
  for (std::int64_t t = 0; t < 500; ++t) {
    std::vector<SpaceTimePoint> points;
    for (int i = 0; i < 40; ++i)
      points.push_back(at(random.uniform(0, 640), random.uniform(0, 480)));
    const auto ids = tracker.push(t, points);
    EXPECT_EQ(ids.size(), points.size());
    EXPECT_LE(tracker.confirmed(), 3);
    EXPECT_LE(tracker.places().size(), 3U + 8U);
    for (const auto& place : tracker.places()) EXPECT_LE(place.seen.size(), 25U);
  }
}

TEST(Places, TheReachGrowsWithTheFrame) {
  Model model;
  PointSet clip;
  clip.size = {160, 120};
  for (int i = 0; i < 50; ++i)
    clip.points.push_back(at(i % 2 == 0 ? 10.0F : 40.0F, i % 2 == 0 ? 5.0F : 25.0F));
  model.clips.push_back(std::move(clip));
  const PlaceReach same = learn_reach(model, {320, 120}), large = learn_reach(model, {640, 480});
  EXPECT_EQ(same.x, 30);
  EXPECT_EQ(same.y, 20);
  EXPECT_EQ(large.x, 120);
  EXPECT_EQ(learn_reach(Model{}, {640, 480}).x, 4);  // nothing is known
}

}  // namespace
}  // namespace fovea::actions
