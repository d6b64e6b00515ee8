#include "actions/evaluate/evaluate_fold.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "actions/evaluate/evaluate.h"
#include "actions/evaluate/score.h"
#include "actions/train/calibration.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

// Recipes with the same key share a table.
std::string table_key(const TrainOptions& recipe, double scale) {
  FeatureOptions features = recipe.features;
  features.scale = scale;
  return options_json(features) + options_json(recipe.cut) + options_json(recipe.match) +
         std::to_string(recipe.scene_points);
}

TrainOptions with_scale(const TrainOptions& recipe, double scale) {
  TrainOptions result = recipe;
  result.features.scale = scale;
  return result;
}

}  // namespace

FoldClassifier::FoldClassifier(const Corpus& corpus, const ClipSource& clips,
                               std::span<const Fold> folds, std::span<const Recipe> recipes,
                               bool choosing, const Exec& exec)
    : clips_(clips),
      exec_(exec),
      recipes_(recipes),
      jobs_(corpus, folds, choosing),
      subjects_(subject_numbers(corpus)),
      classes_(static_cast<int>(corpus.classes.size())) {
  for (const Clip& clip : corpus.clips) labels_.push_back(clip.label);
}

double FoldClassifier::scale_of(const TrainOptions& recipe, std::size_t fold) const {
  if (recipe.features.scale > 0) return recipe.features.scale;
  const FoldJob& job = jobs_.jobs()[static_cast<std::size_t>(jobs_.outer(fold))];
  return choose_scale(clips_, job.train, recipe.scene_points, recipe.features, exec_.seed);
}

FoldTableUse FoldClassifier::use_of(const std::string& key) const {
  FoldTableUse use;
  for (const Recipe& recipe : recipes_) {
    const TrainOptions& options = recipe.options;
    if (options.selection == Selection::kFloating || table_key(options, 0) != key) continue;
    int& best = options.score.symmetric ? use.symmetric_best : use.best;
    best = std::max(best, options.score.best);
  }
  return use;
}

const FoldClassifier::Table& FoldClassifier::table_of(const TrainOptions& recipe, double scale) {
  const std::string key = table_key(recipe, scale);
  const auto known = tables_.find(key);
  if (known != tables_.end()) return known->second;
  const double start = steady_seconds();
  Table& made = tables_[key];
  made.least = std::make_unique<FoldTable>(clips_, jobs_, with_scale(recipe, scale),
                                           use_of(table_key(recipe, 0)), exec_);
  made.seconds = steady_seconds() - start;
  return made;
}

FoldClassifier::TableCost FoldClassifier::table_cost(const TrainOptions& recipe, double scale) {
  if (recipe.selection == Selection::kFloating) return {};
  const Table& table = table_of(recipe, scale);
  return {&table, table.seconds};
}

std::vector<std::vector<double>> FoldClassifier::selected_distances(const TrainOptions& recipe,
                                                                    double scale,
                                                                    const FoldJob& job) const {
  const TrainOptions options = with_scale(recipe, scale);
  const SelectionParts parts =
      job.validation.empty() ? selection_parts(job.train, subjects_, recipe.validation, exec_.seed)
                             : SelectionParts{job.train, job.validation};
  const std::vector<Prototype> prototypes =
      selected_prototypes({clips_, labels_, options, exec_}, parts);
  const Image<float> table = clip_table({clips_, labels_, options, exec_}, prototypes, job.test);
  std::vector<int> all(prototypes.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<double>> result;
  result.reserve(job.test.size());
  for (int y = 0; y < table.height(); ++y)
    result.push_back(
        nearest_prototypes(row_of(table, y), all, prototypes, classes_, recipe.score.best)
            .distances);
  return result;
}

std::vector<std::vector<double>> FoldClassifier::matched_distances(const TrainOptions& recipe,
                                                                   double scale, int job) {
  const FoldJob& clips = jobs_.jobs()[static_cast<std::size_t>(job)];
  if (recipe.selection == Selection::kFloating) return selected_distances(recipe, scale, clips);
  const FoldTable& table = *table_of(recipe, scale).least;
  std::vector<std::vector<double>> result;
  result.reserve(clips.test.size());
  for (const int clip : clips.test)
    result.push_back(table.distances(clip, jobs_.labels(job), recipe.score, classes_));
  return result;
}

void FoldClassifier::prepare_singles(int most) {
  if (single_points_ == most) return;
  if (single_points_ >= 0)
    throw InvalidArgument(fmt::format("recipes with {} and {} points for fusion; expected one",
                                      single_points_, most));
  single_points_ = most;
  singles_ = std::make_unique<FoldSingles>(clips_, jobs_, classes_, most, exec_);
}

void FoldClassifier::prepare_words() {
  if (words_) return;
  words_ = std::make_unique<FoldWords>(jobs_);
  for (std::size_t fold = 0; fold < jobs_.folds(); ++fold) {
    const WordFold own = word_fold(jobs_, fold);
    const Image<float> words = learn_words(clips_, own.train, exec_);
    if (words.height() == 0) continue;
    words_->add(own.jobs, WordHistograms(clips_, own.clips, words, exec_), labels_, classes_,
                exec_);
  }
}

bool FoldClassifier::is_late(const TrainOptions& recipe, std::size_t fold) const {
  return fuses_late(recipe) && !jobs_.inner(fold).empty();
}

std::vector<FusionClip> FoldClassifier::late_clips(const TrainOptions& recipe, double scale,
                                                   int job) {
  const std::pair key(table_key(recipe, scale) + options_json(recipe.score), job);
  if (const auto known = late_.find(key); known != late_.end()) return known->second;
  const std::vector<std::vector<double>> matching = matched_distances(recipe, scale, job);
  prepare_singles(recipe.fusion_points);
  prepare_words();
  const std::vector<int>& test = jobs_.jobs()[static_cast<std::size_t>(job)].test;
  std::vector<FusionClip> result;
  result.reserve(test.size());
  for (std::size_t i = 0; i < test.size(); ++i) {
    const std::int32_t label = labels_[static_cast<std::size_t>(test[i])];
    result.push_back({has_label(jobs_.labels(job), label) ? label : -1,
                      fusion_scores({matching[i], singles_->distances(job, i),
                                     singles_->votes(job, i), words_->margins(job, i)})});
  }
  late_[key] = result;
  return result;
}

FusionWeights FoldClassifier::late_weights(const TrainOptions& recipe, double scale,
                                           std::size_t fold, int without) {
  std::vector<FusionClip> clips;
  for (const int job : jobs_.inner(fold)) {
    if (job == without && jobs_.inner(fold).size() > 1) continue;
    std::vector<FusionClip> some = late_clips(recipe, scale, job);
    std::ranges::move(some, std::back_inserter(clips));
  }
  return learn_fusion(clips);
}

std::vector<std::vector<double>> FoldClassifier::late_distances(const JobTask& task) {
  const FusionWeights weights = late_weights(task.recipe, task.scale, task.fold, task.job);
  std::vector<std::vector<double>> result;
  for (const FusionClip& clip : late_clips(task.recipe, task.scale, task.job))
    result.push_back(fused_distances(clip.scores, weights, classes_));
  return result;
}

std::vector<std::vector<double>> FoldClassifier::job_distances(const TrainOptions& recipe,
                                                               double scale, std::size_t fold,
                                                               int job) {
  if (is_late(recipe, fold)) return late_distances({recipe, scale, fold, job});
  std::vector<std::vector<double>> all = matched_distances(recipe, scale, job);
  if (!(recipe.score.fusion > 0)) return all;
  prepare_singles(recipe.fusion_points);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (least_of(all[i]) >= 0)
      all[i] = fused(all[i], singles_->distances(job, i), recipe.score.fusion);
  return all;
}

std::vector<RejectClip> FoldClassifier::job_evidence(const JobTask& task, int most) {
  const std::vector<std::vector<double>> matching =
      matched_distances(task.recipe, task.scale, task.job);
  if (most >= 0) prepare_singles(most);
  const std::vector<int>& test = jobs_.jobs()[static_cast<std::size_t>(task.job)].test;
  std::vector<std::vector<double>> fused(test.size());
  if (is_late(task.recipe, task.fold)) fused = late_distances(task);
  std::vector<RejectClip> result;
  result.reserve(test.size());
  for (std::size_t i = 0; i < test.size(); ++i) {
    result.push_back({labels_[static_cast<std::size_t>(test[i])], matching[i], {}, fused[i]});
    if (most < 0) continue;
    const std::span<const double> own = singles_->distances(task.job, i);
    result.back().singles.assign(own.begin(), own.end());
  }
  return result;
}

std::vector<RejectClip> FoldClassifier::inner_evidence(const TrainOptions& recipe, double scale,
                                                       std::size_t fold, int most) {
  std::vector<RejectClip> result;
  for (const int job : jobs_.inner(fold)) {
    std::vector<RejectClip> some = job_evidence({recipe, scale, fold, job}, most);
    std::ranges::move(some, std::back_inserter(result));
  }
  return result;
}

std::vector<std::int32_t> FoldClassifier::labels_of(
    const std::vector<std::vector<double>>& distances) {
  std::vector<std::int32_t> labels;
  labels.reserve(distances.size());
  for (const std::vector<double>& of_clip : distances) labels.push_back(least_of(of_clip));
  return labels;
}

int FoldClassifier::correct_inside(const TrainOptions& recipe, double scale, std::size_t fold) {
  int right = 0;
  for (const int job : jobs_.inner(fold)) {
    const std::vector<std::int32_t> found = labels_of(job_distances(recipe, scale, fold, job));
    const std::vector<int>& test = jobs_.jobs()[static_cast<std::size_t>(job)].test;
    for (std::size_t i = 0; i < test.size(); ++i)
      right += found[i] == labels_[static_cast<std::size_t>(test[i])] ? 1 : 0;
  }
  return right;
}

}  // namespace fovea::actions
