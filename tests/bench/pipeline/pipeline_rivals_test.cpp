#include "bench/pipeline/pipeline_rivals.h"

#include <gtest/gtest.h>

namespace fovea::cli::pipeline {
namespace {

TEST(PipelineRivals, ACaseHasItsFilesAndNoImage) {
  const RivalCase resize =
      files_case("pipeline_resize", {{"1.jpg", "2.jpg"}, {"out/1.jpg", "out/2.jpg"}}, {8, 6}, 0);
  EXPECT_EQ(resize.shape.to_width, 8);
  EXPECT_EQ(resize.shape.to_height, 6);
  EXPECT_EQ(resize.files.inputs[1], "2.jpg");
  EXPECT_EQ(resize.files.outputs[1], "out/2.jpg");
  EXPECT_EQ(resize.image, nullptr);
}

TEST(PipelineRivals, AJobWithoutARivalHasNoRates) {
  const Rivals rivals;
  const std::optional<RivalCase> none;
  EXPECT_EQ(RivalClock(rivals, none).measure(4, 2).pool, 0);
  // No rival has this name, whether or not the module is there.
  const std::optional<RivalCase> unknown = files_case("zzz", {.inputs = {"1.jpg"}}, {}, 0);
  EXPECT_EQ(RivalClock(rivals, unknown).measure(4, 2).pool, 0);
}

}  // namespace
}  // namespace fovea::cli::pipeline
