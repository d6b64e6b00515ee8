// Covers: stereo_rivals
#include "operations/flow/stereo.h"

#include <fovea/flow/stereo.h>
#include <fovea/io/disparity_io.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

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
  const json report = json::parse(run.out);
  EXPECT_EQ(report["all"]["pixels"], 128 * 96);
  EXPECT_LT(report["visible"]["pixels"], 128 * 96);
  EXPECT_GT(report["visible"]["pixels"], 128 * 96 * 3 / 4);
  EXPECT_LT(report["visible"]["bad2"], 0.05);
  EXPECT_LT(report["visible"]["mean_error"], 1);
  EXPECT_GE(report["visible"]["bad0.5"], report["visible"]["bad1"]);
  EXPECT_GT(report["known_share"], 0.7);
  EXPECT_LE(report["greatest_disparity"], 15);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "p.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "c.npy"));
}

TEST_F(FlowStereo, AMaskSaysWhichPixelsAreVisible) {
  Image<std::uint8_t> mask(128, 96);
  for (int y = 0; y < 96; ++y)
    for (int x = 0; x < 128; ++x) mask.at(x, y) = x < 64 ? 255 : 128;
  io::write_image(folder_ / "mask.png", mask);
  const auto run = run_here(call({"--truth", folder_ / "disparity.pfm", "--visible",
                                  folder_ / "mask.png", "--rivals", "--json"}));
  ASSERT_EQ(run.status, kDone) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report["visible"]["pixels"], 64 * 96);
  for (const json& rival : report["rivals"]) EXPECT_EQ(rival["visible"]["pixels"], 64 * 96);
}

TEST_F(FlowStereo, EveryMethodIsMeasuredOverTheSamePixels) {
  Image<float> truth(4, 1), found(4, 1);
  Image<std::uint8_t> visible(4, 1);
  for (int x = 0; x < 4; ++x) truth.at(x, 0) = found.at(x, 0) = 0, visible.at(x, 0) = 0;
  visible.at(2, 0) = 255;
  found.at(2, 0) = 3;
  const operations::ImagePair none{};
  const operations::StereoResult result =
      operations::stereo_result({none, truth.view(), visible.view(), 3}, "rival", found, 1);
  EXPECT_EQ(result.report.visible.pixels, 1);
  EXPECT_EQ(result.report.visible.bad2, 1);
  EXPECT_EQ(result.report.all.pixels, 4);
}

TEST_F(FlowStereo, NegativeDisparitiesAreSearched) {
  const auto run =
      run_here({"flow", "stereo", folder_ / "right.png", folder_ / "left.png", "--min-disparity",
                "-15", "--max-disparity", "0", "-o", folder_ / "n.npy", "--json"});
  ASSERT_EQ(run.status, kDone) << run.err;
  EXPECT_LT(json::parse(run.out)["mean_disparity"], -2);
}

TEST_F(FlowStereo, NoNameIsRefusedAfterTheWork) {
  for (const char* option : {"--confidence", "--picture"}) {
    const auto run = run_here(call({"-o", folder_ / "d.pfm", option, folder_ / "c.txt"}));
    EXPECT_EQ(run.status, kUsage) << option;
    EXPECT_THAT(run.err, HasSubstr("names no image format"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "d.pfm"));
  }
  ASSERT_EQ(run_here(call({"--confidence", folder_ / "C.PFM"})).status, kDone);
  EXPECT_EQ(io::read_image(folder_ / "C.PFM").type(), io::SampleType::kFloat32);
}

TEST_F(FlowStereo, TheCheckCanBeTurnedOff) {
  EXPECT_THAT(run_here({"help", "flow", "stereo"}).out, HasSubstr("'' is no check"));
  const auto known = [&](const char* check) {
    const auto run = run_here(call({"-o", folder_ / "d.pfm", "--check", check, "--json"}));
    EXPECT_EQ(run.status, kDone) << run.err;
    return json::parse(run.out)["known_share"].get<double>();
  };
  EXPECT_GE(known(""), known("0"));
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
  status({"-o", folder_ / "d.pfm", "--rivals"}, "--rivals needs --truth", kUsage);
  status({"-o", folder_ / "d.pfm", "--block", "4"}, "odd number", kUsage);
  status({"-o", folder_ / "left.png"}, "left.png", kUsage);
  status({"--truth", folder_ / "missing.pfm"}, "missing.pfm", kBadInput);
  status({"--truth", folder_ / "disparity.pfm", "--rivals", "--min-disparity", "-8"},
         "--min-disparity is -8, but with --rivals it is 0", kUsage);
  status({"-o", folder_ / "d.pfm", "--nearest", "9"}, "--nearest needs --picture", kUsage);
  status({"-o", folder_ / "d.pfm", "--farthest", "1"}, "--farthest needs --picture", kUsage);
  status({"-o", folder_ / "d.pfm", "--truth-scale", "4"}, "--truth-scale needs --truth", kUsage);
  status({"-o", folder_ / "d.pfm", "--picture", folder_ / "p.png", "--nearest", "5", "--farthest",
          "60"},
         "is 5 and the farthest 60", kUsage);
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
