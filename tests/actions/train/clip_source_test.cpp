#include "actions/train/clip_source.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actions/match/features.h"
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

// The median distance of pairs of points of two clips, from the features of all clips at once.
double textbook_scale(std::span<const PointSet> clips, int most, const FeatureOptions& options,
                      std::uint64_t seed) {
  constexpr int kPairs = 20000;
  std::vector<Nodes> nodes;
  for (const PointSet& clip : clips) nodes.push_back(make_nodes(clip, most, options));
  Random random(seed);
  const auto draw = [&](std::size_t count) {
    return random.below(static_cast<std::uint32_t>(count));
  };
  std::vector<double> distances;
  for (int i = 0; i < kPairs; ++i) {
    const auto first = draw(nodes.size());
    const auto second = (first + 1 + draw(nodes.size() - 1)) % nodes.size();
    const float* a = nodes[first].features.row(static_cast<int>(draw(nodes[first].nodes.size())));
    const float* b = nodes[second].features.row(static_cast<int>(draw(nodes[second].nodes.size())));
    double sum = 0;
    for (int x = 0; x < nodes[first].features.width(); ++x) {
      const double difference = static_cast<double>(a[x]) - b[x];
      sum += difference * difference;
    }
    distances.push_back(std::sqrt(sum));
  }
  std::sort(distances.begin(), distances.end());
  const double scale = 3.76 / distances[kPairs / 2];
  const double digit = std::pow(10.0, std::floor(std::log10(scale)) - 1);
  return std::round(scale / digit) * digit;
}

TEST(ClipSource, ScaleIsThatOfAllFeaturesAtOnce) {
  const SyntheticCorpus set(3, 3, 12);
  for (const int most : {0, 1})
    for (const bool root : {false, true}) {
      const FeatureOptions options{.square_root = root};
      EXPECT_EQ(learn_scale(set.points, most, options, 5),
                textbook_scale(set.points, most, options, 5));
    }
}

TEST(ClipSource, TheScaleMakesTheMedianDistanceThatOfPlainDescriptors) {
  const SyntheticCorpus set;
  std::vector<int> all(set.points.size());
  std::iota(all.begin(), all.end(), 0);
  FeatureOptions options;
  options.scale = choose_scale(ClipSource(set.points), all, 1, options, 1);
  EXPECT_GT(options.scale, 0.1);
  // Features that are scaled so need no further scale.
  std::vector<PointSet> scaled;
  for (const PointSet& points : set.points) {
    scaled.push_back(clone(points));
    const Nodes nodes = make_nodes(points, 0, options);
    copy(nodes.features.view(), scaled.back().descriptors.view());
  }
  EXPECT_NEAR(choose_scale(ClipSource(scaled), all, 1, {.square_root = false}, 1), 1, 0.06);
  EXPECT_EQ(choose_scale(ClipSource(set.points), std::vector<int>{0}, 1, options, 1), 1);
}

}  // namespace
}  // namespace fovea::actions
