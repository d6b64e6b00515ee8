// Covers: actions_match, actions_points
#include <gmock/gmock.h>

#include "bench/rows.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(BenchActions, MatchingIsMeasured) {
  const std::string names = measured_rows({"actions", "--filter", "t10 60x"});
  EXPECT_THAT(names, HasSubstr("match_t10 60x1; "));
  EXPECT_THAT(names, HasSubstr("match_t10 60x50; "));
  EXPECT_THAT(names, HasSubstr("match_dummies_t10 60x16; "));
}

}  // namespace
}  // namespace fovea::cli
