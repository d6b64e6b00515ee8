// Covers: greedy_scene, greedy_points, greedy_frames, greedy_path
// Several points per frame: what the variants have in common, and where they differ.
#include <fovea/actions/match.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <cmath>

#include "actions/match_problems.h"
#include "reference/actions_greedy.h"
#include "reference/actions_match.h"
#include "support/devices.h"
#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::MatchShape;
using test::message_of;
using testing::HasSubstr;

constexpr Variant kVariants[] = {Variant::kSingle, Variant::kChains, Variant::kGreedy};

// Frame i holds the nodes i of all chains that are long enough.
FrameModel model_of(const std::vector<Chain>& chains) {
  FrameModel model;
  std::vector<const float*> rows;
  for (int i = 0; i < chains[0].size(); ++i)
    for (const Chain& chain : chains)
      if (i < chain.size()) {
        model.nodes.push_back(chain.nodes[i]);
        model.nodes.back().frame = chains[0].nodes[i].frame;
        rows.push_back(chain.features.row(i));
      }
  model.features = Image<float>(chains[0].features.width(), static_cast<int>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::copy_n(rows[r], model.features.width(), model.features.row(static_cast<int>(r)));
  return model;
}

// A model whose frames have one to three points.
FrameModel random_model(int frames, Random& random) {
  std::vector<Chain> chains;
  chains.push_back(test::random_chain({.nodes = frames}, random));
  chains.push_back(
      test::random_chain({.nodes = 1 + static_cast<int>(random.below(frames))}, random));
  chains.push_back(
      test::random_chain({.nodes = 1 + static_cast<int>(random.below(frames))}, random));
  return model_of(chains);
}

MatchOptions frame_options(Random& random) {
  return {.window = random.below(4) == 0 ? 0 : 4 + static_cast<int>(random.below(4)),
          .closeness = random.below(2) == 0 ? Closeness::kSpan : Closeness::kPair,
          .dummies = random.below(2) == 0,
          .dummy_cost = 0.7,
          .exec = {.device = Device::cpu()}};
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
TEST(FrameMatcher, VariantsAgreeOnSinglePoints) {
  for (std::uint64_t number = 0; number < test::problems(200U); ++number) {
    Random random(51, number);
    const MatchOptions options = frame_options(random);
    const Scene scene = sparse_scene(random);
    std::vector<Chain> chains;
    chains.push_back(test::random_chain({.nodes = 4}, random));
    const FrameModel model = model_of(chains);
    const auto best = reference::ActionMatch(chains[0], scene, options).best();
    for (const Variant variant : kVariants) {
      const MatchScore score = match_frames(model, scene, variant, options);
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

TEST(FrameMatcher, GreedyIsWhatTheTextbookFinds) {
  for (std::uint64_t number = 0; number < test::problems(150U); ++number) {
    Random random(53, number);
    const MatchOptions options = frame_options(random);
    const FrameModel model = random_model(4, random);
    const Scene scene = test::random_scene({.frames = 7, .points = 12, .first_frame = 3}, random);
    reference::ActionGreedy reference(model, scene, options);
    const double energy = reference.best();
    const FrameMatch match =
        FrameMatcher({&model, 1}, Variant::kGreedy, options).match(scene).at(0);
    ASSERT_EQ(match.found, std::isfinite(energy)) << number;
    if (!match.found) continue;
    ASSERT_NEAR(match.energy, energy, 1e-5 * (1 + energy)) << number;
    for (std::size_t n = 0; n < match.strands.size(); ++n) {
      const Strand& strand = match.strands[n];
      for (std::size_t i = 0; i < strand.points.size(); ++i)
        if (const MatchedNode& node = strand.match.path[i]; node.point >= 0) {
          int frame = 0;  // of the model
          for (std::int32_t p = 1; p <= strand.points[i]; ++p)
            frame += model.nodes[p].frame != model.nodes[p - 1].frame ? 1 : 0;
          ASSERT_EQ(node.point, reference.taken(frame, node.frame, static_cast<int>(n)));
        }
    }
  }
}

// Parts add up to the energy, and a match is the score with its path.
TEST(FrameMatcher, MatchesAreScoresWithPaths) {
  for (std::uint64_t number = 0; number < test::problems(60U); ++number) {
    Random random(55, number);
    const MatchOptions options = frame_options(random);
    std::vector<FrameModel> models;
    for (int m = 0; m < 3; ++m) models.push_back(random_model(5, random));
    const Scene scene = test::random_scene({.frames = 12, .points = 20}, random);
    for (const Variant variant : kVariants) {
      const FrameMatcher matcher(models, variant, options);
      const Image<MatchScore> scores = matcher.scores({&scene, 1});
      const std::vector<FrameMatch> matches = matcher.match(scene);
      for (std::size_t m = 0; m < models.size(); ++m) {
        const FrameMatch& match = matches[m];
        ASSERT_EQ(match.energy, scores.at(static_cast<int>(m), 0).energy);
        if (!match.found) continue;
        const double sum =
            static_cast<double>(match.appearance) + match.dummies + match.time + match.angles;
        ASSERT_NEAR(sum, match.energy, 1e-4 * (1 + match.energy));
        ASSERT_NEAR(match.appearance + match.dummies, scores.at(static_cast<int>(m), 0).appearance,
                    1e-4);
        ASSERT_FALSE(match.strands.empty());
        for (const Strand& strand : match.strands)
          ASSERT_EQ(strand.points.size(), strand.match.path.size());
      }
    }
  }
}

// Two points a frame that lie in the scene as they are: nothing is lost, whatever their order
// there.
TEST(FrameMatcher, FindsTwoPointsAFrame) {
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
  for (const Variant variant : kVariants) {
    const MatchScore score =
        match_frames(model, scene, variant, match_on({}, {.device = Device::cpu()}));
    EXPECT_NEAR(score.energy, 0, 1e-5);
    EXPECT_EQ(score.first_frame, 2);
  }
}

// Of two points that look the same, greedy matching takes the one that lies on the model's track.
TEST(FrameMatcher, DeformationDecidesBetweenEqualPoints) {
  FrameModel model;
  Scene scene;
  scene.frames = 4;
  for (std::int32_t f = 0; f < 4; ++f) {
    const auto x = static_cast<float>(10 * f);
    model.nodes.push_back({x, 5, f});
    if (f == 2) scene.points.nodes.push_back({x, 60, f});  // comes first, but is off the track
    scene.points.nodes.push_back({x, 5, f});
  }
  model.features = Image<float>(2, 4);
  scene.points.features = Image<float>(2, 5);
  for (int y = 0; y < 4; ++y) std::fill_n(model.features.row(y), 2, 0.5F);
  for (int y = 0; y < 5; ++y) std::fill_n(scene.points.features.row(y), 2, 0.5F);
  const FrameMatch match =
      FrameMatcher({&model, 1}, Variant::kGreedy, match_on({}, {.device = Device::cpu()}))
          .match(scene)
          .at(0);
  EXPECT_EQ(match.energy, 0);
  EXPECT_EQ(match.strands.at(0).match.path.at(2).point, 3);
}

TEST(FrameMatcher, ChainsAreAveragedPerNode) {
  Random random(59);
  const MatchShape shape{.nodes = 5, .frames = 20, .points = 30};
  std::vector<Chain> chains;
  chains.push_back(test::random_chain(shape, random));
  chains.push_back(test::random_chain({.nodes = 4}, random));
  chains.push_back(test::random_chain({.nodes = 2}, random));  // too short to count
  const FrameModel model = model_of(chains);
  EXPECT_EQ(frame_count(model), 5);
  chains.pop_back();
  for (int i = 0; i < 4; ++i) chains[1].nodes[i].frame = chains[0].nodes[i].frame;
  const Scene scene = test::random_scene(shape, random);
  const Image<MatchScore> each =
      Matcher(chains, match_on({}, {.device = Device::cpu()})).scores({&scene, 1});
  const MatchScore mean =
      match_frames(model, scene, Variant::kChains, match_on({}, {.device = Device::cpu()}));
  EXPECT_FLOAT_EQ(mean.energy, (each.at(0, 0).energy + each.at(1, 0).energy * 5 / 4) / 2);
  EXPECT_FLOAT_EQ(mean.appearance,
                  (each.at(0, 0).appearance + each.at(1, 0).appearance * 5 / 4) / 2);
}

bool same(const Image<MatchScore>& a, const Image<MatchScore>& b) {
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x)
      if (a.at(x, y).energy != b.at(x, y).energy ||
          a.at(x, y).appearance != b.at(x, y).appearance ||
          a.at(x, y).first_frame != b.at(x, y).first_frame)
        return false;
  return true;
}

// Models and scenes, and the scores of a variant with them.
struct Problem {
  Problem() {
    Random random(60);
    for (int m = 0; m < 4; ++m) models.push_back(random_model(6, random));
    for (int s = 0; s < 3; ++s)
      scenes.push_back(test::random_scene({.frames = 15 + s, .points = 25}, random));
  }
  Image<MatchScore> scores(Variant variant, const Exec& exec) const {
    return FrameMatcher(models, variant, match_on({}, exec)).scores(scenes);
  }
  std::vector<FrameModel> models;
  std::vector<Scene> scenes;
};

TEST(FrameMatcher, AnyNumberOfThreadsGivesTheSameScores) {
  const Problem problem;
  for (const Variant variant : kVariants) {
    const Image<MatchScore> one = problem.scores(variant, {.device = Device::cpu(), .threads = 1});
    EXPECT_TRUE(same(one, problem.scores(variant, {.device = Device::cpu(), .threads = 3})));
    for (int s = 0; s < 3; ++s)
      EXPECT_EQ(match_frames(problem.models[2], problem.scenes[s], variant,
                             match_on({}, {.device = Device::cpu()}))
                    .energy,
                one.at(2, s).energy);
  }
}

TEST(FrameMatcher, VariantsAreTheSameOnAGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Problem problem;
  for (const Variant variant : kVariants)
    EXPECT_TRUE(same(problem.scores(variant, {.device = Device::cpu()}),
                     problem.scores(variant, {.device = Device::cuda(0)})));
}

TEST(FrameMatcher, Refuses) {
  Random random(61);
  const Scene scene = test::random_scene({}, random);
  std::vector<Chain> chains;
  chains.push_back(test::random_chain({}, random));
  FrameModel model = model_of(chains);
  model.nodes[1].frame = model.nodes[2].frame + 1;
  EXPECT_THROW(match_frames(model, scene, Variant::kGreedy), InvalidArgument);
  for (Node& node : model.nodes) node.frame = 3;
  EXPECT_THAT(message_of<InvalidArgument>([&] { match_frames(model, scene, Variant::kSingle); }),
              HasSubstr("has points in 1 frames; expected 3 or more"));
}

}  // namespace
}  // namespace fovea::actions
