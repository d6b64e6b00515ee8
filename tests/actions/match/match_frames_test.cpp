// Covers: match_greedy
// Several points per frame: what the variants have in common, and where they differ.
#include <fovea/actions/match.h>
#include <fovea/core/error.h>

#include <cmath>

#include "actions/match_problems.h"
#include "reference/actions_match.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::MatchShape;

// Frame i holds the nodes i of all chains that are long enough.
FrameModel model_of(const std::vector<Chain>& chains) {
  FrameModel model;
  for (int i = 0; i < chains[0].size(); ++i) {
    Nodes frame;
    std::vector<const float*> rows;
    for (const Chain& chain : chains)
      if (i < chain.size()) {
        frame.nodes.push_back(chain.nodes[i]);
        frame.nodes.back().frame = chains[0].nodes[i].frame;
        rows.push_back(chain.features.row(i));
      }
    frame.features = Image<float>(chains[0].features.width(), static_cast<int>(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r)
      std::copy_n(rows[r], frame.features.width(), frame.features.row(static_cast<int>(r)));
    model.frames.push_back(std::move(frame));
  }
  return model;
}

// A scene with at most one point per frame.
Scene sparse_scene(Random& random) {
  Scene scene;
  scene.frames = 9;
  for (std::int32_t f = 0; f < 9; ++f)
    if (random.below(4) > 0)
      scene.points.nodes.push_back({random.uniform(0, 9), random.uniform(0, 9), f});
  scene.points.features = Image<float>(3, scene.points.size());
  test::fill_features(scene.points.features, random);
  return scene;
}

// With one point per frame, in model and scene, all variants are the same.
TEST(MatchFrames, AgreeOnSinglePoints) {
  for (std::uint64_t number = 0; number < test::problems(200U); ++number) {
    Random random(51, number);
    const MatchOptions options{
        .window = random.below(4) == 0 ? 0 : 4 + static_cast<int>(random.below(4)),
        .closeness = random.below(2) == 0 ? Closeness::kSpan : Closeness::kPair,
        .dummies = random.below(2) == 0,
        .dummy_cost = 0.7};
    const Scene scene = sparse_scene(random);
    std::vector<Chain> chains;
    chains.push_back(test::random_chain({.nodes = 4}, random));
    const FrameModel model = model_of(chains);
    const auto best = reference::ActionMatch(chains[0], scene, options).best();
    for (const Variant variant : {Variant::kSingle, Variant::kChains, Variant::kGreedy}) {
      const MatchScore score =
          match_frames(model, scene, variant, match_on(options, {.device = Device::cpu()}));
      if (best.path.empty()) {
        ASSERT_TRUE(std::isinf(score.energy));
        continue;
      }
      ASSERT_NEAR(score.energy, best.energy, 1e-5 * (1 + best.energy))
          << number << " variant " << static_cast<int>(variant);
      ASSERT_EQ(score.last_frame, best.path.back().frame);
    }
  }
}

// Two points a frame that lie in the scene as they are: nothing is lost, whatever their order
// there.
TEST(MatchFrames, FindTwoPointsAFrame) {
  Random random(57);
  const MatchShape shape{.nodes = 5, .features = 8, .extent = 90};
  std::vector<Chain> chains;
  chains.push_back(test::random_chain(shape, random));
  chains.push_back(test::random_chain(shape, random));
  const FrameModel model = model_of(chains);
  Scene scene;
  const std::int32_t first = chains[0].nodes[0].frame;
  scene.frames = chains[0].nodes[4].frame - first + 4;
  scene.points.features = Image<float>(8, 10);
  for (int i = 0; i < 5; ++i)
    for (const int chain : {1, 0}) {
      Node node = chains[chain].nodes[i];
      node.frame = chains[0].nodes[i].frame - first + 2;
      std::copy_n(chains[chain].features.row(i), 8, scene.points.features.row(scene.points.size()));
      scene.points.nodes.push_back(node);
    }
  for (const Variant variant : {Variant::kSingle, Variant::kChains, Variant::kGreedy}) {
    const MatchScore score =
        match_frames(model, scene, variant, match_on({}, {.device = Device::cpu()}));
    EXPECT_NEAR(score.energy, 0, 1e-5);
    EXPECT_EQ(score.first_frame, 2);
  }
}

TEST(MatchFrames, ChainsAreAveraged) {
  Random random(59);
  const MatchShape shape{.nodes = 5, .frames = 20, .points = 30};
  std::vector<Chain> chains;
  chains.push_back(test::random_chain(shape, random));
  chains.push_back(test::random_chain({.nodes = 4}, random));
  const FrameModel model = model_of(chains);
  for (int i = 0; i < 4; ++i) chains[1].nodes[i].frame = chains[0].nodes[i].frame;
  const Scene scene = test::random_scene(shape, random);
  const Image<MatchScore> each =
      Matcher(chains, match_on({}, {.device = Device::cpu()})).scores({&scene, 1});
  const MatchScore mean =
      match_frames(model, scene, Variant::kChains, match_on({}, {.device = Device::cpu()}));
  EXPECT_FLOAT_EQ(mean.energy, (each.at(0, 0).energy + each.at(1, 0).energy) / 2);
  EXPECT_FLOAT_EQ(mean.appearance, (each.at(0, 0).appearance + each.at(1, 0).appearance) / 2);
}

TEST(MatchFrames, Refuse) {
  Random random(61);
  const Scene scene = test::random_scene({}, random);
  std::vector<Chain> chains;
  chains.push_back(test::random_chain({}, random));
  FrameModel model = model_of(chains);
  model.frames[1] = Nodes{{}, Image<float>(3, 0)};
  EXPECT_THROW(match_frames(model, scene, Variant::kGreedy), InvalidArgument);
  model.frames.resize(2);
  EXPECT_THROW(match_frames(model, scene, Variant::kSingle), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
