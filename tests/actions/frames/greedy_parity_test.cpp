// Covers: greedy, greedy_kernels
// Greedy matching, CPU against CUDA, to the bit.
#include <fovea/actions/match.h>

#include "actions/match_problems.h"
#include "support/devices.h"

namespace fovea::actions {
namespace {

// A model whose frames have one to `most` points.
FrameModel ragged_model(int frames, int most, Random& random) {
  FrameModel model;
  const Chain chain = test::random_chain({.nodes = frames * most, .features = 7}, random);
  std::vector<int> rows;
  std::int32_t frame = 0;
  for (int i = 0; i < frames; ++i) {
    frame += 1 + static_cast<std::int32_t>(random.below(3));
    const int count = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(most)));
    for (int n = 0; n < count; ++n) {
      rows.push_back(i * most + n);
      model.nodes.push_back(chain.nodes[static_cast<std::size_t>(rows.back())]);
      model.nodes.back().frame = frame;
    }
  }
  model.features = Image<float>(chain.features.width(), static_cast<int>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::copy_n(chain.features.row(rows[r]), chain.features.width(),
                model.features.row(static_cast<int>(r)));
  return model;
}

void expect_equal(const FrameMatch& a, const FrameMatch& b) {
  ASSERT_EQ(a.found, b.found);
  ASSERT_EQ(a.energy, b.energy);
  ASSERT_EQ(a.appearance, b.appearance);
  ASSERT_EQ(a.dummies, b.dummies);
  ASSERT_EQ(a.time, b.time);
  ASSERT_EQ(a.angles, b.angles);
  ASSERT_EQ(a.strands.size(), b.strands.size());
  for (std::size_t s = 0; s < a.strands.size(); ++s) {
    ASSERT_EQ(a.strands[s].points, b.strands[s].points);
    ASSERT_EQ(a.strands[s].match.energy, b.strands[s].match.energy);
    ASSERT_EQ(a.strands[s].match.path.size(), b.strands[s].match.path.size());
    for (std::size_t i = 0; i < a.strands[s].match.path.size(); ++i) {
      ASSERT_EQ(a.strands[s].match.path[i].point, b.strands[s].match.path[i].point)
          << s << " " << i;
      ASSERT_EQ(a.strands[s].match.path[i].frame, b.strands[s].match.path[i].frame)
          << s << " " << i;
    }
  }
}

void compare(const MatchOptions& options, std::uint64_t seed) {
  Random random(seed);
  std::vector<FrameModel> models;
  for (int m = 0; m < 5; ++m) models.push_back(ragged_model(4 + m, 3, random));
  std::vector<Scene> scenes;
  for (int s = 0; s < 4; ++s)
    scenes.push_back(test::random_scene(
        {.frames = 12 + 9 * s, .points = s == 0 ? 0 : 5 + 17 * s, .features = 7, .first_frame = 3},
        random));
  const FrameMatcher cpu(models, Variant::kGreedy, match_on(options, {.device = Device::cpu()}));
  const FrameMatcher gpu(models, Variant::kGreedy, match_on(options, {.device = Device::cuda()}));
  const Image<MatchScore> expected = cpu.scores(scenes), scores = gpu.scores(scenes);
  for (int y = 0; y < scores.height(); ++y)
    for (int x = 0; x < scores.width(); ++x) {
      ASSERT_EQ(scores.at(x, y).energy, expected.at(x, y).energy) << x << " " << y;
      ASSERT_EQ(scores.at(x, y).appearance, expected.at(x, y).appearance) << x << " " << y;
      ASSERT_EQ(scores.at(x, y).first_frame, expected.at(x, y).first_frame) << x << " " << y;
      ASSERT_EQ(scores.at(x, y).last_frame, expected.at(x, y).last_frame) << x << " " << y;
    }
  for (const Scene& scene : scenes) {
    const std::vector<FrameMatch> a = cpu.match(scene), b = gpu.match(scene);
    for (std::size_t m = 0; m < a.size(); ++m) expect_equal(a[m], b[m]);
  }
}

TEST(GreedyParity, EveryKindOfWindow) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const bool dummies : {false, true})
    for (const Closeness closeness : {Closeness::kSpan, Closeness::kPair})
      for (const int window : {0, 1, 5, 10})
        compare({.window = window, .closeness = closeness, .dummies = dummies, .dummy_cost = 0.7},
                static_cast<std::uint64_t>(70 + window));
}

TEST(GreedyParity, PointsThatLookTheSame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  compare({.appearance = 0, .window = 6, .dummies = false}, 81);
  compare({.appearance = 0, .geometry = 0, .window = 6}, 82);
}

}  // namespace
}  // namespace fovea::actions
