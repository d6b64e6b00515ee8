// Covers: stage_table
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchPeopleStages, TimesEveryStepAndDrawsIt) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const test::TempFolder folder;
  const std::string charts = folder / "charts";
  const Ended ended = run_here({"bench", "people", "--stages", "--model", "cascade", "--sizes",
                                "160x128", "--ratios", "1.5", "--repeats", "1", "--device", "cpu",
                                "--threads", "2", "--charts", charts, "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["searches"].size(), 1U);
  const json& search = report["searches"][0];
  EXPECT_EQ(search["name"], "people_cascade");
  EXPECT_EQ(search["size"], "160x128 ratio 1.5");
  std::vector<std::string> names;
  for (const json& step : search["steps"]) {
    names.push_back(step["step"]);
    EXPECT_GT(step["one_thread_seconds"], 0);
    EXPECT_TRUE(step["gpu_seconds"].is_null());
    EXPECT_TRUE(step["thesis_gpu_seconds"].is_null());
  }
  EXPECT_EQ(names.front(), "planes");
  EXPECT_EQ(names.back(), "whole search");
  for (const char* name : {"index.html", "times.csv", "steps-people_cascade-160x128-ratio-1.5.svg"})
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(charts) / name)) << name;
}

TEST(BenchPeopleStages, TellsTwoModelsOfOneKindApart) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const Ended ended = run_here({"bench", "people", "--stages", "--model", "cascade,thesis",
                                "--sizes", "160x128", "--ratios", "1.5", "--repeats", "1",
                                "--device", "cpu", "--threads", "1", "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["searches"].size(), 2U);
  EXPECT_EQ(report["searches"][0]["name"], "people_cascade");
  EXPECT_EQ(report["searches"][1]["name"], "people_cascade_thesis");
}

TEST(BenchPeopleStages, PrintsTheThesisBesideItsOwnSize) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const Ended ended = run_here({"bench", "people", "--stages", "--model", "cascade", "--repeats",
                                "1", "--device", "cpu", "--threads", "1", "--markdown", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("| --- | --- | --- | ---: |"));
  EXPECT_THAT(ended.out, HasSubstr("integral histograms"));
  EXPECT_THAT(ended.out, HasSubstr("56 ms"));
  EXPECT_THAT(ended.out, HasSubstr("131 ms"));
}

TEST(BenchPeopleStages, RefusesWhatDoesNotGoTogether) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const Ended both = run_here({"bench", "people", "--stages", "--integral"});
  EXPECT_EQ(both.status, kUsage);
  EXPECT_THAT(both.err, HasSubstr("--integral"));
  const Ended alone = run_here({"bench", "people", "--charts", "folder"});
  EXPECT_EQ(alone.status, kUsage);
  EXPECT_THAT(alone.err, HasSubstr("--charts needs"));
  const Ended none = run_here({"bench", "people", "--stages", "--filter", "zzz"});
  EXPECT_EQ(none.status, kUsage);
  EXPECT_THAT(none.err, HasSubstr("people_cascade"));
  const test::TempFolder folder;
  test::save(folder / "file", "text");
  const Ended file = run_here({"bench", "people", "--integral", "--charts", folder / "file"});
  EXPECT_EQ(file.status, kUsage);
  EXPECT_THAT(file.err, HasSubstr("is a file"));
}

}  // namespace
}  // namespace fovea::cli
