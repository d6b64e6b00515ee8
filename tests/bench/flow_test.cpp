#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchFlow, EveryTimeStandsBesideItsError) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const Ended ended =
      run_here({"bench", "flow", "--repeats", "1", "--sizes", "160x120", "--methods", "lk_fast,bm",
                "--device", "cpu", "--threads", "1", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_GE(report["rows"].size(), 2U);
  bool lk = false, bm = false;
  for (const json& row : report["rows"]) {
    lk |= row["name"] == "flow_lk_fast";
    bm |= row["name"] == "flow_bm";
    EXPECT_EQ(row["size"], "160x120");
    EXPECT_GT(row["seconds"].get<double>(), 0);
    EXPECT_GT(row["error"].get<double>(), 0);
    EXPECT_LT(row["error"].get<double>(), 1);
    if (row["rival"].is_null()) continue;
    EXPECT_GT(row["rival_seconds"].get<double>(), 0);
    EXPECT_LT(row["rival_error"].get<double>(), 1) << row["rival"];
  }
  EXPECT_TRUE(lk && bm);
}

TEST(BenchFlow, TablesHaveAColumnOfErrors) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const std::vector<std::string> args{"bench",   "flow",      "--repeats", "1",        "--sizes",
                                      "64x48",   "--methods", "lk_fast",   "--device", "cpu",
                                      "--quiet", "--threads", "1"};
  auto csv = args, markdown = args;
  csv.emplace_back("--csv");
  markdown.emplace_back("--markdown");
  EXPECT_THAT(run_here(args).out, HasSubstr("its error"));
  EXPECT_THAT(run_here(csv).out, HasSubstr("bound_fraction,error,rival_error\n"));
  EXPECT_THAT(run_here(markdown).out, HasSubstr("| error | its error |"));
}

TEST(BenchFlow, PointsHaveRowsOnTheCpu) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const Ended ended =
      run_here({"bench", "flow", "--repeats", "1", "--sizes", "320x240", "--methods", "follow",
                "--device", "cpu", "--threads", "1", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out), row = report["rows"].at(0);
  EXPECT_EQ(row["name"], "flow_follow");
  EXPECT_EQ(row["size"], "320x240 to 40x25");
  EXPECT_LT(row["error"].get<double>(), 5);
  if (!row["rival"].is_null()) {
    EXPECT_LT(row["rival_error"].get<double>(), 5) << row["rival"];
  }
}

TEST(BenchFlow, StereoHasRowsOnTheCpu) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const auto run = run_here({"bench", "flow", "--repeats", "1", "--sizes", "160x120", "--filter",
                             "stereo", "--device", "cpu", "--threads", "1", "--json"});
  ASSERT_EQ(run.status, kDone) << run.err;
  EXPECT_THAT(run.out, HasSubstr("flow_stereo_sgm"));
  EXPECT_THAT(run.out, HasSubstr("160x120 16 disparities"));
}

TEST(BenchFlow, WrongWordsAreNamed) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  EXPECT_THAT(run_here({"bench", "flow", "--methods", "dis"}).err, HasSubstr("'dis'"));
  EXPECT_THAT(run_here({"bench", "flow", "--sizes", "10x10"}).err, HasSubstr("'10x10'"));
  EXPECT_EQ(run_here({"bench", "flow", "--sizes", "big"}).status, kUsage);
}

}  // namespace
}  // namespace fovea::cli
