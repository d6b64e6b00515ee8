#include "cli/emd/emd.h"

#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(EmdVerbs, SolversThatTookProblemsAreTold) {
  emd::SolvedCounts counts;
  EXPECT_EQ(solved_by_text(counts), "");
  counts[emd::SolvedBy::kTableau] = 812;
  counts[emd::SolvedBy::kWideTableau] = 3;
  EXPECT_EQ(solved_by_text(counts), "tableau 812, wide_tableau 3");
}

TEST(EmdVerbs, AreListed) {
  const Ended ended = run_here({"emd", "--help"});
  EXPECT_EQ(ended.status, kDone);
  EXPECT_THAT(ended.out, HasSubstr("distance"));
}

}  // namespace
}  // namespace fovea::cli
