// Covers: emd_experiment
#include "bench/emd/emd_frames.h"

#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(BenchEmdFrames, MeasuresColdAndWarm) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const Ended ended =
      run_here({"bench", "emd", "--quiet", "--frames", "--sizes", "64x48", "--channels", "3,16",
                "--repeats", "1", "--device", "cpu", "--threads", "1", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto rows = nlohmann::json::parse(ended.out)["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[2]["name"].get<std::string>(), StartsWith("emd_map_cold_greedy"));
  EXPECT_THAT(rows[3]["name"].get<std::string>(), StartsWith("emd_map_warm_greedy"));
  EXPECT_THAT(rows[2]["size"].get<std::string>(), HasSubstr("64x48 16 channels"));
}

TEST(BenchEmdFrames, NamesTheSolverThatRanAndNotTheOption) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const Ended ended =
      run_here({"bench",  "emd",       "--quiet", "--frames", "--sizes", "64x48",     "--channels",
                "16",     "--repeats", "1",       "--device", "cpu",     "--threads", "1",
                "--json", "--ground",  "l1",      "--solver", "auto",    "--start",   "both"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto rows = nlohmann::json::parse(ended.out)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["name"], "emd_map_cold_closed_form");
  EXPECT_EQ(rows[1]["name"], "emd_map_warm_closed_form");
}

TEST(BenchEmdFrames, TakesAScene) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const test::TempFolder folder;
  Image<std::uint8_t> photo(80, 60);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 80; ++x) photo.at(x, y) = static_cast<std::uint8_t>(3 * x + y);
  io::write_image(folder / "photo.png", photo.view());
  const Ended made = run_here({"bench",
                               "emd",
                               "--quiet",
                               "--frames",
                               "--sizes",
                               "64x48",
                               "--channels",
                               "4",
                               "--repeats",
                               "1",
                               "--device",
                               "cpu",
                               "--threads",
                               "1",
                               "--json",
                               "--start",
                               "both",
                               "--scene",
                               folder / "photo.png",
                               "--target",
                               folder / "photo.png",
                               "--ground",
                               "l1",
                               "--solver",
                               "simplex"});
  ASSERT_EQ(made.status, kDone) << made.err;
  const auto rows = nlohmann::json::parse(made.out)["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2]["name"], "emd_map_cold_tableau");
}

TEST(BenchEmdFrames, RepeatsTheExperimentAndDrawsIt) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const test::TempFolder folder;
  const std::string charts = folder / "charts";
  const Ended ended = run_here({"bench",      "emd",  "--quiet",   "--frames", "--sizes",  "96x64",
                                "--channels", "3,11", "--repeats", "2",        "--count",  "4",
                                "--start",    "both", "--charts",  charts,     "--device", "cpu",
                                "--threads",  "1",    "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto courses = nlohmann::json::parse(ended.out)["courses"];
  ASSERT_EQ(courses.size(), 4U);
  EXPECT_EQ(courses[1]["frames"].size(), 2U);
  const auto& greedy = courses[2]["frames"];
  const auto& paper = courses[3]["frames"];
  ASSERT_EQ(paper.size(), 5U);
  EXPECT_EQ(courses[3]["start"], "auxiliary");
  EXPECT_EQ(paper[0]["cached"], 0);
  EXPECT_EQ(paper[0]["solved_by"]["tableau"], paper[0]["solved"]);
  EXPECT_EQ(paper[1]["cached"], 96 * 64);
  EXPECT_GT(paper[2]["solved"], 0);
  for (std::size_t i = 0; i < paper.size(); ++i) EXPECT_EQ(paper[i]["solved"], greedy[i]["solved"]);
  for (const char* name : {"channels-96x64.svg", "time-96x64.svg", "hits-96x64.svg",
                           "solvers-96x64.svg", "frames.csv", "index.html"})
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(charts) / name)) << name;
}

TEST(BenchEmdFrames, RefusesChartsOfNothing) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
  const test::TempFolder folder;
  EXPECT_THAT(run_here({"bench", "emd", "--charts", folder / "a"}).err, HasSubstr("add --frames"));
  EXPECT_EQ(run_here({"bench", "emd", "--frames", "--charts", folder / "a", "--csv"}).status,
            kUsage);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(BenchEmdFrames, NamesWhatIsWrong) {
  FOVEA_SKIP_WHERE_SANITIZED("a benchmark repeats calls until the clock can measure them");
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
