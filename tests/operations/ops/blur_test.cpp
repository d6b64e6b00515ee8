#include <gtest/gtest.h>

#include <algorithm>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(OpsBlur, KeepsTypeAndMeanAndSmooths) {
  const test::TempFolder folder;
  Image<std::uint16_t> image(31, 31);
  for (int y = 0; y < 31; ++y) std::fill_n(image.row(y), 31, std::uint16_t{1000});
  image.at(15, 15) = 61000;
  io::write_image(folder / "a.png", image.view());
  const Ended ended =
      run_here({"ops", "blur", folder / "a.png", "-o", folder / "b.png", "--sigma", "1.5"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const io::AnyImage blurred = io::read_image(folder / "b.png");
  ASSERT_EQ(blurred.type(), io::SampleType::kUint16);
  const auto& pixels = std::get<Image<std::uint16_t>>(blurred.pixels);
  // The peak of a Gaussian: 60000 / (2 pi sigma^2).
  EXPECT_NEAR(pixels.at(15, 15), 1000 + 60000 / (2 * 3.14159265 * 2.25), 60);
  EXPECT_EQ(pixels.at(0, 0), 1000);
}

TEST(OpsBlur, SigmaOutOfRangeIsRefused) {
  EXPECT_EQ(run_here({"ops", "blur", "a.png", "-o", "b.png", "--sigma", "0"}).status, kUsage);
}

}  // namespace
}  // namespace fovea::cli
