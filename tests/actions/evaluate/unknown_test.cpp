// Covers: unknown
#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

TrainOptions short_options() {
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 8;
  return options;
}

TEST(Unknown, EachSubjectAndEachActionIsLeftOut) {
  const SyntheticCorpus set(4, 3, 16);
  const UnknownReport report = evaluate_unknown(set.corpus, set.points, short_options());
  EXPECT_EQ(report.known, 3 * 4 * 3);  // subjects, actions left out, actions left
  EXPECT_EQ(report.unknown, 3 * 4);
  EXPECT_EQ(report.curve.size(), 36U);
  EXPECT_EQ(report.curve.back().known_kept, 1);
  EXPECT_GT(report.area, 0.9);
  EXPECT_LE(report.known_right, report.known_kept);
  const UnknownReport again =
      evaluate_unknown(set.corpus, set.points, short_options(), {.threads = 3});
  EXPECT_EQ(again.known_kept, report.known_kept);
  EXPECT_EQ(again.area, report.area);
}

TEST(Unknown, TooFewActionsOrSubjectsAreRefused) {
  const SyntheticCorpus few(3, 3, 12);
  EXPECT_THROW(evaluate_unknown(few.corpus, few.points, short_options()), InvalidArgument);
  const SyntheticCorpus two(4, 2, 12);
  EXPECT_THROW(evaluate_unknown(two.corpus, two.points, short_options()), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
