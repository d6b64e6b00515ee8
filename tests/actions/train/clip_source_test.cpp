#include "actions/train/clip_source.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

TEST(PackedClips, HoldPointsExactlyAndDescriptorsIn16Bits) {
  const PointSet points = synthetic_points(1, 2, 5, 3);
  PackedClips packed;
  packed.add(points);
  packed.add(PointSet{});
  const PointSet back = packed.unpacked(0);
  ASSERT_EQ(back.points.size(), points.points.size());
  EXPECT_EQ(back.frames, points.frames);
  EXPECT_EQ(back.size.width, points.size.width);
  EXPECT_EQ(back.points[4].x, points.points[4].x);
  for (int y = 0; y < back.descriptors.height(); ++y)
    for (int x = 0; x < kDescriptorSize; ++x)
      EXPECT_NEAR(back.descriptors.at(x, y), points.descriptors.at(x, y), 3e-4);
  EXPECT_TRUE(packed.unpacked(1).points.empty());
  PointSet bare = synthetic_points(0, 0, 3);
  bare.descriptors = {};
  EXPECT_THROW(packed.add(bare), InvalidArgument);
}

TEST(PackedClips, KeepWhatHasAPlace) {
  PackedClips packed(3);
  for (int i = 0; i < 3; ++i) packed.set(i, synthetic_points(0, 0, 3 + i));
  packed.keep(std::vector<std::int32_t>{0, -1, 1});
  ASSERT_EQ(packed.size(), 2);
  EXPECT_EQ(packed.unpacked(1).frames, 5);
}

TEST(ClipSource, CountsTheMostConfidentPointsOfFrames) {
  const std::vector<PointSet> points = [] {
    std::vector<PointSet> sets;
    sets.push_back(synthetic_points(0, 0, 4, 3));
    return sets;
  }();
  const ClipSource source(points);
  EXPECT_EQ(source.points(0, 0), 12);
  EXPECT_EQ(source.points(0, 2), 8);
  EXPECT_EQ(salient_of(source, 0).points.size(), 4U);
}

TEST(ClipSource, ScaleIsThatOfAllFeaturesAtOnce) {
  const SyntheticCorpus set(3, 3, 12);
  std::vector<int> all(set.points.size());
  std::iota(all.begin(), all.end(), 0);
  for (const int most : {0, 1})
    for (const bool root : {false, true}) {
      const FeatureOptions options{.square_root = root};
      EXPECT_EQ(source_scale(ClipSource(set.points), all, most, options, 5),
                learn_scale(set.points, most, options, 5));
    }
}

}  // namespace
}  // namespace fovea::actions
