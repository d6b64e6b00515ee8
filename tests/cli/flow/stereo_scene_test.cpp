#include "cli/flow/stereo_scene.h"

#include <fovea/flow/stereo.h>

#include <gtest/gtest.h>

#include <cmath>

#include "support/images.h"

namespace fovea::cli {
namespace {

TEST(StereoScene, TheTrueDisparityLeadsToTheSameGrayLevels) {
  const StereoScene scene =
      stereo_scene({.size = {160, 120}, .nearest = 16, .noise = 0, .textures = {}});
  const Image<std::uint8_t> visible = flow::visible_pixels(scene.disparity);
  double difference = 0;
  int count = 0;
  for (int y = 0; y < 120; ++y)
    for (int x = 1; x < 159; ++x) {
      const float d = scene.disparity.at(x, y);
      EXPECT_GT(d, 0);
      EXPECT_LT(d, 16);
      if (visible.at(x, y) == 0) continue;
      const auto there = static_cast<int>(std::lround(static_cast<float>(x) - d));
      if (there < 0) continue;
      difference += std::abs(scene.left.at(x, y) - scene.right.at(there, y));
      ++count;
    }
  EXPECT_LT(difference / count, 6);  // half a pixel of rounding on a texture
}

TEST(StereoScene, ThreadsDoNotChangeItAndSeedsDo) {
  const auto drawn = [](int threads, std::uint64_t seed) {
    return stereo_scene(
        {.size = {64, 48}, .nearest = 10, .exec = {.threads = threads, .seed = seed}});
  };
  EXPECT_TRUE(test::images_equal(drawn(1, 1).right, drawn(2, 1).right));
  EXPECT_FALSE(test::images_equal(drawn(1, 1).right, drawn(1, 2).right));
}

}  // namespace
}  // namespace fovea::cli
