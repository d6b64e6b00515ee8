#pragma once
#include <fovea/actions/train.h>
#include <fovea/scenes/evaluate.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::actions {

using scenes::Confusion;

// What a clip shows. Distances are those of ScoreOptions, infinite for a class none of whose
// prototypes fits into the clip.
struct Told {
  std::int32_t label = -1;    // -1: none, as the reject level of the nearest prototype says
  std::int32_t nearest = -1;  // whatever the reject levels say; -1: no prototype fits
  double distance = 0;        // of the nearest prototype of that class
  double margin = 0;          // of the second class's distance to the nearest's, over the latter
  int prototype = -1;
  std::vector<double> distances;  // by class
};
FOVEA_API std::vector<Told> tell(const Model& model, std::span<const PointSet> clips,
                                 const Exec& exec = {});

// Which clips are trained on and which are tested with.
struct Fold {
  std::string name;  // the subject left out
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> test;
};
FOVEA_API std::vector<Fold> leave_one_subject_out(const Corpus& corpus);
// The same folds, but each trained on `subjects` of its subjects only, drawn by chance.
FOVEA_API std::vector<Fold> fewer_subjects(const Corpus& corpus, std::span<const Fold> folds,
                                           int subjects, std::uint64_t seed);

// Recipes that a fold may choose from, by leaving out each of its training subjects in turn: the
// one with most clips right, of equal ones the first. Points are those of the caller: recipes
// differ in the rest.
struct Recipe {
  std::string name;
  TrainOptions options{};
};
// Plain or rooted descriptors; energy or appearance of the best 3 or 5 prototypes, or symmetric
// distances; and some of them fused with single descriptors.
FOVEA_API std::vector<Recipe> default_recipes(const TrainOptions& base);

// What one method came to, over all folds.
struct Judged {
  std::string method;
  Confusion confusion;             // of clips that something was told of
  std::vector<std::int32_t> told;  // by clip, of the last fold that tests it; -1: none
  std::vector<bool> was_tested;    // by clip
  std::vector<int> right_by_fold;
  int tested = 0;
  int right = 0;
  int without_match = 0;     // clips that nothing was told of; not right
  double low = 0, high = 0;  // Wilson's interval of the accuracy, 95 %
  double seconds = 0;
  double accuracy() const { return tested > 0 ? static_cast<double>(right) / tested : 0; }
};
struct Evaluation {
  Judged matching;                  // by the recipe that each fold chose of those without fusion
  std::vector<std::string> chosen;  // by fold
  Judged fused;                     // by the one of those with fusion, where there are any
  std::vector<std::string> fused_chosen;
  std::vector<Judged> recipes;  // each recipe by itself: the best of them is hindsight
  std::vector<Judged> baselines;
};
// Nothing of a fold's test clips takes part in what is trained or chosen for it.
FOVEA_API Evaluation evaluate(const Corpus& corpus, std::span<const PointSet> points,
                              std::span<const Fold> folds, std::span<const Recipe> recipes,
                              bool baselines, const Exec& exec = {});

// Baselines, by themselves: each descriptor of a clip votes for the class of the nearest one of the
// training set, by gradients and flow or by flow alone; or clips as histograms of visual words,
// told by the nearest one or by support vectors, chi-squared both. All train on mirrored clips too.
enum class Baseline : unsigned char { kVote, kVoteFlow, kWordsNearest, kWordsSvm };
FOVEA_API std::span<const Choice> choices(Baseline);
FOVEA_API Judged judge_baseline(Baseline baseline, const Corpus& corpus,
                                std::span<const PointSet> points, std::span<const Fold> folds,
                                const Exec& exec = {});

// Wilson's interval of a share, 95 %.
FOVEA_API std::pair<double, double> wilson_interval(std::int64_t right, std::int64_t all);

}  // namespace fovea::actions
