#include "bench/actions/actions_input.h"

#include <fovea/core/random.h>

#include <algorithm>

namespace fovea::cli {
namespace {

constexpr float kFrameWidth = 160, kFrameHeight = 120;

Image<float> random_features(int rows, Random& random) {
  Image<float> features(kPaperFeatures, rows);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < kPaperFeatures; ++x) features.at(x, y) = 0.5F * random.uniform();
  return features;
}

actions::FrameModel random_model(int points_per_frame, Random& random) {
  actions::FrameModel model{{}, random_features(kPaperNodes * points_per_frame, random)};
  std::int32_t frame = 0;
  for (int i = 0; i < kPaperNodes; ++i) {
    for (int n = 0; n < points_per_frame; ++n)
      model.nodes.push_back(
          {random.uniform(0, kFrameWidth), random.uniform(0, kFrameHeight), frame});
    frame += 1 + static_cast<std::int32_t>(random.below(5) / 4);
  }
  return model;
}

actions::Scene random_scene(const SceneShape& shape, Random& random) {
  actions::Scene scene;
  scene.frames = shape.frames;
  scene.points.nodes.reserve(static_cast<std::size_t>(shape.points));
  for (int i = 0; i < shape.points; ++i)
    scene.points.nodes.push_back(
        {random.uniform(0, kFrameWidth), random.uniform(0, kFrameHeight),
         static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(shape.frames)))});
  std::stable_sort(scene.points.nodes.begin(), scene.points.nodes.end(),
                   [](const auto& a, const auto& b) { return a.frame < b.frame; });
  scene.points.features = random_features(shape.points, random);
  return scene;
}

}  // namespace

std::shared_ptr<MatchInput> random_match(const SceneShape& shape, int models, int scenes,
                                         int points_per_frame) {
  Random random(1);
  auto input = std::make_shared<MatchInput>();
  for (int i = 0; i < models; ++i) input->models.push_back(random_model(points_per_frame, random));
  for (int i = 0; i < scenes; ++i) input->scenes.push_back(random_scene(shape, random));
  return input;
}

}  // namespace fovea::cli
