// Covers: scene_command, texture
#include "cli/flow/scene.h"

#include <fovea/flow/evaluate.h>
#include <fovea/flow/show.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

double mean_difference(const Image<std::uint8_t>& a, const Image<std::uint8_t>& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) sum += std::abs(a.at(x, y) - b.at(x, y));
  return sum / (a.width() * a.height());
}

TEST(FlowScene, TheTrueMotionCarriesTheSecondPictureBackToTheFirst) {
  const FlowScene scene = flow_scene(320, 240);
  const auto warped = flow::warp_picture(scene.second, {scene.u, scene.v});
  // What is hidden or left the picture differs; the rest is noise.
  EXPECT_LT(mean_difference(scene.first, warped), 0.6 * mean_difference(scene.first, scene.second));
}

TEST(FlowScene, MotionIsSmoothOnTheGroundAndJumpsAtDiscs) {
  const FlowScene scene = flow_scene(640, 480);
  float longest = 0, jump = 0;
  for (int y = 0; y < 480; ++y) {
    for (int x = 1; x < 640; ++x) {
      longest = std::max(longest, std::hypot(scene.u.at(x, y), scene.v.at(x, y)));
      jump = std::max(jump, std::abs(scene.u.at(x, y) - scene.u.at(x - 1, y)));
    }
  }
  EXPECT_GT(longest, 4);
  EXPECT_LT(longest, 10);
  EXPECT_GT(jump, 1);
}

TEST(FlowScene, IsTheSameForEveryThreadCountAndGoesOn) {
  const FlowScene one = flow_scene(97, 61, {.threads = 1}),
                  two = flow_scene(97, 61, {.threads = 2});
  EXPECT_TRUE(test::images_equal(one.first, two.first));
  EXPECT_TRUE(test::images_equal(one.second, two.second));
  EXPECT_TRUE(test::images_equal(one.u, two.u));
  const FlowScene later = flow_scene(97, 61, {}, 1);
  EXPECT_TRUE(test::images_equal(one.second, later.first));
  EXPECT_FALSE(test::images_equal(one.first, later.first));
}

TEST(FlowScene, AnySizeWillDo) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{17, 300}, std::pair{300, 2}}) {
    const FlowScene scene = flow_scene(width, height);
    EXPECT_EQ(scene.second.width(), width);
    EXPECT_TRUE(std::isfinite(scene.u.at(width - 1, height - 1)));
  }
}

TEST(FlowScene, TheVerbWritesASequenceForEval) {
  const test::TempFolder folder;
  ASSERT_EQ(run_here({"flow", "scene", "--size", "64x48", "-o", folder / "s"}).status, kDone);
  const io::FlowField truth = io::read_flow(folder / "s/flow10.flo");
  EXPECT_TRUE(test::images_equal(truth.u, flow_scene(64, 48).u));
  const auto first = io::to_bytes(io::read_image(folder / "s/frame10.png"));
  EXPECT_TRUE(test::images_equal(first, flow_scene(64, 48).first));
  EXPECT_TRUE(std::filesystem::exists(folder / "s/frame11.png"));
  const auto layers = io::to_bytes(io::read_image(folder / "s/layers10.png"));
  EXPECT_TRUE(test::images_equal(layers, flow_scene(64, 48).layers));
  EXPECT_THAT(run_here({"flow", "scene", "--size", "big", "-o", folder / "s"}).err,
              testing::HasSubstr("--size is 'big'"));
  EXPECT_EQ(run_here({"flow", "scene"}).status, kUsage);
  for (const auto& [option, value] : {std::pair{"--gain", "0.8"}, std::pair{"--noise", "3"},
                                      std::pair{"--nearest", "20"}, std::pair{"--texture", "a"}}) {
    const Ended ended = run_here({"flow", "scene", option, value, "-o", folder / "none"});
    EXPECT_EQ(ended.status, kUsage) << option;
    EXPECT_THAT(ended.err,
                testing::HasSubstr(std::string(option) + " is for scenes with --stereo"));
  }
  EXPECT_THAT(run_here({"flow", "scene", "--stereo", "--step", "2", "-o", folder / "none"}).err,
              testing::HasSubstr("--step is for scenes of motion"));
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

}  // namespace
}  // namespace fovea::cli
