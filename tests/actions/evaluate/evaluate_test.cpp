// Covers: evaluate_fold
#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"
#include "support/files.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TrainOptions quick_options() {
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  return options;
}

TEST(Evaluate, WilsonsInterval) {
  const auto [low, high] = wilson_interval(89, 90);
  EXPECT_NEAR(low, 0.940, 0.0005);
  EXPECT_NEAR(high, 0.998, 0.0005);
  EXPECT_EQ(wilson_interval(5, 5).second, 1);
  EXPECT_EQ(wilson_interval(0, 5).first, 0);
  EXPECT_THROW(wilson_interval(6, 5), InvalidArgument);
}

TEST(Evaluate, FoldsLeaveOneSubjectOut) {
  const SyntheticCorpus set(2, 3, 10);
  const std::vector<Fold> folds = leave_one_subject_out(set.corpus);
  ASSERT_THAT(folds, SizeIs(3));
  EXPECT_EQ(folds[1].name, "s1");
  EXPECT_THAT(folds[1].test, ElementsAre(1, 4));
  EXPECT_THAT(folds[1].train, ElementsAre(0, 2, 3, 5));
  const std::vector<Fold> fewer = fewer_subjects(set.corpus, folds, 1, 5);
  EXPECT_THAT(fewer[1].train, SizeIs(2));
  EXPECT_THAT(fewer[1].test, ElementsAre(1, 4));
  EXPECT_THROW(fewer_subjects(set.corpus, folds, 3, 5), InvalidArgument);
}

TEST(Evaluate, RecipesAreChosenInsideFoldsAndStandForThemselves) {
  const SyntheticCorpus set(3, 3, 30);
  const std::vector<Recipe> recipes = default_recipes(quick_options());
  const std::vector<Fold> folds = leave_one_subject_out(set.corpus);
  const Evaluation result = evaluate(set.corpus, set.points, folds, recipes, true);
  EXPECT_EQ(result.matching.tested, 9);
  EXPECT_EQ(result.matching.right, 9);
  EXPECT_EQ(result.fused.right, 9);
  EXPECT_EQ(result.matching.confusion.at(1, 1), 3);
  EXPECT_THAT(result.matching.right_by_fold, ElementsAre(3, 3, 3));
  EXPECT_THAT(result.recipes, SizeIs(recipes.size()));
  // Equally good ones: the first counts.
  EXPECT_THAT(result.chosen, ElementsAre(recipes[0].name, recipes[0].name, recipes[0].name));
  ASSERT_THAT(result.baselines, SizeIs(4));
  for (const Judged& baseline : result.baselines) {
    EXPECT_EQ(baseline.tested, 9) << baseline.method;
    EXPECT_EQ(baseline.right, 9) << baseline.method;
  }
}

TEST(Evaluate, AFoldTellsWhatAModelTrainedOnItDoes) {
  const SyntheticCorpus set(3, 3, 30);
  for (const bool floating : {false, true}) {
    TrainOptions options = quick_options();
    options.selection = floating ? Selection::kFloating : Selection::kAll;
    const std::vector<Fold> folds{leave_one_subject_out(set.corpus)[0]};
    const std::vector<Recipe> one{{"one", options}};
    const Evaluation result = evaluate(set.corpus, set.points, folds, one, false);
    Corpus part;
    part.classes = set.corpus.classes;
    std::vector<PointSet> points, test;
    for (std::size_t i = 0; i < set.corpus.clips.size(); ++i) {
      const auto& clip = set.corpus.clips[i];
      PointSet copy = synthetic_points(clip.label, clip.subject[1] - '0', 30);
      if (clip.subject == "s0") {
        test.push_back(std::move(copy));
        continue;
      }
      part.clips.push_back(clip);
      points.push_back(std::move(copy));
    }
    const std::vector<Told> told = tell(train(part, points, options), test);
    for (std::size_t i = 0; i < test.size(); ++i)
      EXPECT_EQ(told[i].nearest, result.matching.told[static_cast<std::size_t>(folds[0].test[i])]);
  }
}

TEST(Evaluate, ClipsWithoutAMatchAreNotRight) {
  SyntheticCorpus set(2, 3, 20);
  set.points[0] = PointSet{};
  set.points[0].frames = 3;  // too short for any prototype
  const Evaluation result = evaluate(set.corpus, set.points, leave_one_subject_out(set.corpus),
                                     std::vector<Recipe>{{"one", quick_options()}}, true);
  EXPECT_EQ(result.matching.tested, 6);
  EXPECT_EQ(result.matching.without_match, 1);
  EXPECT_EQ(result.matching.right, 5);
  EXPECT_EQ(result.matching.told[0], -1);
  EXPECT_EQ(result.baselines[0].without_match, 1);
}

TEST(Evaluate, FoldsThatDoNotServeAreNamed) {
  const SyntheticCorpus set(2, 2, 10);
  const std::vector<Recipe> one{{"one", quick_options()}};
  const auto why = [&](std::vector<Fold> folds) {
    return message_of<InvalidArgument>(
        [&] { evaluate(set.corpus, set.points, folds, one, false); });
  };
  EXPECT_THAT(why({}), HasSubstr("no fold"));
  EXPECT_THAT(why({{"a", {0, 1}, {}}}), HasSubstr("fold a has 2 clips to train on and 0"));
  EXPECT_THAT(why({{"a", {0, 1}, {1}}}), HasSubstr("clip 1 is trained on and tested"));
  EXPECT_THAT(why({{"a", {0, 9}, {1}}}), HasSubstr("clip 9 of 4"));
}

}  // namespace
}  // namespace fovea::actions
