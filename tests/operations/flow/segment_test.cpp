#include <fovea/flow/segment.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "cli/flow/scene.h"
#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FlowSegment : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) io::write_image(frame(i), flow_scene(160, 120, {}, i).first.view());
    io::write_image(folder_ / "truth.png", flow_scene(160, 120).layers.view());
  }
  static std::int64_t count_of(const io::AnyImage& labels, int label) {
    const auto view = std::get<ImageView<const std::uint16_t>>(labels.view());
    std::int64_t count = 0;
    for (int y = 0; y < view.height; ++y)
      for (int x = 0; x < view.width; ++x) count += view.at(x, y) == label ? 1 : 0;
    return count;
  }
  std::string frame(int i) const { return folder_ / ("f" + std::to_string(i) + ".png"); }
  test::TempFolder folder_;
};

TEST_F(FlowSegment, APairIsDividedDrawnAndListed) {
  const auto run = run_here({"flow", "segment", frame(0), frame(1), "-o", folder_ / "l.png",
                             "--picture", folder_ / "p.png", "--table", folder_ / "t.csv",
                             "--truth", folder_ / "truth.png", "--json"});
  ASSERT_EQ(run.status, kDone) << run.err;
  const json report = json::parse(run.out);
  EXPECT_GT(report["covering"], 0.6);
  EXPECT_GT(report["rand_index"], 0.6);
  const io::AnyImage labels = io::read_image(folder_ / "l.png");
  ASSERT_EQ(labels.type(), io::SampleType::kUint16);
  std::int64_t pixels = 0;
  for (const json& region : report["regions"]) {
    EXPECT_EQ(region["motion"].size(), 6U);
    EXPECT_EQ(region["pixels"], count_of(labels, region["label"]));
    pixels += region["pixels"].get<std::int64_t>();
  }
  EXPECT_EQ(pixels, 160 * 120);
  EXPECT_EQ(io::read_image(folder_ / "p.png").channels(), 3);
  EXPECT_THAT(test::load(folder_ / "t.csv"), HasSubstr("frame,label,layer,x,y,width,height"));
}

TEST_F(FlowSegment, AVideoHasOneImagePerFrameButTheLast) {
  const auto run =
      run_here({"flow", "segment", frame(0), frame(1), frame(2), "-o", folder_ / "labels",
                "--picture", folder_ / "regions.y4m", "--table", folder_ / "t.csv"});
  ASSERT_EQ(run.status, kDone) << run.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "labels/000001.png"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "labels/000002.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "regions.y4m"));
  EXPECT_THAT(test::load(folder_ / "t.csv"), HasSubstr("\n1,"));
}

TEST_F(FlowSegment, AFieldIsDividedAsItIs) {
  const FlowScene scene = flow_scene(160, 120);
  io::write_flow(folder_ / "true.FLO", {scene.u, scene.v});
  // An exact field has no blurred strips between motions, which larger cells leave out.
  const auto run = run_here({"flow", "segment", folder_ / "true.FLO", "--image", frame(0), "-o",
                             folder_ / "l.png", "--truth", folder_ / "truth.png", "--picture",
                             folder_ / "p.png", "--cell", "6", "--json"});
  ASSERT_EQ(run.status, kDone) << run.err;
  const json report = json::parse(run.out);
  EXPECT_GT(report["covering"], 0.7);  // the smallest discs go with their neighbors
  EXPECT_EQ(report["field"], folder_ / "true.FLO");
  EXPECT_EQ(io::read_image(folder_ / "l.png").width(), 160);
  EXPECT_EQ(run_here({"flow", "segment", folder_ / "true.FLO", "-o", folder_ / "l.npy"}).status,
            kDone);
  const auto expect = [&](const std::vector<std::string>& more, int status, const char* words) {
    std::vector<std::string> call{"flow", "segment", folder_ / "true.FLO", "-o", folder_ / "x.png"};
    call.insert(call.end(), more.begin(), more.end());
    const Ended ended = run_here(call);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  expect({"--method", "bm"}, kUsage, "leave out --method and --quality");
  io::write_image(folder_ / "small.png", flow_scene(20, 20).layers.view());
  expect({"--image", folder_ / "small.png"}, kBadInput, "is 20x20, but the field is 160x120");
  expect({"--image", folder_ / "none.png"}, kBadInput, "none.png");
  EXPECT_EQ(run_here({"flow", "segment", frame(0), "-o", folder_ / "x.png"}).status, kBadInput);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.png"));
}

TEST_F(FlowSegment, NamesAreCheckedBeforeTheWork) {
  for (const char* name : {"l.txt", "l.jpg"})
    EXPECT_EQ(run_here({"flow", "segment", frame(0), frame(1), "-o", folder_ / name}).status,
              kUsage)
        << name;
  const auto run = run_here({"flow", "segment", frame(0), frame(1), "-o", folder_ / "l.png",
                             "--table", folder_ / "t.csv", "--picture", folder_ / "p.mp4"});
  EXPECT_EQ(run.status, kUsage);
  EXPECT_THAT(run.err, HasSubstr("names no image format"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "l.png"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "t.csv"));
}

TEST_F(FlowSegment, MistakesAreOneLine) {
  EXPECT_THAT(run_here({"flow", "segment", frame(0), frame(1), frame(2), "--frames", "1", "-o",
                        folder_ / "l"})
                  .err,
              HasSubstr("one frame was read; motion needs two"));
  EXPECT_THAT(run_here({"flow", "segment", frame(0), frame(1), "--image", frame(0), "-o",
                        folder_ / "l.png"})
                  .err,
              HasSubstr("--image is the first image of a field"));
  EXPECT_THAT(run_here({"flow", "segment", frame(0), frame(1)}).err, HasSubstr("needs -o OUT"));
  EXPECT_THAT(run_here({"flow", "segment", frame(0), frame(1), frame(2), "--truth",
                        folder_ / "truth.png", "-o", folder_ / "l"})
                  .err,
              HasSubstr("a video was given"));
  EXPECT_EQ(run_here({"flow", "segment", frame(0), frame(1), "-o", frame(0)}).status, kUsage);
  io::write_image(folder_ / "small.png", flow_scene(20, 20).layers.view());
  EXPECT_EQ(
      run_here({"flow", "segment", frame(0), frame(1), "--truth", folder_ / "small.png"}).status,
      kBadInput);
}

}  // namespace
}  // namespace fovea::cli
