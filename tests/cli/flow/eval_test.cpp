// Covers: eval_mistakes, eval_page, eval_rivals, eval_sequences
#include "cli/flow/eval.h"

#include <fovea/core/error.h>
#include <fovea/io/flow_io.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/flow/scene.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FlowEval : public testing::Test {
 protected:
  FlowEval() {
    for (int i = 0; i < 2; ++i) {
      const std::string folder = folder_ / ("set/s" + std::to_string(i));
      std::filesystem::create_directories(folder);
      const FlowScene scene = flow_scene(128, 96, {}, 5 * i);
      io::write_image(folder + "/frame10.png", scene.first);
      io::write_image(folder + "/frame11.png", scene.second);
      io::write_flow(folder + "/flow10.flo", {scene.u, scene.v});
    }
    std::filesystem::create_directories(folder_ / "set/other");
    test::save(folder_ / "list.txt",
               "# pairs\nset/s0/frame10.png set/s0/frame11.png set/s0/flow10.flo\n\n"
               "set/s1/frame10.png\tset/s1/frame11.png  set/s1/flow10.flo\r\n");
  }
  json measured(std::vector<std::string> more) const {
    more.insert(more.begin(), {"flow", "eval", "--quiet", "--json"});
    const Ended ended = run_here(more);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return json::parse(ended.out);
  }
  void expect_refusal(std::vector<std::string> args, int status, const char* words) const {
    args.insert(args.begin(), {"flow", "eval", "--quiet"});
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }

  test::TempFolder folder_;
};

TEST_F(FlowEval, TellsErrorsOfEverySequenceAndTheirMean) {
  for (const char* method : {"lk", "bm"}) {
    const json report = measured({"--method", method, folder_ / "set"});
    EXPECT_EQ(report["command"], "flow eval");
    EXPECT_EQ(report["method"], method);
    ASSERT_EQ(report["sequences"].size(), 2U);
    EXPECT_EQ(report["sequences"][0]["name"], "s0");
    EXPECT_EQ(report["sequences"][0]["pixels"], 128 * 96);
    const double first = report["sequences"][0]["endpoint_error"].get<double>();
    const double second = report["sequences"][1]["endpoint_error"].get<double>();
    EXPECT_NEAR(report["endpoint_error_mean"].get<double>(), (first + second) / 2, 1e-9);
    EXPECT_LT(report["endpoint_error_mean"].get<double>(), 0.6) << method;
    EXPECT_EQ(report["sparsification"].size(), 20U);
    EXPECT_LT(report["sparsification_error_mean"].get<double>(), 0.9) << method;
    EXPECT_LE(report["sequences"][0]["confident"]["endpoint_error"].get<double>(), first + 0.05);
  }
}

TEST_F(FlowEval, AListNamesPairsAndQualityIsChosen) {
  const json best = measured({"--quality", "best", folder_ / "list.txt"});
  const json fast = measured({"--quality", "fast", folder_ / "list.txt"});
  ASSERT_EQ(best["sequences"].size(), 2U);
  EXPECT_EQ(best["options"]["quality"], "best");
  EXPECT_NE(best["endpoint_error_mean"], fast["endpoint_error_mean"]);
}

TEST_F(FlowEval, OneFolderOfASequenceWillDo) {
  const json report = measured({folder_ / "set/s1"});
  ASSERT_EQ(report["sequences"].size(), 1U);
  EXPECT_EQ(report["sequences"][0]["name"], "s1");
}

TEST_F(FlowEval, WritesAPageWithCurveAndErrors) {
  const json report = measured({folder_ / "set", "-o", folder_ / "report", "--sheet", "1"});
  EXPECT_EQ(report["page"], folder_ / "report/index.html");
  EXPECT_THAT(test::load(folder_ / "report/index.html"), HasSubstr("s0: endpoint error"));
  EXPECT_THAT(test::load(folder_ / "report/curve.svg"), HasSubstr("oracle"));
  const std::string errors = test::load(folder_ / "report/errors.csv");
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 3) << errors;
  const std::string curve = test::load(folder_ / "report/curve.csv");
  EXPECT_EQ(std::count(curve.begin(), curve.end(), '\n'), 41);
}

TEST_F(FlowEval, GivesTheViewTheWorstSequencesFirst) {
  const json report = measured({folder_ / "set", "-o", folder_ / "report"});
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(folder_ / "report/evaluation.json"), "evaluation.json");
  EXPECT_EQ(evaluation.system, "flow");
  EXPECT_EQ(evaluation.charts[0].curves[0].points.size(), 20U);
  ASSERT_EQ(evaluation.mistakes.size(), 2U);
  const bool second = report["sequences"][1]["endpoint_error"].get<double>() >
                      report["sequences"][0]["endpoint_error"].get<double>();
  EXPECT_THAT(evaluation.mistakes[0].text, HasSubstr(second ? "s1: endpoint" : "s0: endpoint"));
  EXPECT_EQ(evaluation.inputs[0].files.size(), 2U);
  EXPECT_THAT(evaluation.inputs[0].truth, HasSubstr("flow10.flo"));
  EXPECT_EQ(report["evaluation"]["title"], evaluation.title);
}

TEST_F(FlowEval, BadInputIsOneLineWithItsStatus) {
  expect_refusal({folder_ / "none"}, kBadInput, "none: cannot open");
  expect_refusal({folder_ / "set/other"}, kBadInput, "has no folder with frame10");
  expect_refusal({folder_ / "set", "--quality", "good"}, kUsage, "--quality is 'good'");
  test::save(folder_ / "short.txt", "a.png b.png\n");
  expect_refusal({folder_ / "short.txt"}, kBadInput, "line 1");
  test::save(folder_ / "empty.txt", "# nothing\n");
  expect_refusal({folder_ / "empty.txt"}, kBadInput, "names no sequence");
  expect_refusal({folder_ / "set/s0/flow10.flo"}, kBadInput, "expected text");
  io::write_flow(folder_ / "set/s1/flow10.flo", {Image<float>(2, 2), Image<float>(2, 2)});
  expect_refusal({folder_ / "set"}, kBadInput, "flow10.flo: is 2x2, but its images are 128x96");
  test::save(folder_ / "set/s1/flow10.flo", "PIEH");
  expect_refusal({folder_ / "set"}, kBadInput, "flow10.flo: is truncated");
}

TEST_F(FlowEval, AStopEndsIt) {
  EXPECT_EQ(run_here({"flow", "eval", folder_ / "set"}, fired()).status, kInterrupted);
}

TEST_F(FlowEval, RivalsAreMeasuredOrTheirAbsenceIsNoted) {
  const Ended ended = run_here({"flow", "eval", folder_ / "set", "--rivals", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  if (report["rivals"].empty()) {
    EXPECT_THAT(ended.err, HasSubstr("no rivals"));
    return;
  }
  for (const json& rival : report["rivals"]) {
    EXPECT_EQ(rival["sequences"].size(), 2U);
    EXPECT_LT(rival["endpoint_error_mean"].get<double>(), 2) << rival["method"];
  }
}

}  // namespace
}  // namespace fovea::cli
