#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchPipeline, MeasuresPartsAndTheWhole) {
  const test::TempFolder folder;
  const Ended ended =
      run_here({"bench", "pipeline", "--count", "3", "--size", "256x192", "--device", "cpu",
                "--threads", "2", "--folder", folder.path(), "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["command"], "bench pipeline");
  ASSERT_EQ(report["rows"].size(), 5U);
  for (const json& row : report["rows"]) {
    EXPECT_EQ(row["threads"], 2);
    EXPECT_EQ(row["device"], "cpu");
    for (const char* rate :
         {"decode_per_second", "work_per_second", "bound_per_second", "whole_per_second"})
      EXPECT_GT(row[rate].get<double>(), 0) << row;
    EXPECT_LT(row["bound_per_second"], row["work_per_second"]);  // parts share the cores
    EXPECT_EQ(row.contains("encode_per_second"),
              row["verb"] != "people detect, list" && row["verb"] != "scenes classify");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(BenchPipeline, PrintsATable) {
  const Ended ended = run_here({"bench", "pipeline", "--count", "2", "--size", "128x128",
                                "--device", "cpu", "--filter", "resize", "--markdown"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, testing::StartsWith("| verb | device | threads |"));
  EXPECT_THAT(ended.out, HasSubstr("| ops resize | cpu | 1 |"));
}

TEST(BenchPipeline, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const std::vector<std::string>& more, int status, const char* words) {
    std::vector<std::string> args{"bench", "pipeline", "--count", "2", "--size", "128x128"};
    args.insert(args.end(), more.begin(), more.end());
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  expect({"--filter", "zzz"}, kUsage, "there are people detect");
  expect({"--size", "8x8"}, kUsage, "128 pixels or more");
  expect({"--folder", "/nowhere/at/all"}, kFailed, "cannot make a folder");
}

}  // namespace
}  // namespace fovea::cli
