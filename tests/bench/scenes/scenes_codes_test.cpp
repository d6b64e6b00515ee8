#include "bench/scenes/scenes_codes.h"

#include <gtest/gtest.h>

namespace fovea::cli {
namespace {

TEST(ScenesCodes, OneRowPerCodingThatRuns) {
  const std::vector<BenchCase> cases = scenes_code_cases();
  ASSERT_EQ(cases.size(), 4U);
  for (const BenchCase& bench : cases) {
    EXPECT_TRUE(bench.name.starts_with("scenes_code_"));
    EXPECT_GT(bench.operations, 1e7);
  }
  const BenchWork vlad = cases[2].prepare(Memory::kHost);
  EXPECT_NO_THROW(vlad({.device = Device::cpu()}));
}

}  // namespace
}  // namespace fovea::cli
