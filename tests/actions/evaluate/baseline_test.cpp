#include <fovea/actions/evaluate.h>
#include <fovea/core/options.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

// Clips of one subject show another action than they say: its fold goes wrong, others do not.
TEST(Baseline, TrainsOnTheFoldAlone) {
  SyntheticCorpus set(2, 4, 20);
  std::swap(set.points[0], set.points[4]);
  const std::vector<Fold> folds = leave_one_subject_out(set.corpus);
  for (const Baseline baseline : {Baseline::kVote, Baseline::kVoteFlow, Baseline::kWordsSvm}) {
    const MethodReport report = evaluate_baseline(baseline, set.corpus, set.points, folds);
    EXPECT_EQ(report.correct_by_fold[0], 0) << report.method;
    EXPECT_EQ(report.tested, 8);
  }
}

TEST(Baseline, IsTheSameForAnyNumberOfThreads) {
  const SyntheticCorpus set(3, 3, 12);
  const std::vector<Fold> folds = leave_one_subject_out(set.corpus);
  for (const Choice& choice : choices(Baseline{})) {
    const auto baseline = static_cast<Baseline>(choice.value);
    EXPECT_EQ(evaluate_baseline(baseline, set.corpus, set.points, folds, {.threads = 1}).labels,
              evaluate_baseline(baseline, set.corpus, set.points, folds, {.threads = 3}).labels);
  }
}

}  // namespace
}  // namespace fovea::actions
