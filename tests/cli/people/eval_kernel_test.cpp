#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class EvalKernel : public testing::Test {
 protected:
  EvalKernel() {
    for (const char* name : {"crops", "scenes"}) std::filesystem::create_directory(folder_ / name);
    for (int i = 0; i < 3; ++i) {
      Image<std::uint8_t> crop = street(80, 144, 3);
      draw_someone(crop.view(), 6 + i, 7);
      io::write_image(folder_ / ("crops/" + std::to_string(i) + ".png"), crop.view());
      io::write_image(folder_ / ("scenes/" + std::to_string(i) + ".png"),
                      street(96 + 8 * i, 150, 3).view());
    }
  }
  Ended run(std::vector<std::string> more) const {
    std::vector<std::string> words{"people",           "eval-kernel",
                                   "--positives",      folder_ / "crops",
                                   "--negatives",      folder_ / "scenes",
                                   "--random-windows", "4",
                                   "--hard-windows",   "10",
                                   "--costs",          "1",
                                   "--gammas",         "0.03",
                                   "--linear-costs",   "0.02",
                                   "--device",         "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run_here(words);
  }
  test::TempFolder folder_;
};

TEST_F(EvalKernel, ComparesTwoMachinesAndDrawsTheirCurves) {
  const std::string report = folder_ / "report";
  const Ended ended = run({"--crops", folder_ / "crops", "--scenes", folder_ / "scenes", "-o",
                           report, "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["positives"], 6);
  ASSERT_EQ(result["machines"].size(), 2U);
  EXPECT_EQ(result["machines"][0]["machine"], "linear");
  EXPECT_EQ(result["machines"][1]["gamma"], 0.03);
  EXPECT_GT(result["machines"][1]["support_vectors"], 0);
  EXPECT_EQ(result["machines"][0]["windows"], result["machines"][1]["windows"]);
  for (const char* name : {"index.html", "curve.svg", "curve.csv"})
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(report) / name)) << name;
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(report + "/evaluation.json"), "evaluation.json");
  ASSERT_EQ(evaluation.charts.at(0).curves.size(), 2U);
  EXPECT_EQ(evaluation.charts[0].curves[1].name, "rbf");
  EXPECT_FALSE(evaluation.charts[0].curves[1].points.empty());
}

TEST_F(EvalKernel, NamesWhatIsMissing) {
  const Ended ended = run({"--crops", folder_ / "crops"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("--scenes"));
  EXPECT_EQ(run({"--crops", folder_ / "none", "--scenes", folder_ / "scenes"}).status, kBadInput);
}

}  // namespace
}  // namespace fovea::cli
