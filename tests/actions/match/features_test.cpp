#include "actions/match/features.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "actions/synthetic.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(Features, HalvesRootsAndScale) {
  const PointSet set = synthetic_points(1, 0, 5);
  const Nodes all = make_nodes(set, 0, {.square_root = false, .scale = 2});
  ASSERT_EQ(all.size(), 5);
  ASSERT_EQ(all.features.width(), kDescriptorSize);
  EXPECT_EQ(all.features.at(100, 3), 2 * set.descriptors.at(100, 3));
  EXPECT_EQ(all.nodes[4].frame, 4);
  EXPECT_EQ(all.nodes[4].x, set.points[4].x);
  const Nodes hof = make_nodes(set, 0, {.appearance = Appearance::kHof});
  ASSERT_EQ(hof.features.width(), kHofSize);
  EXPECT_EQ(hof.features.at(3, 2), std::sqrt(set.descriptors.at(kHogSize + 3, 2)));
  EXPECT_EQ(make_nodes(set, 0, {.appearance = Appearance::kHog}).features.width(), kHogSize);
}

TEST(Features, OfAFrameTheMostConfidentPointsCount) {
  const PointSet set = synthetic_points(0, 0, 4, 3);
  EXPECT_EQ(make_nodes(set, 0, {}).size(), 12);
  EXPECT_EQ(make_nodes(set, 2, {}).size(), 8);
  const Scene one = make_scene(set, 1, {.square_root = false});
  EXPECT_EQ(one.points.size(), 4);
  EXPECT_EQ(one.frames, 4);
  EXPECT_EQ(one.points.features.at(0, 1), set.descriptors.at(0, 3));
  EXPECT_EQ(most_salient(set).points.size(), 4U);
}

TEST(Features, AMirrorTurnsPlacesDirectionsAndCells) {
  PointSet set = synthetic_points(0, 0, 1);
  std::iota(set.descriptors.row(0), set.descriptors.row(0) + kDescriptorSize, 0.0F);
  const PointSet turned = mirrored(set);
  EXPECT_EQ(turned.points[0].x, 159 - set.points[0].x);
  EXPECT_EQ(turned.points[0].y, set.points[0].y);
  const auto hog = [](int cx, int cy, int ct, int bin) {
    return ((cx * 3 + cy) * 2 + ct) * 4 + bin;
  };
  const auto hof = [](int cx, int cy, int ct, int bin) {
    return kHogSize + ((cx * 3 + cy) * 2 + ct) * 5 + bin;
  };
  const auto moved = [&](int from, int to) {
    return turned.descriptors.at(to, 0) == set.descriptors.at(from, 0);
  };
  EXPECT_TRUE(moved(hog(0, 1, 1, 0), hog(2, 1, 1, 0)));
  EXPECT_TRUE(moved(hog(1, 2, 0, 1), hog(1, 2, 0, 3)));
  EXPECT_TRUE(moved(hog(1, 2, 0, 2), hog(1, 2, 0, 2)));
  EXPECT_TRUE(moved(hof(0, 0, 1, 1), hof(2, 0, 1, 2)));
  EXPECT_TRUE(moved(hof(2, 1, 0, 3), hof(0, 1, 0, 4)));
  EXPECT_TRUE(moved(hof(2, 1, 0, 0), hof(0, 1, 0, 0)));
  EXPECT_TRUE(test::images_equal(mirrored(turned).descriptors, set.descriptors));
}

TEST(Features, WhatDoesNotFitIsNamed) {
  PointSet set = synthetic_points(0, 0, 4);
  set.points[2].frame = 0;
  EXPECT_THAT(message_of<InvalidArgument>([&] { make_nodes(set, 1, {}); }),
              HasSubstr("point 2 lies in frame 0; expected 1 to 3"));
  set.points[2].frame = 4;
  EXPECT_THAT(message_of<InvalidArgument>([&] { make_scene(set, 1, {}); }), HasSubstr("frame 4"));
  set = synthetic_points(0, 0, 4);
  set.descriptors = Image<float>(kDescriptorSize, 3);
  EXPECT_THAT(message_of<InvalidArgument>([&] { mirrored(set); }),
              HasSubstr("4 points with 3 descriptors"));
}

}  // namespace
}  // namespace fovea::actions
