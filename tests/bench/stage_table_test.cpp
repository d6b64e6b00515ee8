#include "bench/stage_table.h"

#include <gmock/gmock.h>

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(StageTable, TimesAndRatiosThatAreMissingAreDashes) {
  EXPECT_EQ(time_text(std::nullopt), "-");
  EXPECT_EQ(ratio_text(std::nullopt), "-");
  EXPECT_THAT(time_text(0.0125), HasSubstr("12.5"));
  EXPECT_THAT(ratio_text(2.0), HasSubstr("2"));
}

}  // namespace
}  // namespace fovea::cli
