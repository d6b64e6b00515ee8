#include "cli/bench/pipeline_rivals.h"

#include <gtest/gtest.h>

namespace fovea::cli::pipeline {
namespace {

TEST(PipelineRivals, NamesAreRowsThatEndInZeros) {
  const Image<std::uint8_t> rows = path_rows({"a.jpg", "bc"}, 6);
  ASSERT_EQ(rows.width(), 6);
  ASSERT_EQ(rows.height(), 2);
  EXPECT_STREQ(reinterpret_cast<const char*>(rows.row(0)), "a.jpg");
  EXPECT_STREQ(reinterpret_cast<const char*>(rows.row(1)), "bc");
  for (int x = 2; x < 6; ++x) EXPECT_EQ(rows.at(x, 1), 0);
}

TEST(PipelineRivals, InputsAndOutputsHaveRowsOfOneLength) {
  const BenchCase both = files_case(
      "pipeline_resize",
      {.inputs = {"1.jpg", "2.jpg"}, .outputs = {"out/1.jpg", "out/2.jpg"}, .to = {8, 6}});
  EXPECT_EQ(both.shape.width, 10);
  EXPECT_EQ(both.shape.height, 2);
  EXPECT_EQ(both.shape.to_width, 8);
  EXPECT_EQ(both.shape.to_height, 6);
  EXPECT_STREQ(reinterpret_cast<const char*>(both.image->row(1)), "2.jpg");
  EXPECT_STREQ(reinterpret_cast<const char*>(both.second->row(1)), "out/2.jpg");
  EXPECT_EQ(both.image->width(), both.second->width());
  EXPECT_EQ(files_case("pipeline_people", {.inputs = {"1.jpg"}, .ratio = 1.05}).second, nullptr);
}

TEST(PipelineRivals, AJobWithoutARivalHasNoRates) {
  const Rivals rivals;
  const std::optional<BenchCase> none;
  EXPECT_EQ(RivalClock(rivals, none).measure(4, 2).pool, 0);
  // No rival has this name, whether or not the module is there.
  const std::optional<BenchCase> unknown = files_case("zzz", {.inputs = {"1.jpg"}});
  EXPECT_EQ(RivalClock(rivals, unknown).measure(4, 2).pool, 0);
}

}  // namespace
}  // namespace fovea::cli::pipeline
