// Covers: merge_rivals, ops, report, scenes, scenes_corpus
#include "bench/bench.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;

const std::vector<std::string> kSmall{
    "bench",        "ops",      "--repeats", "1",         "--filter",
    "sobel_u8 640", "--device", "cpu",       "--threads", "1"};

std::vector<std::string> small_with(std::initializer_list<std::string> more) {
  auto args = kSmall;
  args.insert(args.end(), more);
  return args;
}

TEST(Bench, JsonHasTheAgreedColumns) {
  const Ended ended = run_program(small_with({"--json"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  for (const char* fact :
       {"fovea", "command", "device", "seed", "seconds", "machine", "cpu", "gpu", "simd", "date",
        "repeats", "options", "ceilings", "rival_library", "interrupted"})
    EXPECT_TRUE(report.contains(fact)) << fact;
  EXPECT_EQ(report["repeats"], 1);
  ASSERT_EQ(report["rows"].size(), 1U);
  const json& row = report["rows"][0];
  EXPECT_EQ(row["name"], "gradient_sobel_u8");
  EXPECT_EQ(row["device"], "cpu");
  EXPECT_EQ(row["threads"], 1);
  EXPECT_EQ(row["size"], "640x480");
  EXPECT_GT(row["seconds"].get<double>(), 0);
  EXPECT_GE(row["spread"].get<double>(), 0);
  EXPECT_EQ(row["bound"], "copy");
  EXPECT_GT(row["bound_fraction"].get<double>(), 0);
  if (report["rival_library"].is_null()) {
    EXPECT_TRUE(row["rival"].is_null() && row["rival_seconds"].is_null() && row["ratio"].is_null());
    EXPECT_THAT(ended.err, testing::HasSubstr("fovea: no rivals: "));
  } else {
    EXPECT_EQ(row["rival"], "cv::spatialGradient");
    EXPECT_NEAR(row["ratio"].get<double>(),
                row["rival_seconds"].get<double>() / row["seconds"].get<double>(), 1e-9);
  }
  EXPECT_GT(report["ceilings"][0]["copied_bytes_per_second"].get<double>(), 1e8);
  EXPECT_GT(report["ceilings"][0]["operations_per_second"].get<double>(), 1e7);
}

TEST(Bench, SaysWhyThereAreNoGpuRows) {
  if (cuda_absence().empty()) GTEST_SKIP() << "there is a GPU here";
  const Ended ended = run_here(
      {"bench", "ops", "--repeats", "1", "--filter", "sobel_u8 640", "--threads", "1", "--csv"});
  EXPECT_THAT(ended.err, testing::HasSubstr("fovea: no GPU rows: " + cuda_absence() + "\n"));
  EXPECT_EQ(run_here({"bench", "ops", "--device", "cuda"}).status, kNoDevice);
}

TEST(Bench, FilterThatMatchesNothingNamesTheCases) {
  const Ended ended = run_here({"bench", "ops", "--filter", "zzz"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, testing::HasSubstr("gradient_sobel_u8, gradient_polar_u8"));
}

// With an image that is missing, an unknown method or a filter without matches, the work itself
// would be refused.
TEST(Bench, EveryVerbRefusesTwoFormatsBeforeItsWork) {
  const test::TempFolder folder;
  const std::vector<std::vector<std::string>> lines{
      {"actions"},
      {"emd"},
      {"emd", "--frames", "--scene", folder / "none.png"},
      {"emd", "--verify", "1"},
      {"flow", "--methods", "zzz"},
      {"mesh"},
      {"ops"},
      {"people", "--image", folder / "none.png"},
      {"pipeline", "--filter", "zzz"},
      {"scenes"}};
  for (std::vector<std::string> args : lines) {
    args.insert(args.begin(), "bench");
    args.insert(args.end(), {"--json", "--markdown"});
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, kUsage) << args[1];
    EXPECT_THAT(ended.err, testing::EndsWith(" --markdown exclude each other; give one of them\n"))
        << args[1];
  }
}

TEST(Bench, RivalsFromAFileStandBesideOurRows) {
  const test::TempFolder folder;
  test::save(folder / "theirs.json",
             R"({"rows": [{"name": "gradient_sobel_u8", "size": "640x480", "device": "cpu",
                      "rival": "torch", "seconds": 1e-9}]})");
  const Ended ended = run_here(small_with({"--json", "--rivals", folder / "theirs.json"}));
  const json row = json::parse(ended.out)["rows"][0];
  EXPECT_EQ(row["rival"], "torch");
  EXPECT_EQ(row["rival_seconds"], 1e-9);
  EXPECT_LT(row["ratio"].get<double>(), 1);
}

TEST(BenchError, BadRivalFilesAreNamedBeforeAnythingIsMeasured) {
  const test::TempFolder folder;
  EXPECT_EQ(run_here(small_with({"--rivals", folder / "none.json"})).status, kBadInput);
  for (const char* text : {"{}", "3", "[{}]", R"([{"name": "a", "size": "1x1", "device": "cpu",
                           "rival": "r", "seconds": 0}])"}) {
    test::save(folder / "bad.json", text);
    const Ended ended = run_here(small_with({"--rivals", folder / "bad.json"}));
    EXPECT_EQ(ended.status, kBadInput) << text;
    EXPECT_TRUE(ended.err.starts_with("fovea: " + (folder / "bad.json") + ": ")) << ended.err;
  }
}

TEST(MergeRivals, MatchesNameSizeAndDeviceAndKeepsTheFaster) {
  const test::TempFolder folder;
  test::save(folder / "r.json", R"([
    {"name": "a", "size": "4x4", "device": "cuda", "rival": "torch", "seconds": 2},
    {"name": "a", "size": "4x4", "device": "cpu", "threads": 2, "rival": "torch", "seconds": 2},
    {"name": "a", "size": "8x8", "device": "cpu", "rival": "torch", "seconds": 2}])");
  BenchRow gpu{.name = "a",
               .device = "cuda:0",
               .size = "4x4",
               .seconds = 1,
               .rival = "",
               .rival_seconds = {},
               .bound = ""};
  BenchRow one = gpu, two = gpu;
  one.device = two.device = "cpu";
  one.threads = 1;
  two.threads = 2;
  two.rival = "cv";
  two.rival_seconds = 1.5;
  std::vector<BenchRow> rows{gpu, one, two};
  EXPECT_EQ(merge_rivals(folder / "r.json", rows), 2);
  EXPECT_EQ(rows[0].rival, "torch");
  EXPECT_EQ(rows[0].ratio(), 2.0);
  EXPECT_FALSE(rows[1].rival_seconds);
  EXPECT_EQ(rows[2].rival, "cv");
}

BenchReport example_report() {
  BenchReport report;
  report.command = "bench ops";
  report.options_json = "{}";
  report.repeats = 3;
  report.ceilings = {{"cpu", 1, 10e9, 20e9}};
  report.rows = {{.name = "a",
                  .device = "cpu",
                  .threads = 1,
                  .size = "4x4",
                  .seconds = 1.5e-6,
                  .spread = 0.02,
                  .rival = "cv::a",
                  .rival_seconds = 3e-6,
                  .bound = "copy",
                  .bound_fraction = 0.5},
                 {.name = "long_name",
                  .device = "cuda:0",
                  .threads = 0,
                  .size = "8x8",
                  .seconds = 2,
                  .rival = "",
                  .rival_seconds = {},
                  .bound = "arithmetic"}};
  return report;
}

TEST(BenchReport, CsvHasOneRowPerLine) {
  EXPECT_EQ(bench_csv(example_report()),
            "name,device,threads,size,seconds,spread,rival,rival_seconds,ratio,bound,"
            "bound_fraction\n"
            "a,cpu,1,4x4,1.5e-06,0.02,cv::a,3e-06,2,copy,0.5\n"
            "long_name,cuda:0,,8x8,2,0,,,,arithmetic,0\n");
}

TEST(BenchReport, MarkdownIsATable) {
  const std::string text = bench_markdown(example_report());
  EXPECT_THAT(text, testing::HasSubstr("| a | cpu | 1 | 4x4 | 1.5 us | 2 % | cv::a | 3 us | 2.00 | "
                                       "50 % copy |\n"));
  EXPECT_THAT(text, testing::HasSubstr("ceiling of cpu 1 thread: copy 10.0 GB/s, arithmetic 20.0 "
                                       "GFLOP/s"));
}

TEST(BenchReport, TextIsAligned) {
  const std::string text = bench_text(example_report());
  EXPECT_THAT(text, testing::HasSubstr("\na          cpu           1  4x4   1.5 us"));
  EXPECT_THAT(text, testing::HasSubstr("\nlong_name  cuda:0           8x8      2 s"));
}

TEST(BenchReport, EmptyReportIsStillJson) {
  BenchReport empty;
  empty.command = "bench ops";
  empty.options_json = "{}";
  const json report = json::parse(bench_json(empty));
  EXPECT_TRUE(report["rows"].empty());
}

TEST(RivalShape, SaysItAll) {
  EXPECT_EQ(to_string(RivalShape{640, 480}), "640x480");
  EXPECT_EQ(to_string(RivalShape{640, 480, 3}), "640x480x3");
  EXPECT_EQ(to_string(RivalShape{1920, 1080, 1, 640, 480}), "1920x1080 to 640x480");
  EXPECT_EQ(to_string(RivalShape{1920, 1080, 1, 0, 0, 7}), "1920x1080 7 taps");
}

}  // namespace
}  // namespace fovea::cli
