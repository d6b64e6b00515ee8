// Covers: pipeline_material, pipeline_photos, pipeline_videos, pipeline_meshes
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// One measurement of small files on two threads; nothing of it stays in the folder.
json rows_of(const std::string& filter) {
  const test::TempFolder folder;
  const Ended ended =
      run_here({"bench", "pipeline", "--count", "2", "--size", "192x144", "--device", "cpu",
                "--threads", "2", "--folder", folder.path(), "--filter", filter, "--json"});
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  if (ended.status != kDone) return json::array();
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["command"], "bench pipeline");
  return report["rows"];
}

TEST(BenchPipeline, MeasuresPartsAndTheWhole) {
  const json rows = rows_of("");
  std::vector<std::string> verbs;
  for (const json& row : rows) {
    verbs.push_back(row["verb"]);
    EXPECT_EQ(row["threads"], 2);
    EXPECT_EQ(row["device"], "cpu");
    for (const char* rate :
         {"decode_per_second", "work_per_second", "bound_per_second", "whole_per_second"})
      EXPECT_GT(row[rate].get<double>(), 0) << row;
    EXPECT_LT(row["bound_per_second"], row["work_per_second"]);  // parts share the cores
    EXPECT_EQ(row.contains("encode_per_second"),
              row["verb"] != "people detect, list" && row["verb"] != "scenes classify");
  }
  EXPECT_THAT(verbs, testing::ElementsAre("people detect, list", "people detect, pictures",
                                          "ops resize", "scenes classify", "flow lk", "emd map",
                                          "actions points", "mesh segment"));
}

TEST(BenchPipeline, ARivalsColumnsComeTogetherOrNotAtAll) {
  for (const json& row : rows_of("resize")) {
    for (const char* key : {"rival", "rival_loop_per_second", "rival_per_second"})
      EXPECT_EQ(row.contains(key), row.contains("ratio")) << key;
    if (!row.contains("ratio")) continue;
    EXPECT_DOUBLE_EQ(row["ratio"].get<double>(),
                     row["whole_per_second"].get<double>() / row["rival_per_second"].get<double>());
  }
}

TEST(BenchPipeline, PrintsATable) {
  const Ended ended = run_here({"bench", "pipeline", "--count", "2", "--size", "128x128",
                                "--device", "cpu", "--filter", "mesh", "--markdown"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, testing::StartsWith("| verb | device | threads |"));
  EXPECT_THAT(ended.out, HasSubstr("| mesh segment | cpu | 1 |"));
  EXPECT_THAT(ended.out, HasSubstr(" % |  |  |  |\n"));  // no rival
}

TEST(BenchPipeline, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const std::vector<std::string>& more, int status, const char* words) {
    std::vector<std::string> args{"bench", "pipeline", "--count", "2", "--size", "128x128"};
    args.insert(args.end(), more.begin(), more.end());
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  expect({"--filter", "zzz"}, kUsage, "there are 'people detect, list', ");
  expect({"--size", "8x8"}, kUsage, "128 pixels or more");
  expect({"--folder", "/nowhere/at/all"}, kFailed, "cannot make a folder");
}

}  // namespace
}  // namespace fovea::cli
