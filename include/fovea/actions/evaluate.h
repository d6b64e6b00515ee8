#pragma once
#include <fovea/actions/classify.h>
#include <fovea/actions/train.h>
#include <fovea/ops/confusion.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// The clips that are trained on and those that are tested with.
struct Fold {
  std::string name;  // the subject that is left out
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> test;
};
FOVEA_API std::vector<Fold> leave_one_subject_out(const Corpus& corpus);
// The same folds, each trained on only `subjects` of its training subjects, drawn at random.
FOVEA_API std::vector<Fold> fewer_subjects(const Corpus& corpus, std::span<const Fold> folds,
                                           int subjects, std::uint64_t seed);

// Options among which each fold chooses by leaving out each of its training subjects in turn: it
// takes the recipe that classifies most clips correctly, and the first among equal ones. Points are
// the same for all recipes; recipes differ in everything else.
struct Recipe {
  std::string name;
  TrainOptions options{};
};
// Descriptors with or without square roots; energy or appearance of the best 3 or 5 prototypes, or
// symmetric distances; and some of these fused with single descriptors.
FOVEA_API std::vector<Recipe> default_recipes(const TrainOptions& base);

// The results of one method over all folds.
struct MethodReport {
  std::string method;
  Confusion confusion;               // clips that were classified
  std::vector<std::int32_t> labels;  // by clip, from the last fold that tests it; -1: none
  std::vector<bool> was_tested;      // by clip
  std::vector<int> correct_by_fold;
  int tested = 0;
  int correct = 0;
  int unclassified = 0;  // clips without any match; they do not count as correct
  Interval interval;     // Wilson's 95 % interval of the accuracy
  double seconds = 0;
  double accuracy() const { return tested > 0 ? static_cast<double>(correct) / tested : 0; }
};
struct EvaluateReport {
  MethodReport matching;            // by the recipe without fusion that each fold chose
  std::vector<std::string> chosen;  // names of these recipes, by fold
  MethodReport fused;  // by the recipe with fusion that each fold chose, where there are any
  std::vector<std::string> fused_chosen;
  std::vector<MethodReport> recipes;  // each recipe in all folds; the best of them is hindsight
  std::vector<MethodReport> baselines;
};

struct EvaluateOptions {
  bool baselines = true;  // evaluates the simpler methods below in the same run
  Exec exec{};            // the ones inside recipes are not used
};
FOVEA_API void describe(OptionVisitor& visit, EvaluateOptions& options);

// Evaluates recipes and baselines. The test clips of a fold have no part in what is trained or
// chosen for it.
FOVEA_API EvaluateReport evaluate(const Corpus& corpus, std::span<const PointSet> points,
                                  std::span<const Fold> folds, std::span<const Recipe> recipes,
                                  const EvaluateOptions& options = {});

// Simpler methods. With vote, each descriptor of a clip votes for the class of the nearest one in
// the training set, by gradients and flow or, with vote-flow, by flow alone. With words-nearest and
// words-svm, clips are histograms of visual words, classified by the nearest one or by support
// vectors, both with the chi-squared distance. All of them train on mirrored clips too.
enum class Baseline : unsigned char { kVote, kVoteFlow, kWordsNearest, kWordsSvm };
FOVEA_API std::span<const Choice> choices(Baseline);
FOVEA_API MethodReport evaluate_baseline(Baseline baseline, const Corpus& corpus,
                                         std::span<const PointSet> points,
                                         std::span<const Fold> folds, const Exec& exec = {});

}  // namespace fovea::actions
