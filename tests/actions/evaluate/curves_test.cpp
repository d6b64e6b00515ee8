#include <fovea/actions/curves.h>
#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

struct Set {
  Set() : set(3, 3, 16) {
    for (const PointSet& one : set.points) points.add(one);
    folds = leave_one_subject_out(set.corpus);
    options.cut.nodes = 8;
    options.cut.step = 8;
  }
  SyntheticCorpus set;
  PackedClips points;
  std::vector<Fold> folds;
  TrainOptions options;
};

int correct_with(const Set& set, const TrainOptions& options, std::span<const Fold> folds) {
  const std::vector<Recipe> one{{"given", options}};
  return evaluate(set.set.corpus, set.points, folds, one, {.baselines = false}).matching.correct;
}

TEST(Curves, EachWindowIsAnEvaluationOfItsOwn) {
  const Set set;
  const std::vector<int> windows{2, 10};
  const auto curve = window_curve(set.set.corpus, set.points, set.folds, windows, set.options);
  ASSERT_EQ(curve.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    TrainOptions other = set.options;
    other.match.window = windows[i];
    EXPECT_EQ(curve[i].at, windows[i]);
    EXPECT_EQ(curve[i].tested, 9);
    EXPECT_EQ(curve[i].correct, correct_with(set, other, set.folds));
  }
}

TEST(Curves, DrawsOfSubjectsAddUp) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Set set;
  const Exec exec{.threads = 2, .seed = 7};
  const auto curve = subject_curve(set.set.corpus, set.points, set.folds, 2, set.options, exec);
  ASSERT_EQ(curve.size(), 2U);  // one subject, and both
  int one = 0;
  for (const std::uint64_t seed : {7U, 8U})
    one += correct_with(set, set.options, fewer_subjects(set.set.corpus, set.folds, 1, seed));
  EXPECT_EQ(curve[0].at, 1);
  EXPECT_EQ(curve[0].tested, 18);
  EXPECT_EQ(curve[0].correct, one);
  EXPECT_EQ(curve[1].at, 2);
  EXPECT_EQ(curve[1].correct, 2 * correct_with(set, set.options, set.folds));
}

TEST(Curves, Refuses) {
  const Set set;
  EXPECT_THROW(subject_curve(set.set.corpus, set.points, set.folds, 0, set.options),
               InvalidArgument);
  EXPECT_THROW(subject_curve(set.set.corpus, set.points, {}, 1, set.options), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
