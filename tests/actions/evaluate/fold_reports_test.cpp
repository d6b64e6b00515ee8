#include <fovea/actions/fold_reports.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"
#include "support/files.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

void expect_same(const MethodReport& a, const MethodReport& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.confusion, b.confusion) << a.method;
  EXPECT_EQ(a.labels, b.labels) << a.method;
  EXPECT_EQ(a.was_tested, b.was_tested) << a.method;
  EXPECT_EQ(a.correct_by_fold, b.correct_by_fold) << a.method;
  EXPECT_EQ(a.unclassified, b.unclassified) << a.method;
  EXPECT_EQ(a.interval.low, b.interval.low) << a.method;
}

class FoldReports : public testing::Test {
 protected:
  FoldReports() {
    options_.cut.nodes = 6;
    options_.cut.step = 6;
    set_.points[4].points.resize(2);  // is classified by none of the methods that match
    set_.points[4].descriptors = Image<float>(kDescriptorSize, 2);
    for (int y = 0; y < 2; ++y)
      std::fill_n(set_.points[4].descriptors.row(y), kDescriptorSize, 0.1F);
  }
  EvaluateReport evaluated(std::span<const Fold> folds) const {
    return evaluate(set_.corpus, set_.points, folds, default_recipes(options_));
  }

  SyntheticCorpus set_{2, 3, 14};
  TrainOptions options_;
  std::vector<Fold> folds_ = leave_one_subject_out(set_.corpus);
};

TEST_F(FoldReports, OfFoldsThatWereEvaluatedApartAreThoseOfAll) {
  const EvaluateReport whole = evaluated(folds_);
  std::vector<FoldReport> parts;
  for (const std::size_t first : {0U, 1U}) {  // the first alone, the others together
    const auto some = first == 0 ? std::span(folds_).first(1) : std::span(folds_).subspan(1);
    for (FoldReport& part : fold_reports(evaluated(some), some)) parts.push_back(std::move(part));
  }
  const EvaluateReport joined = join_folds(set_.corpus, folds_, parts);
  EXPECT_EQ(joined.chosen, whole.chosen);
  EXPECT_EQ(joined.fused_chosen, whole.fused_chosen);
  expect_same(joined.matching, whole.matching);
  expect_same(joined.fused, whole.fused);
  ASSERT_EQ(joined.recipes.size(), whole.recipes.size());
  for (std::size_t i = 0; i < whole.recipes.size(); ++i)
    expect_same(joined.recipes[i], whole.recipes[i]);
  ASSERT_EQ(joined.baselines.size(), whole.baselines.size());
  for (std::size_t i = 0; i < whole.baselines.size(); ++i)
    expect_same(joined.baselines[i], whole.baselines[i]);
}

TEST_F(FoldReports, KeepTheTimeOfAllFoldsOnce) {
  EvaluateReport report;
  report.matching.method = "matching";
  report.matching.tested = 6;
  report.matching.labels.assign(6, 0);
  report.matching.seconds = 3;
  const std::vector<FoldReport> parts = fold_reports(report, folds_);
  EXPECT_EQ(join_folds(set_.corpus, folds_, parts).matching.seconds, 3);
}

TEST_F(FoldReports, ThatDoNotFitAreRefused) {
  const std::vector<FoldReport> parts(2);
  EXPECT_THAT(message_of([&] { join_folds(set_.corpus, folds_, parts); }),
              HasSubstr("2 reports for 3 folds"));
  std::vector<FoldReport> wrong(3);
  wrong[1].matching = {.method = "matching", .used = true, .labels = {1}};
  EXPECT_THAT(message_of([&] { join_folds(set_.corpus, folds_, wrong); }),
              HasSubstr("fold s1 has 1 labels of matching for 2 clips"));
  wrong[2].recipes.resize(1);
  EXPECT_THAT(message_of([&] { join_folds(set_.corpus, folds_, wrong); }),
              HasSubstr("different methods"));
  const std::vector<Fold> twice{folds_[0], folds_[0]};
  EXPECT_THAT(message_of([&] { fold_reports({}, twice); }), HasSubstr("is tested by fold s0"));
}

}  // namespace
}  // namespace fovea::actions
