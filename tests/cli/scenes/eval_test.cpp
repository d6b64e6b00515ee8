// Covers: eval_mistakes, eval_page, eval_sweep, eval_units
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"
#include "support/xml_check.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ScenesEval : public testing::Test {
 protected:
  ScenesEval() { write_places(folder_ / "places", 6); }

  Ended eval(std::vector<std::string> more) const {
    std::vector<std::string> words{"scenes", "eval", folder_ / "places"};
    words.insert(words.end(), more.begin(), more.end());
    return run_here(quick(words));
  }

  test::TempFolder folder_;
};

TEST_F(ScenesEval, ReportsAccuracyOfRandomSplits) {
  const Ended ended = eval(
      {"--splits", "3", "--share", "0.7", "--classifier", "knn", "--neighbors", "3", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["splits"], 3);
  EXPECT_EQ(report["images"], 18);
  EXPECT_GE(report["accuracy_mean"], 0.9);
  EXPECT_GE(report["accuracy_deviation"], 0);
  EXPECT_EQ(report["accuracies"].size(), 3);
  EXPECT_FALSE(report["accuracy_against_k"].empty());
  ASSERT_EQ(report["confusion_matrix"].size(), 3);
  int tested = 0;
  for (const auto& row : report["confusion_matrix"])
    for (const int count : row) tested += count;
  EXPECT_EQ(tested, 3 * 3 * 2);  // splits, kinds, images left of six
  const Ended again = eval({"--splits", "3", "--share", "0.7", "--classifier", "knn", "--neighbors",
                            "3", "--json", "--threads", "1"});
  EXPECT_EQ(json::parse(again.out)["accuracies"], report["accuracies"]);
}

TEST_F(ScenesEval, AGivenSplitAndWordsOfAllImages) {
  std::string train, test;
  for (const std::string& kind : place_kinds()) {
    for (int i = 0; i < 4; ++i) train += kind + "/" + std::to_string(i) + ".png " + kind + "\n";
    for (int i = 4; i < 6; ++i) test += kind + "/" + std::to_string(i) + ".png " + kind + "\n";
  }
  test::save(folder_ / "train.txt", train);
  test::save(folder_ / "test.txt", test);
  const Ended ended =
      eval({"--train", folder_ / "train.txt", "--test", folder_ / "test.txt", "--classifier", "svm",
            "--dictionary-from", "all", "--json", "-o", folder_ / "report"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["splits"], 1);
  EXPECT_EQ(report["accuracy_mean"], 1);
  EXPECT_FALSE(report.contains("accuracy_against_k"));
  EXPECT_THAT(test::load(folder_ / "report/index.html"), HasSubstr("Confusion"));
  EXPECT_THAT(test::load(folder_ / "report/confusion.csv"), HasSubstr("standing"));
  EXPECT_THAT(test::load(folder_ / "report/confusion.svg"), HasSubstr("<svg"));
}

// With one neighbor and words from few samples some images are confused, in some of the splits.
TEST_F(ScenesEval, GivesTheViewConfusedImages) {
  const Ended ended = eval({"--splits", "6", "--share", "0.4", "--classifier", "knn", "--neighbors",
                            "1", "--samples", "2", "--json", "-o", folder_ / "report"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(folder_ / "report/evaluation.json"), "evaluation.json");
  EXPECT_EQ(json::parse(ended.out)["evaluation"]["confusion"].size(), 9U);
  EXPECT_FALSE(evaluation.charts.empty());  // accuracy against K
  std::int64_t wrong = 0, listed = 0;
  for (int truth = 0; truth < 3; ++truth)
    for (int predicted = 0; predicted < 3; ++predicted) {
      const std::int64_t count =
          evaluation.confusion[static_cast<std::size_t>(3 * truth + predicted)];
      if (truth == predicted) continue;
      wrong += count;
      const bool any =
          std::ranges::any_of(evaluation.mistakes, [&](const report::Mistake& mistake) {
            return mistake.truth == truth && mistake.predicted == predicted;
          });
      EXPECT_EQ(any, count > 0) << truth << " as " << predicted;
    }
  for (const report::Mistake& mistake : evaluation.mistakes) {
    const std::string kind = evaluation.classes[static_cast<std::size_t>(mistake.truth)];
    EXPECT_THAT(evaluation.inputs[mistake.input].files[0], HasSubstr(kind + "/"));
    ++listed;
  }
  EXPECT_LE(listed, wrong);
  const std::string page = test::load(folder_ / "report/index.html");
  EXPECT_EQ(page.find("Confused images, the worst first.") != std::string::npos, wrong > 0);
}

TEST_F(ScenesEval, SweepsOverNumbersOfSamples) {
  const Ended ended = eval({"--splits", "2", "--share", "0.7", "--classifier", "knn", "--neighbors",
                            "3", "--json", "--sweep-samples", "9,30,all", "-o", folder_ / "sweep"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json rows = json::parse(ended.out)["sweep"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["samples"], "9");
  EXPECT_EQ(rows[0]["kmeans"][0]["samples"], 9 * 18);
  EXPECT_EQ(rows[2]["kmeans"][0]["samples"], 40 * (48 + 49 + 50 + 51 + 52 + 53) * 3);
  EXPECT_EQ(rows[2]["kmeans"][0]["passes"], 1);
  EXPECT_GE(rows[2]["accuracy_mean"], 0.9);
  // A row is what the same evaluation gives alone.
  const Ended alone = eval({"--splits", "2", "--share", "0.7", "--classifier", "knn", "--neighbors",
                            "3", "--json", "--samples", "30"});
  EXPECT_EQ(json::parse(alone.out)["accuracy_mean"], rows[1]["accuracy_mean"]);
  EXPECT_THAT(test::load(folder_ / "sweep/samples.csv"), HasSubstr("\nall,"));
  EXPECT_EQ(test::xml_problem(test::load(folder_ / "sweep/samples.svg")), "");
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(folder_ / "sweep/evaluation.json"), "evaluation.json");
  const report::EvaluationCurve& curve = evaluation.charts.at(0).curves.at(0);
  ASSERT_EQ(curve.points.size(), 3U);
  EXPECT_EQ(curve.points[0].threshold, 9);
  EXPECT_EQ(curve.points[1].y, 100 * rows[1]["accuracy_mean"].get<double>());
  for (const report::Mistake& mistake : evaluation.mistakes)
    EXPECT_LT(mistake.input, evaluation.inputs.size());
  const Ended shown =
      eval({"--splits", "1", "--classifier", "knn", "--neighbors", "3", "--sweep-samples", "9"});
  EXPECT_THAT(shown.out, HasSubstr("learned from"));
  for (const char* wrong : {"9,some", "0", "9,,4"}) {
    const Ended refused = eval({"--sweep-samples", wrong});
    EXPECT_EQ(refused.status, kUsage) << wrong;
  }
  EXPECT_EQ(eval({"--sweep-samples", "9", "--model", "sun8"}).status, kUsage);
}

TEST_F(ScenesEval, ATrainedModelIsTested) {
  ASSERT_EQ(run_here(quick({"scenes", "train", folder_ / "places", "-o", folder_ / "m.safetensors",
                            "--classifier", "svm"}))
                .status,
            kDone);
  write_places(folder_ / "new", 2, 30);
  const Ended ended =
      run_here({"scenes", "eval", folder_ / "new", "--model", folder_ / "m.safetensors", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["accuracy_mean"], 1);
  EXPECT_EQ(report["accuracy_interval"][1], 1);
  EXPECT_EQ(report["options"]["model"], folder_ / "m.safetensors");
}

TEST_F(ScenesEval, TheAxisOfAccuracyEndsAtOneHundred) {
  ASSERT_EQ(
      eval({"--splits", "1", "--classifier", "knn", "--neighbors", "3", "-o", folder_ / "report"})
          .status,
      kDone);
  const std::string chart = test::load(folder_ / "report/neighbors.svg");
  EXPECT_THAT(chart, HasSubstr(">100<"));
  EXPECT_THAT(chart, testing::Not(HasSubstr(">110<")));
}

TEST_F(ScenesEval, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(ended.out, "");
  };
  test::save(folder_ / "train.txt", "lying/0.png lying\nsquares/0.png squares\n");
  test::save(folder_ / "odd.txt", "lying/1.png forest\n");
  test::save(folder_ / "gone.txt", "lying/99.png lying\n");
  expect(eval({"--train", folder_ / "train.txt"}), kUsage, "--test");
  expect(eval({"--train", folder_ / "train.txt", "--test", folder_ / "odd.txt"}), kBadInput,
         "forest");
  expect(eval({"--train", folder_ / "train.txt", "--test", folder_ / "gone.txt"}), kBadInput,
         "99.png");
  expect(eval({"--splits", "0"}), kUsage, "splits");
}

}  // namespace
}  // namespace fovea::cli
