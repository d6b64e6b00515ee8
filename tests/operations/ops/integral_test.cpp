#include <fovea/ops/integral.h>
#include <gtest/gtest.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(OpsIntegral, SumsOfARamp) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png", 4);
  ASSERT_EQ(run_here({"ops", "integral", folder / "a.png", "-o", folder / "s.npy"}).status, kDone);
  const io::AnyImage sums = io::read_image(folder / "s.npy");
  ASSERT_EQ(sums.type(), io::SampleType::kFloat64);
  ASSERT_EQ(sums.width(), 9);
  ASSERT_EQ(sums.height(), 5);
  const auto& table = std::get<Image<double>>(sums.pixels);
  EXPECT_EQ(rectangle_sum(table.view(), 0, 0, 8, 4), 4 * 280);
  EXPECT_EQ(rectangle_sum(table.view(), 2, 1, 3, 2), 2 * (20 + 30 + 40));
}

TEST(OpsIntegral, FloatInclusiveSquaresIntoAFolder) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png", 2);
  const Ended ended = run_here({"ops", "integral", folder / "a.png", "-o", folder.path(), "--type",
                                "float", "--kind", "inclusive", "--squares"});
  EXPECT_EQ(ended.out, folder / "a.npy\n") << ended.err;
  const io::AnyImage sums = io::read_image(folder / "a.npy");
  ASSERT_EQ(sums.type(), io::SampleType::kFloat32);
  EXPECT_EQ(sums.width(), 8);
  EXPECT_EQ(std::get<Image<float>>(sums.pixels).at(2, 1), 2 * (100 + 400));
}

}  // namespace
}  // namespace fovea::cli
