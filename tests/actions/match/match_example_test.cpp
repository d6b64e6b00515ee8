// An example is found in a scene: the scene holds the example itself, moved, mirrored or not at
// all.
#include <fovea/actions/match_example.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

constexpr int kLater = 7;  // frames

PointSet later(const PointSet& set, int frames) {
  PointSet moved;
  moved.size = set.size;
  moved.frames = set.frames + frames;
  moved.points = set.points;
  for (SpaceTimePoint& point : moved.points) point.frame += frames;
  moved.descriptors = clone(set.descriptors);
  return moved;
}

TEST(MatchExample, FindsItselfLater) {
  const PointSet example = synthetic_points(1, 0, 30);
  for (const bool turned : {false, true}) {
    const PointSet scene = turned ? later(mirrored(example), kLater) : later(example, kLater);
    const auto found =
        match_example(example, scene, {.features = {.scale = 1}, .cut = {.nodes = 12}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->mirrored, turned);
    EXPECT_NEAR(found->energy(), 0, 1e-4);
    EXPECT_EQ(found->frames, 12);
    EXPECT_EQ(found->dummy_count(), 0);
    const Chain chain = found->chain(0);
    ASSERT_EQ(chain.size(), 12);
    for (int i = 0; i < chain.size(); ++i)
      EXPECT_EQ(found->match.strands[0].match.path[static_cast<std::size_t>(i)].frame,
                chain.nodes[static_cast<std::size_t>(i)].frame + kLater);
  }
}

TEST(MatchExample, LearnsTheScaleOfFeatures) {
  const PointSet example = synthetic_points(1, 0, 30), scene = synthetic_points(1, 1, 30);
  const auto found = match_example(example, scene, {.cut = {.nodes = 12}});
  ASSERT_TRUE(found);
  EXPECT_GT(found->features.scale, 0);
  ExampleOptions given{.cut = {.nodes = 12}};
  given.features.scale = found->features.scale;
  EXPECT_EQ(match_example(example, scene, given)->match.energy, found->match.energy);
}

TEST(MatchExample, VariantsHaveStrands) {
  const PointSet example = synthetic_points(0, 0, 24, 2), scene = synthetic_points(0, 1, 24, 2);
  for (const Variant variant : {Variant::kChains, Variant::kGreedy}) {
    ExampleOptions options{.scene_points = 2,
                           .cut = {.nodes = 10, .points = 2, .variant = variant}};
    options.match.exec.device = Device::cpu();
    const auto found = match_example(example, scene, options);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->match.strands.size(), 2U);
    EXPECT_EQ(found->model.size(), 20);
  }
}

TEST(MatchExample, SaysWhatIsMissing) {
  const PointSet example = synthetic_points(0, 0, 24);
  PointSet two = synthetic_points(0, 0, 2);
  EXPECT_THROW(static_cast<void>(match_example(two, example)), InvalidArgument);
  // Without dummies a scene that is shorter than the part has no match.
  ExampleOptions strict{.cut = {.nodes = 12}};
  strict.match.dummies = false;
  EXPECT_FALSE(match_example(example, synthetic_points(0, 1, 8), strict));
  EXPECT_THROW(static_cast<void>(match_example(example, example, {.cut = {.points = 2}})),
               InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
