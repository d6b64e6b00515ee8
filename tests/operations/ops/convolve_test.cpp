#include <fovea/io/npy.h>
#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

class OpsConvolve : public testing::Test {
 protected:
  void SetUp() override { write_ramp(folder_ / "a.png", 4); }
  Ended convolved(const std::vector<std::string>& options) const {
    std::vector<std::string> args{"ops", "convolve", folder_ / "a.png", "-o", folder_ / "b.tif"};
    args.insert(args.end(), options.begin(), options.end());
    return run_here(args);
  }
  test::TempFolder folder_;
};

TEST_F(OpsConvolve, TextAndArrayAreOneKernel) {
  test::save(folder_ / "k.txt", "0, 0, 0\n\n-1 0 1\n0 0 0\n");
  const float taps[]{0, 0, 0, -1, 0, 1, 0, 0, 0};
  const std::size_t shape[]{3, 3};
  io::write_array(folder_ / "k.npy", io::DType::kFloat32, shape, taps);
  for (const char* kernel : {"k.txt", "k.npy"}) {
    const Ended ended =
        convolved({"--kernel", folder_ / kernel, "--gain", "-2", "--offset", "5", "--float"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const io::AnyImage image = io::read_image(folder_ / "b.tif");
    ASSERT_EQ(image.type(), io::SampleType::kFloat32);
    EXPECT_EQ(std::get<Image<float>>(image.pixels).at(3, 2), -35);  // 5 - 2 * (40 - 20)
  }
}

TEST_F(OpsConvolve, BytesStayBytes) {
  ASSERT_EQ(convolved({"--laplacian", "1", "--offset", "128"}).status, kDone);
  const io::AnyImage image = io::read_image(folder_ / "b.tif");
  ASSERT_EQ(image.type(), io::SampleType::kUint8);
}

TEST_F(OpsConvolve, BadKernelsAreNamed) {
  test::save(folder_ / "k.txt", "1 2 3\n4 5\n");
  EXPECT_EQ(
      convolved({"--kernel", folder_ / "k.txt"}).err,
      "fovea: " + (folder_ / "k.txt") + ": line 2 has 2 numbers; expected 3 as in the first row\n");
  test::save(folder_ / "k.txt", "1 two\n");
  EXPECT_EQ(convolved({"--kernel", folder_ / "k.txt"}).err,
            "fovea: " + (folder_ / "k.txt") +
                ": line 1: is not a row of numbers; expected numbers between spaces or commas\n");
  test::save(folder_ / "k.txt", "\n");
  EXPECT_EQ(convolved({"--kernel", folder_ / "k.txt"}).status, kBadInput);
  EXPECT_EQ(convolved({"--kernel", folder_ / "no.txt"}).status, kBadInput);
  EXPECT_EQ(convolved({"--kernel", folder_ / "no.npy"}).status, kBadInput);
  EXPECT_EQ(convolved({}).status, kUsage);
  EXPECT_EQ(convolved({"--kernel", "k.txt", "--laplacian", "1"}).status, kUsage);
}

}  // namespace
}  // namespace fovea::cli
