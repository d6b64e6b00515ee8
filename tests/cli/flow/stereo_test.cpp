// Covers: stereo_rivals, stereo_scene
#include "cli/flow/stereo_scene.h"

#include <fovea/flow/stereo.h>
#include <fovea/io/disparity_io.h>

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

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

class FlowStereo : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_here({"flow", "scene", "--stereo", "--size", "128x96", "--nearest", "12", "-o",
                        folder_.path()})
                  .status,
              kDone);
  }
  std::vector<std::string> call(const std::vector<std::string>& more) const {
    std::vector<std::string> words{
        "flow", "stereo", folder_ / "left.png", folder_ / "right.png", "--max-disparity", "15"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  test::TempFolder folder_;
};

TEST_F(FlowStereo, WritesEveryFormatAndMeasures) {
  for (const char* name : {"d.pfm", "d.png", "d.npy", "d.tif"}) {
    const auto run = run_here(call({"-o", folder_ / name}));
    ASSERT_EQ(run.status, kDone) << run.err;
    const Image<float> found = io::read_disparity(folder_ / name);
    const Image<float> truth = io::read_disparity(folder_ / "disparity.pfm");
    const flow::StereoErrors errors = flow::evaluate_stereo(found, truth).visible;
    EXPECT_LT(errors.bad2 + errors.unknown, 0.12) << name;
  }
  const auto run = run_here(call({"--truth", folder_ / "disparity.pfm", "--picture",
                                  folder_ / "p.png", "--confidence", folder_ / "c.npy", "--json"}));
  ASSERT_EQ(run.status, kDone) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"bad0.5\""));
  EXPECT_THAT(run.out, HasSubstr("\"visible\""));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "p.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "c.npy"));
}

TEST_F(FlowStereo, MistakesAreOneLine) {
  const auto status = [&](const std::vector<std::string>& more, const std::string& words,
                          int expected) {
    const auto run = run_here(call(more));
    EXPECT_EQ(run.status, expected) << run.err;
    EXPECT_THAT(run.err, HasSubstr(words));
  };
  status({}, "needs -o OUT", kUsage);
  status({"-o", folder_ / "d.jpg"}, "names no map of disparities", kUsage);
  status({"-o", folder_ / "d.pfm", "--rivals"}, "needs --truth", kUsage);
  status({"-o", folder_ / "d.pfm", "--block", "4"}, "odd number", kUsage);
  status({"-o", folder_ / "left.png"}, "left.png", kUsage);
  status({"--truth", folder_ / "missing.pfm"}, "missing.pfm", kBadInput);
  status({"-o", folder_ / "d.pfm", "--min-disparity", "30"}, "from 30 to 15", kUsage);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "d.pfm"));
}

TEST_F(FlowStereo, ATextureTakesThePlaceOfTheDrawnOnes) {
  ASSERT_EQ(run_here({"flow", "scene", "--stereo", "--size", "64x48", "--nearest", "8", "--texture",
                      folder_ / "left.png", "-o", folder_ / "photo"})
                .status,
            kDone);
  EXPECT_EQ(io::read_disparity(folder_ / "photo/disparity.pfm").width(), 64);
  EXPECT_EQ(
      run_here({"flow", "scene", "--texture", folder_ / "left.png", "-o", folder_ / "x"}).status,
      kUsage);
}

}  // namespace
}  // namespace fovea::cli
