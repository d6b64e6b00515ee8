#include <gtest/gtest.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(OpsGradient, WritesWhatTheClosedFormSays) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended = run_program({"ops", "gradient", folder / "a.png", "-o", folder / "b.pgm"});
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, folder / "b.pgm\n");
  EXPECT_EQ(ended.err, "");
  const std::string row("\x0a\x14\x14\x14\x14\x14\x14\x0a");  // 10, then 20 as of a slope of 10
  EXPECT_EQ(test::load(folder / "b.pgm"), "P5\n8 4\n255\n" + row + row + row + row);
  EXPECT_EQ(run_program({"ops", "gradient", folder / "a.png", "-o", folder / "c.pgm", "--show",
                         "dx", "--kernel", "sobel"})
                .status,
            kDone);
  EXPECT_EQ(test::load(folder / "c.pgm")[12], static_cast<char>(138));  // 128 + 20 / 2
}

TEST(OpsGradient, FloatFilesHoldValuesAsTheyAre) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  for (const char* name : {"b.npy", "b.tif", "b.pfm"}) {
    const Ended ended =
        run_here({"ops", "gradient", folder / "a.png", "-o", folder / name, "--gain", "100"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const io::AnyImage image = io::read_image(folder / name);
    ASSERT_EQ(image.type(), io::SampleType::kFloat32) << name;
    EXPECT_EQ(std::get<Image<float>>(image.pixels).at(3, 1), 2000) << name;
  }
  const Ended ended = run_here({"ops", "gradient", folder / "a.png", "-o", folder / "dx.npy",
                                "--show", "dx", "--kernel", "sobel"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(io::to_float(io::read_image(folder / "dx.npy")).at(3, 1), 20);
}

TEST(OpsGradient, OrientationIsABinSpreadOverTheBytes) {
  const test::TempFolder folder;
  Image<std::uint8_t> image(5, 5);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) image.at(x, y) = static_cast<std::uint8_t>(20 * y);
  io::write_image(folder / "a.png", image.view());
  const Ended ended = run_here({"ops", "gradient", folder / "a.png", "-o", folder / "b.png",
                                "--show", "orientation", "--bins", "2", "--device", "cpu"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto shown = io::to_bytes(io::read_image(folder / "b.png"));
  EXPECT_EQ(shown.at(2, 2), 255);  // a quarter turn: the second of two bins
}

}  // namespace
}  // namespace fovea::cli
