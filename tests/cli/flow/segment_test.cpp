// Covers: segment_video
#include <fovea/flow/segment.h>
#include <fovea/io/image_io.h>

#include <gmock/gmock.h>

#include <filesystem>

#include "cli/flow/scene.h"
#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class FlowSegment : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) io::write_image(frame(i), flow_scene(160, 120, {}, i).first.view());
    io::write_image(folder_ / "truth.png", flow_scene(160, 120).layers.view());
  }
  std::string frame(int i) const { return folder_ / ("f" + std::to_string(i) + ".png"); }
  test::TempFolder folder_;
};

TEST_F(FlowSegment, APairIsDividedDrawnAndListed) {
  const auto run = run_here({"flow", "segment", frame(0), frame(1), "-o", folder_ / "l.png",
                             "--picture", folder_ / "p.png", "--table", folder_ / "t.csv",
                             "--truth", folder_ / "truth.png", "--json"});
  ASSERT_EQ(run.status, kDone) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"covering\""));
  EXPECT_THAT(run.out, HasSubstr("\"motion\""));
  const io::AnyImage labels = io::read_image(folder_ / "l.png");
  EXPECT_EQ(labels.type(), io::SampleType::kUint16);
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

TEST_F(FlowSegment, MistakesAreOneLine) {
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
