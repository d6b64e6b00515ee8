#include <gtest/gtest.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

class OpsResize : public testing::Test {
 protected:
  void SetUp() override { write_ramp(folder_ / "a.png", 4); }  // 8x4
  Ended resized(const std::vector<std::string>& options) const {
    std::vector<std::string> args{"ops", "resize", folder_ / "a.png", "-o", folder_ / "b.png"};
    args.insert(args.end(), options.begin(), options.end());
    return run_here(args);
  }
  std::string size_of(const std::vector<std::string>& options) const {
    const Ended ended = resized(options);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    const auto info = io::image_info(folder_ / "b.png");
    return std::to_string(info.width) + "x" + std::to_string(info.height);
  }
  test::TempFolder folder_;
};

TEST_F(OpsResize, OneSideFollowsFromTheOther) {
  EXPECT_EQ(size_of({"--width", "4"}), "4x2");
  EXPECT_EQ(size_of({"--height", "8"}), "16x8");
  EXPECT_EQ(size_of({"--width", "3", "--height", "9"}), "3x9");
  EXPECT_EQ(size_of({"--scale", "0.5"}), "4x2");
  EXPECT_EQ(size_of({"--scale", "0.01"}), "1x1");
}

TEST_F(OpsResize, SizeOrScaleAndNotBoth) {
  const std::string message =
      "fovea: ops resize needs --width, --height or both, or else --scale\n";
  EXPECT_EQ(resized({}).err, message);
  EXPECT_EQ(resized({"--width", "4", "--scale", "2"}).err, message);
  EXPECT_EQ(resized({}).status, kUsage);
}

TEST_F(OpsResize, AntialiasedIsTheMeanOfWhatIsCovered) {
  ASSERT_EQ(resized({"--width", "2", "--height", "1", "--antialias"}).status, kDone);
  const auto small = io::to_bytes(io::read_image(folder_ / "b.png"));
  EXPECT_EQ(small.at(0, 0) + small.at(1, 0), 70);  // the ramp is symmetric about 35
  EXPECT_LT(small.at(0, 0), small.at(1, 0));
}

}  // namespace
}  // namespace fovea::cli
