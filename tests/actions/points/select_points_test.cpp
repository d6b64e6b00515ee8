// Points are sorted, selected, written as CSV and handed out frame by frame.
#include <fovea/actions/select_points.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

PointSet three_points() {
  PointSet set;
  set.size = {80, 60};
  set.frames = 4;
  set.points = {{1, 2, 0, 4, 2, 0.25F}, {3, 4, 2, 4, 2, 0.5F}, {5, 6, 2, 4, 2, 1}};
  return set;
}

std::vector<float> places(const PointSet& set) {
  std::vector<float> all;
  for (const SpaceTimePoint& point : set.points) all.push_back(point.x);
  return all;
}

TEST(SelectPoints, SortsByConfidenceInsideAFrame) {
  PointSet set = three_points();
  EXPECT_THAT(places(select_points(set)), ElementsAre(1, 5, 3));
  EXPECT_THAT(places(select_points(set, {.most_per_frame = 1})), ElementsAre(1, 5));
  EXPECT_THAT(places(select_points(set, {.least_confidence = 0.5})), ElementsAre(5, 3));
  for (SpaceTimePoint& point : set.points) point.confidence = 1;  // nothing to sort by
  EXPECT_THAT(places(select_points(set)), ElementsAre(1, 3, 5));
  EXPECT_THROW(static_cast<void>(select_points(set, {.most_per_frame = -1})), InvalidArgument);
}

TEST(SelectPoints, DescriptorsStayWithTheirPoints) {
  const PointSet set = synthetic_points(0, 0, 6, 3);
  const PointSet best = select_points(set, {.most_per_frame = 1});
  ASSERT_THAT(best.points, SizeIs(6));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(best.descriptors.at(9, i), set.descriptors.at(9, 3 * i));
  EXPECT_TRUE(select_points(set, {.descriptors = false}).descriptors.empty());
}

TEST(SelectPoints, WritesCsv) {
  std::string text;
  write_points_csv(io::string_sink(text), select_points(three_points(), {.most_per_frame = 1}));
  EXPECT_EQ(text, "frame,x,y,sigma2,tau2,confidence\n0,1,2,4,2,0.25\n2,5,6,4,2,1\n");
}

TEST(PointFrames, EveryFrameComesOnce) {
  const PointSet set = three_points();
  PointFrames frames(set, 10);
  std::vector<std::size_t> counts;
  for (std::int64_t i = 0; i < set.frames; ++i) {
    const FramePoints one = frames.next();
    EXPECT_EQ(one.frame, 10 + i);
    for (const SpaceTimePoint& point : one.points) EXPECT_EQ(point.frame, one.frame);
    counts.push_back(one.points.size());
  }
  EXPECT_THAT(counts, ElementsAre(1U, 0U, 2U, 0U));
}

}  // namespace
}  // namespace fovea::actions
