#include <gmock/gmock.h>

#include "bench/rows.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(BenchEmd, EveryKindOfGroundDistanceIsMeasured) {
  const std::string names = measured_rows({"emd", "--bins", "4,5"});
  EXPECT_THAT(names, HasSubstr("emd_solver_threshold 4x1000; "));
  EXPECT_THAT(names, HasSubstr("emd_solver_random 5x1000; "));
  EXPECT_THAT(names, HasSubstr("emd_solver_threshold-auxiliary 5x1000; "));
}

TEST(BenchEmd, BinsAreNumbers) {
  const Ended ended = run_here({"bench", "emd", "--bins", "4,x"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("--bins is 'x'"));
}

}  // namespace
}  // namespace fovea::cli
