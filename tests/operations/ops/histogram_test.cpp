#include <gtest/gtest.h>

#include <numeric>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(OpsHistogram, CountsAWindow) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png", 9);
  const Ended ended =
      run_here({"ops", "histogram", folder / "a.png", "-o", folder / "h.npy", "--levels", "8",
                "--low", "0", "--high", "80", "--window-width", "3", "--window-height", "5"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const io::AnyImage counts = io::read_image(folder / "h.npy");
  ASSERT_EQ(counts.type(), io::SampleType::kUint16);
  ASSERT_EQ(counts.channels(), 8);
  const auto& table = std::get<Image<std::uint16_t>>(counts.pixels);
  for (int level = 0; level < 8; ++level)
    EXPECT_EQ(table.at(4, 4, level), level >= 3 && level <= 5 ? 5 : 0) << level;
}

TEST(OpsHistogram, CountsOfFourLevelsAreNoColorsWithAlpha) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  ASSERT_EQ(
      run_here({"ops", "histogram", folder / "a.png", "-o", folder / "h.tif", "--levels", "4"})
          .status,
      kDone);
  const io::AnyImage counts = io::read_image(folder / "h.tif");
  EXPECT_EQ(counts.channels(), 4);
  EXPECT_EQ(counts.facts.alpha, io::Alpha::kNone);
}

TEST(OpsHistogram, TooManyLevelsAreRefused) {
  const Ended ended = run_here({"ops", "histogram", "a.png", "-o", "h.npy", "--levels", "65"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_EQ(ended.err, "fovea: --levels is 65; ops histogram counts at most 64\n");
}

TEST(OpsHistogram, AnEvenWindowIsRefused) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  EXPECT_EQ(run_here({"ops", "histogram", folder / "a.png", "-o", folder / "h.npy",
                      "--window-width", "4"})
                .status,
            kUsage);
}

}  // namespace
}  // namespace fovea::cli
