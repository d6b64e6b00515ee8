// Covers: match_fused, match_layered, match_runs_shape
// CPU against CUDA, to the bit, in every way that the GPU may take: a block a job, clusters of
// them, tables in device memory, few jobs and many.
#include <fovea/actions/match.h>

#include "actions/match_problems.h"
#include "support/devices.h"

namespace fovea::actions {
namespace {

using test::MatchShape;

std::vector<Chain> models_of(int count, int nodes, Random& random) {
  std::vector<Chain> models;
  for (int m = 0; m < count; ++m)
    models.push_back(
        test::random_chain({.nodes = nodes - m % 5, .features = 37, .extent = 60}, random));
  return models;
}

struct ParityCase {
  int models = 1, nodes = 12, scenes = 1;
  MatchShape shape;
  MatchOptions options;
  float height = 1;  // that places are scaled to
};

void compare(const ParityCase& the, std::uint64_t seed) {
  Random random(seed);
  std::vector<Chain> models = models_of(the.models, the.nodes, random);
  std::vector<Scene> scenes;
  for (int s = 0; s < the.scenes; ++s) scenes.push_back(test::random_scene(the.shape, random));
  for (Chain& model : models)
    for (Node& node : model.nodes) node.y *= the.height;
  for (Scene& scene : scenes)
    for (Node& node : scene.points.nodes) node.y *= the.height;
  const Matcher cpu(models, match_on(the.options, {.device = Device::cpu()}));
  const Matcher cuda(models, match_on(the.options, {.device = Device::cuda()}));
  const Image<MatchScore> expected = cpu.scores(scenes), scores = cuda.scores(scenes);
  for (int s = 0; s < the.scenes; ++s)
    for (int m = 0; m < the.models; ++m) {
      ASSERT_EQ(scores.at(m, s).energy, expected.at(m, s).energy)
          << "scene " << s << " model " << m;
      ASSERT_EQ(scores.at(m, s).appearance, expected.at(m, s).appearance);
      ASSERT_EQ(scores.at(m, s).first_frame, expected.at(m, s).first_frame);
      ASSERT_EQ(scores.at(m, s).last_frame, expected.at(m, s).last_frame);
    }
  const std::vector<Match> a = cpu.match(scenes[0]), b = cuda.match(scenes[0]);
  for (int m = 0; m < the.models; ++m) {
    ASSERT_EQ(a[m].path.size(), b[m].path.size());
    for (std::size_t i = 0; i < a[m].path.size(); ++i) {
      ASSERT_EQ(a[m].path[i].point, b[m].path[i].point) << "model " << m << " node " << i;
      ASSERT_EQ(a[m].path[i].frame, b[m].path[i].frame) << "model " << m << " node " << i;
    }
  }
}

constexpr MatchShape kVideo{
    .frames = 723, .points = 754, .features = 37, .extent = 60, .first_frame = 10};
constexpr MatchShape kBlock{.frames = 55, .points = 60, .features = 37, .extent = 60};

TEST(MatchParity, BlocksOfVideo) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const bool dummies : {false, true}) {
    compare({.models = 50, .nodes = 30, .shape = kBlock, .options = {.dummies = dummies}}, 1);
    compare(
        {.models = 7, .nodes = 30, .scenes = 90, .shape = kBlock, .options = {.dummies = dummies}},
        2);
  }
}

TEST(MatchParity, WholeVideos) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const bool dummies : {false, true})
    for (const Closeness closeness : {Closeness::kSpan, Closeness::kPair})
      for (const int models : {1, 20, 60, 150})
        compare({.models = models,
                 .nodes = 20,
                 .shape = kVideo,
                 .options = {.closeness = closeness, .dummies = dummies}},
                3);
}

TEST(MatchParity, WideWindowsAndNone) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const MatchShape shape{.frames = 150, .points = 170, .features = 37, .extent = 60};
  for (const bool dummies : {false, true})
    for (const int window : {40, 0})
      compare({.models = 5,
               .nodes = 9,
               .scenes = 2,
               .shape = shape,
               .options = {.window = window, .dummies = dummies}},
              4);
}

TEST(MatchParity, ManyPointsAFrame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const MatchShape shape{.frames = 60, .points = 300, .features = 37, .extent = 60};
  for (const bool dummies : {false, true})
    compare(
        {.models = 9, .nodes = 14, .scenes = 3, .shape = shape, .options = {.dummies = dummies}},
        5);
}

// Angles whose squares are denormal or vanish.
TEST(MatchParity, HardlyAnyAngle) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const float height : {0.F, 1e-7F, 1e-13F, 1e-20F, 1e-30F})
    compare({.models = 5,
             .nodes = 9,
             .scenes = 2,
             .shape = kBlock,
             .options = {.dummies = false},
             .height = height},
            7);
}

TEST(MatchParity, NothingToMatch) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const bool dummies : {false, true})
    for (const int frames : {0, 3, 40})
      compare({.models = 3,
               .nodes = 9,
               .scenes = 2,
               .shape = {.frames = frames, .points = 0, .features = 37},
               .options = {.dummies = dummies}},
              6);
}

}  // namespace
}  // namespace fovea::actions
