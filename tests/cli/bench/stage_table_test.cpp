#include "cli/bench/stage_table.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(StageTable, TimesAndRatiosThatAreMissingAreDashes) {
  EXPECT_EQ(time_text(std::nullopt), "-");
  EXPECT_EQ(ratio_text(std::nullopt), "-");
  EXPECT_THAT(time_text(0.0125), HasSubstr("12.5"));
  EXPECT_THAT(ratio_text(2.0), HasSubstr("2"));
}

TEST(StageTable, AFileIsNoFolderForCharts) {
  const test::TempFolder folder;
  test::save(folder / "file", "x");
  EXPECT_THROW(check_chart_folder(folder / "file"), InvalidArgument);
  EXPECT_NO_THROW(check_chart_folder(folder / "new"));
}

}  // namespace
}  // namespace fovea::cli
