// Drawn people, streets and a model that knows them, for tests of fovea people.
#pragma once
#include <fovea/people/model.h>

#include <algorithm>
#include <vector>

#include "people/hog/hog_grid.h"

namespace fovea::cli {

// Someone made of two boxes, in the window at (x, y) of an image of one gray.
inline void draw_someone(ImageView<std::uint8_t> image, int x, int y) {
  const auto fill = [&](int left, int top, int width, int height) {
    for (int row = y + top; row < y + top + height; ++row)
      std::fill_n(image.row(row) + static_cast<std::ptrdiff_t>(x + left) * image.channels,
                  width * image.channels, std::uint8_t{220});
  };
  fill(26, 14, 12, 16);
  fill(20, 30, 24, 84);
}

inline Image<std::uint8_t> street(int width, int height, int channels = 1) {
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y) std::fill_n(image.row(y), width * channels, std::uint8_t{90});
  return image;
}

// Scores how alike a window is to that someone: 0.3 or so for the same, -0.7 for nothing.
inline people::Model likeness() {
  Image<std::uint8_t> window = street(64, 128);
  draw_someone(window.view(), 0, 0);
  people::LinearModel linear;
  people::cpu::HogGrid grid(people::Kind::kHog, linear.hog);
  grid.build(window.view(), people::plan_crop({64, 128}, {64, 128}), {.threads = 1});
  linear.weights.resize(3780);
  grid.descriptor(0, 0, linear.weights);
  double squares = 0;
  for (const float weight : linear.weights) squares += double{weight} * weight;
  for (float& weight : linear.weights) weight /= static_cast<float>(squares);
  linear.bias = -0.7F;
  people::Model model;
  model.classifier = std::move(linear);
  model.facts["data"] = "one drawing";
  return model;
}

// Two stages of two blocks each; the first lets every window pass, the second those with `bias` of
// 0 or more.
inline people::Model two_stages(float bias) {
  people::CascadeModel cascade;
  cascade.chained = false;
  for (const float each : {1.F, bias}) {
    people::BlockClassifier classifier{{16, 24, 32, 64}, std::vector<float>(36), each, 1};
    cascade.stages.push_back({{classifier, classifier}, 0});
  }
  people::Model model;
  model.kind = people::Kind::kCascade;
  model.classifier = cascade;
  return model;
}

}  // namespace fovea::cli
