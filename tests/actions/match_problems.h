// Random models and scenes.
#pragma once
#include <fovea/actions/match.h>
#include <fovea/core/random.h>

#include <algorithm>

#include "actions/match/match_math.h"

namespace fovea::actions {

inline MatchOptions match_on(MatchOptions options, const Exec& exec) {
  options.exec = exec;
  return options;
}

}  // namespace fovea::actions

namespace fovea::test {

struct MatchShape {
  int nodes = 4;   // of the model
  int frames = 6;  // of the scene,
  int points = 8;  // and points
  int features = 3;
  float extent = 4;  // places lie on whole numbers below it, so that some coincide
  std::int32_t first_frame = 0;
};

inline void fill_features(Image<float>& features, Random& random) {
  for (int y = 0; y < features.height(); ++y)
    for (int x = 0; x < features.width(); ++x) features.at(x, y) = random.uniform();
}

inline actions::Chain random_chain(const MatchShape& shape, Random& random) {
  actions::Chain chain{{}, Image<float>(shape.features, shape.nodes)};
  std::int32_t frame = static_cast<std::int32_t>(random.below(50));
  for (int i = 0; i < shape.nodes; ++i) {
    chain.nodes.push_back({std::floor(random.uniform(0, shape.extent)),
                           std::floor(random.uniform(0, shape.extent)), frame});
    frame += 1 + static_cast<std::int32_t>(random.below(4) / 2);
  }
  fill_features(chain.features, random);
  return chain;
}

inline actions::Scene random_scene(const MatchShape& shape, Random& random) {
  actions::Scene scene;
  scene.first_frame = shape.first_frame;
  scene.frames = shape.frames;
  const int points = shape.frames > 0 ? shape.points : 0;
  for (int i = 0; i < points; ++i)
    scene.points.nodes.push_back(
        {std::floor(random.uniform(0, shape.extent)), std::floor(random.uniform(0, shape.extent)),
         shape.first_frame + static_cast<std::int32_t>(random.below(shape.frames))});
  std::stable_sort(scene.points.nodes.begin(), scene.points.nodes.end(),
                   [](const auto& a, const auto& b) { return a.frame < b.frame; });
  scene.points.features = Image<float>(shape.features, points);
  fill_features(scene.points.features, random);
  return scene;
}

// What node i of a model costs at a scene's point, in the order that every twin adds in.
inline float unary_cost(const actions::Chain& model, int i, const actions::Scene& scene, int point,
                        float weight) {
  float sum = 0;
  for (int k = 0; k < model.features.width(); ++k)
    sum = actions::detail::add_square(model.features.at(k, i), scene.points.features.at(k, point),
                                      sum);
  return actions::detail::appearance_cost(weight, sum);
}

}  // namespace fovea::test
