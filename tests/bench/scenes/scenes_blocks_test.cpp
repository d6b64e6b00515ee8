// Covers: scenes_blocks
#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(BenchSceneBlocks, NeedAGpu) {
  const Ended ended = run_here({"bench", "scenes", "--blocks", "--device", "cpu"});
  EXPECT_EQ(ended.status, kNoDevice);
  EXPECT_THAT(ended.err, HasSubstr("--blocks measures kernels on a GPU"));
  EXPECT_EQ(run_here({"bench", "scenes", "--blocks", "--stages"}).status, kUsage);
  EXPECT_EQ(run_here({"bench", "scenes", "--chart", "a.svg"}).status, kUsage);
}

}  // namespace
}  // namespace fovea::cli
