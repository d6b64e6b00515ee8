#include "cli/bench/emd_frames.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(BenchEmdFrames, MeasuresColdAndWarm) {
  const Ended ended =
      run_here({"bench", "emd", "--quiet", "--frames", "--sizes", "64x48", "--channels", "3,16",
                "--repeats", "1", "--device", "cpu", "--threads", "1", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto rows = nlohmann::json::parse(ended.out)["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["name"], "emd_map_cold");
  EXPECT_EQ(rows[1]["name"], "emd_map_warm");
  EXPECT_THAT(rows[2]["size"].get<std::string>(), HasSubstr("64x48 16 channels"));
}

TEST(BenchEmdFrames, NamesWhatIsWrong) {
  const auto fails = [](const std::string& option, const std::string& value) {
    const Ended ended = run_here({"bench", "emd", "--quiet", "--frames", option, value});
    EXPECT_EQ(ended.status, kUsage);
    return ended.err;
  };
  EXPECT_THAT(fails("--sizes", "64"), HasSubstr("64"));
  EXPECT_THAT(fails("--sizes", "64x8"), HasSubstr("'64x8'; expected frames of at least 16x16"));
  EXPECT_THAT(fails("--channels", "1"), HasSubstr("2 to 64"));
}

}  // namespace
}  // namespace fovea::cli
