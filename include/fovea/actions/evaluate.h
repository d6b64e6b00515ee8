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
  // Clips by which prototypes are selected and recipes chosen; they are not trained on. Where there
  // are none, training subjects are set aside for that.
  std::vector<std::int32_t> validation{};
};
FOVEA_API std::vector<Fold> leave_one_subject_out(const Corpus& corpus);
// The same folds, each trained on only `subjects` of its training subjects, drawn at random.
FOVEA_API std::vector<Fold> fewer_subjects(const Corpus& corpus, std::span<const Fold> folds,
                                           int subjects, std::uint64_t seed);

// Options among which each fold chooses by its validation clips or, where it has none, by leaving
// out each of its training subjects in turn: it takes the recipe that classifies most of these
// clips correctly, and the first among equal ones. Points are the same for all recipes; recipes
// differ in everything else.
struct Recipe {
  std::string name;
  TrainOptions options{};
};
// Descriptors with or without square roots; energy or appearance of the best 3 or 5 prototypes, or
// symmetric distances; and the base itself with late fusion, as train() has it, or, where the base
// has none, some of these fused with single descriptors at fixed weights.
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
FOVEA_API void describe(FieldVisitor& visit, MethodReport& report);
struct EvaluateReport {
  MethodReport matching;            // by the recipe without fusion that each fold chose, or by the
                                    // matching of recipes with late fusion where all of them fuse
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
// chosen for it. Memory: the points; per clip and per group of clips that are always trained on
// together (in these protocols one per subject and class) as many distances as recipes average;
// floating selection holds at most 200 megabytes of distances; and blocks of some ten megabytes.
// No table has a row per point or per prototype for all clips.
FOVEA_API EvaluateReport evaluate(const Corpus& corpus, std::span<const PointSet> points,
                                  std::span<const Fold> folds, std::span<const Recipe> recipes,
                                  const EvaluateOptions& options = {});
FOVEA_API EvaluateReport evaluate(const Corpus& corpus, const PackedClips& points,
                                  std::span<const Fold> folds, std::span<const Recipe> recipes,
                                  const EvaluateOptions& options = {});

// How well unknown actions are rejected by the rule that train() stores. Each subject and each
// action is left out in turn; the rule, its weights and its limit, is learned from the other
// subjects and actions alone, with distances to each of these subjects by the rest.
struct UnknownReport {
  int known = 0;         // clips of the subject left out that show a trained action, in all trials
  int known_kept = 0;    // of these, not rejected
  int known_right = 0;   // of these, not rejected and classified correctly
  int unknown = 0;       // clips of the subject left out that show the action left out
  int unknown_kept = 0;  // of these, not rejected
  // With every limit at which one more known clip is kept: shares of all clips of their kind.
  struct Point {
    double known_kept = 0;
    double unknown_kept = 0;
  };
  std::vector<Point> curve;
  double area = 0;  // under the curve of known_kept against unknown_kept: 1 separates all
};
FOVEA_API void describe(FieldVisitor& visit, UnknownReport::Point& point);
FOVEA_API void describe(FieldVisitor& visit, UnknownReport& report);
// Throws InvalidArgument where there are fewer than four actions or three subjects.
FOVEA_API UnknownReport evaluate_unknown(const Corpus& corpus, std::span<const PointSet> points,
                                         const TrainOptions& options = {}, const Exec& exec = {});
FOVEA_API UnknownReport evaluate_unknown(const Corpus& corpus, const PackedClips& points,
                                         const TrainOptions& options = {}, const Exec& exec = {});

// Simpler methods. With vote, each descriptor of a clip votes for the class of the nearest one in
// the training set, by gradients and flow or, with vote-flow, by flow alone. With words-nearest and
// words-svm, clips are histograms of visual words, classified by the nearest one or by support
// vectors, both with the chi-squared distance. All of them train on mirrored clips too.
enum class Baseline : unsigned char { kVote, kVoteFlow, kWordsNearest, kWordsSvm };
FOVEA_API std::span<const Choice> choices(Baseline);
FOVEA_API MethodReport evaluate_baseline(Baseline baseline, const Corpus& corpus,
                                         std::span<const PointSet> points,
                                         std::span<const Fold> folds, const Exec& exec = {});
FOVEA_API MethodReport evaluate_baseline(Baseline baseline, const Corpus& corpus,
                                         const PackedClips& points, std::span<const Fold> folds,
                                         const Exec& exec = {});

}  // namespace fovea::actions
