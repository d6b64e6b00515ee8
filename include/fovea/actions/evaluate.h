#pragma once
#include <fovea/actions/train.h>
#include <fovea/scenes/evaluate.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

using scenes::Confusion;

// Distances of a clip to each class, and what they tell.
struct Told {
  std::int32_t label = -1;    // -1: none
  std::int32_t nearest = -1;  // whatever the reject levels say
  double distance = 0;
  double margin = 0;  // to the second class, over the distance
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

// Recipes that a fold may choose from, by leaving out each of its training subjects in turn: the
// one with most clips right, of equal ones the first.
struct Recipe {
  std::string name;
  TrainOptions options{};
};
FOVEA_API std::vector<Recipe> default_recipes(const TrainOptions& base);

struct Judged {
  std::string method;
  Confusion confusion;
  std::vector<std::int32_t> told;  // by clip; -1: none
  double seconds = 0;
};
struct Evaluation {
  Judged matching;
  std::vector<Judged> baselines;    // nearest-descriptor voting, bags of words
  std::vector<std::string> chosen;  // recipe of each fold
  double low = 0, high = 0;         // Wilson's interval of the accuracy, 95 %
  int without_match = 0;
};
FOVEA_API Evaluation evaluate(const Corpus& corpus, std::span<const PointSet> points,
                              std::span<const Fold> folds, std::span<const Recipe> recipes,
                              bool baselines, const Exec& exec = {});

// Baselines, by themselves: each descriptor of a clip votes for the class of the nearest one of the
// training set; or clips as histograms of visual words, told by the nearest one or by support
// vectors, chi-squared both.
enum class Baseline : unsigned char { kVote, kVoteHof, kWordsNearest, kWordsSvm };
FOVEA_API std::span<const Choice> choices(Baseline);
FOVEA_API Judged judge_baseline(Baseline baseline, const Corpus& corpus,
                                std::span<const PointSet> points, std::span<const Fold> folds,
                                const Exec& exec = {});

FOVEA_API std::pair<double, double> wilson_interval(std::int64_t right, std::int64_t all);

}  // namespace fovea::actions
