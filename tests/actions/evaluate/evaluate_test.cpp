// Covers: evaluate_fold
#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TrainOptions quick_options() {
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  return options;
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
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const SyntheticCorpus set(3, 3, 30);
  const std::vector<Recipe> recipes = default_recipes(quick_options());
  const std::vector<Fold> folds = leave_one_subject_out(set.corpus);
  const EvaluateReport result = evaluate(set.corpus, set.points, folds, recipes);
  EXPECT_EQ(result.matching.tested, 9);
  EXPECT_EQ(result.matching.correct, 9);
  EXPECT_EQ(result.fused.correct, 9);
  EXPECT_EQ(result.fused.method, "matching, single descriptors and words");
  EXPECT_THAT(result.fused_chosen, Each(HasSubstr("late fusion")));
  EXPECT_EQ(result.matching.interval.high, 1);
  EXPECT_LT(result.matching.interval.low, 1);
  EXPECT_EQ(result.matching.confusion.at(1, 1), 3);
  EXPECT_THAT(result.matching.correct_by_fold, ElementsAre(3, 3, 3));
  EXPECT_THAT(result.recipes, SizeIs(recipes.size()));
  // Equally good ones: the first counts.
  EXPECT_THAT(result.chosen, ElementsAre(recipes[0].name, recipes[0].name, recipes[0].name));
  ASSERT_THAT(result.baselines, SizeIs(4));
  for (const MethodReport& baseline : result.baselines) {
    EXPECT_EQ(baseline.tested, 9) << baseline.method;
    EXPECT_EQ(baseline.correct, 9) << baseline.method;
  }
}

TEST(Evaluate, AFoldClassifiesAsAModelTrainedOnItDoes) {
  const SyntheticCorpus set(3, 3, 30);
  for (const bool floating : {false, true}) {
    TrainOptions options = quick_options();
    options.selection = floating ? Selection::kFloating : Selection::kAll;
    const std::vector<Fold> folds{leave_one_subject_out(set.corpus)[0]};
    const std::vector<Recipe> one{{"one", options}};
    const EvaluateReport result =
        evaluate(set.corpus, set.points, folds, one, {.baselines = false});
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
    const std::vector<ClipClass> found = classify_clips(train(part, points, options), test);
    for (std::size_t i = 0; i < test.size(); ++i)
      EXPECT_EQ(found[i].nearest,
                result.matching.labels[static_cast<std::size_t>(folds[0].test[i])]);
  }
}

// The default recipe fuses; its matching is reported too.
TEST(Evaluate, ARecipeWithLateFusionStandsForItsMatchingToo) {
  const SyntheticCorpus set(2, 3, 16);
  const std::vector<Fold> folds = leave_one_subject_out(set.corpus);
  const std::vector<Recipe> one{{"one", quick_options()}};
  const EvaluateReport both = evaluate(set.corpus, set.points, folds, one, {.baselines = false});
  EXPECT_EQ(both.matching.tested, 6);
  EXPECT_EQ(both.fused.tested, 6);
  EXPECT_THAT(both.recipes, SizeIs(1));
  EXPECT_EQ(both.recipes[0].labels, both.fused.labels);
  TrainOptions plain = quick_options();
  plain.late_fusion = false;
  const std::vector<Recipe> other{{"other", plain}};
  const EvaluateReport alone = evaluate(set.corpus, set.points, folds, other, {.baselines = false});
  EXPECT_EQ(alone.matching.labels, both.matching.labels);
  EXPECT_EQ(alone.fused.tested, 0);
  // The pool without late fusion has fixed weights of single descriptors.
  EXPECT_THAT(default_recipes(plain).back().name, HasSubstr("single descriptors"));
  EXPECT_THAT(default_recipes(quick_options()).back().name, HasSubstr("late fusion"));
}

// With one training subject nobody can be left out to learn weights: matching decides.
TEST(Evaluate, LateFusionOfOneTrainingSubjectIsMatching) {
  const SyntheticCorpus set(2, 2, 16);
  const std::vector<Recipe> one{{"one", quick_options()}};
  const EvaluateReport result = evaluate(set.corpus, set.points, leave_one_subject_out(set.corpus),
                                         one, {.baselines = false});
  EXPECT_EQ(result.fused.labels, result.matching.labels);
}

TEST(Evaluate, ASplitChoosesAndSelectsByItsValidationClips) {
  SyntheticCorpus set(2, 5, 20);  // clips 0 to 4 and 5 to 9; subject 2 validates
  const std::vector<Fold> folds{{"split", {0, 1, 5, 6}, {3, 4, 8, 9}, {2, 7}}};
  TrainOptions none = quick_options();
  none.cut.nodes = 60;  // more than any clip has
  const std::vector<Recipe> recipes{{"none", none}, {"some", quick_options()}};
  const EvaluateReport chosen =
      evaluate(set.corpus, set.points, folds, recipes, {.baselines = false});
  EXPECT_THAT(chosen.chosen, ElementsAre("some"));
  EXPECT_EQ(chosen.matching.correct, 4);
  TrainOptions floating = quick_options();
  floating.selection = Selection::kFloating;
  const std::vector<Recipe> paper{{"paper", floating}};
  const auto correct = [&] {
    return evaluate(set.corpus, set.points, folds, paper, {.baselines = false}).matching.correct;
  };
  EXPECT_EQ(correct(), 4);
  // Of two training subjects one shows the other action each time: validation tells which.
  std::swap(set.corpus.clips[0].label, set.corpus.clips[5].label);
  EXPECT_EQ(correct(), 4);
}

TEST(Evaluate, PackedClipsGiveTheSameLabels) {
  const SyntheticCorpus set(2, 3, 12);
  PackedClips packed;
  for (const PointSet& points : set.points) packed.add(points);
  TrainOptions fusing = quick_options();
  fusing.score.fusion = 1;
  const std::vector<Recipe> recipes{{"matching", quick_options()}, {"fused", fusing}};
  const std::vector<Fold> folds = leave_one_subject_out(set.corpus);
  const EvaluateReport a = evaluate(set.corpus, set.points, folds, recipes);
  const EvaluateReport b = evaluate(set.corpus, packed, folds, recipes);
  EXPECT_EQ(a.matching.labels, b.matching.labels);
  EXPECT_EQ(a.fused.labels, b.fused.labels);
  for (std::size_t i = 0; i < a.baselines.size(); ++i)
    EXPECT_EQ(a.baselines[i].labels, b.baselines[i].labels);
}

TEST(Evaluate, ClipsWithoutAMatchAreNotCorrect) {
  SyntheticCorpus set(2, 3, 20);
  set.points[0] = PointSet{};
  set.points[0].frames = 3;  // too short for any prototype
  const EvaluateReport result = evaluate(set.corpus, set.points, leave_one_subject_out(set.corpus),
                                         std::vector<Recipe>{{"one", quick_options()}});
  EXPECT_EQ(result.matching.tested, 6);
  EXPECT_EQ(result.matching.unclassified, 1);
  EXPECT_EQ(result.matching.correct, 5);
  EXPECT_EQ(result.matching.labels[0], -1);
  EXPECT_EQ(result.baselines[0].unclassified, 1);
}

TEST(Evaluate, FoldsThatDoNotServeAreNamed) {
  const SyntheticCorpus set(2, 2, 10);
  const std::vector<Recipe> one{{"one", quick_options()}};
  const auto why = [&](std::vector<Fold> folds) {
    return message_of<InvalidArgument>(
        [&] { evaluate(set.corpus, set.points, folds, one, {.baselines = false}); });
  };
  EXPECT_THAT(why({}), HasSubstr("no fold"));
  EXPECT_THAT(why({{"a", {0, 1}, {}}}), HasSubstr("fold a has 2 clips to train on and 0"));
  EXPECT_THAT(why({{"a", {0, 1}, {1}}}), HasSubstr("clip 1 is trained on and tested"));
  EXPECT_THAT(why({{"a", {0, 9}, {1}}}), HasSubstr("clip 9 of 4"));
  EXPECT_THAT(why({{"a", {0}, {1}, {0}}}), HasSubstr("chooses by clip 0"));
  EXPECT_THAT(why({{"a", {0}, {1}, {1}}}), HasSubstr("chooses by clip 1"));
}

}  // namespace
}  // namespace fovea::actions
