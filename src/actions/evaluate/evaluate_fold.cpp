#include "actions/evaluate/evaluate_fold.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>

#include "actions/evaluate/evaluate.h"
#include "actions/evaluate/nearest.h"
#include "actions/match/features.h"
#include "actions/train/train.h"

namespace fovea::actions {

FoldClassifier::FoldClassifier(const Corpus& corpus, std::span<const PointSet> points,
                               const Exec& exec)
    : points_(points),
      exec_(exec),
      subjects_(subject_numbers(corpus)),
      classes_(static_cast<int>(corpus.classes.size())) {
  for (const Clip& clip : corpus.clips) labels_.push_back(clip.label);
}

double FoldClassifier::scale_of(const TrainOptions& recipe, std::span<const int> train) const {
  if (recipe.features.scale > 0) return recipe.features.scale;
  return choose_scale(points_, train, recipe.scene_points, recipe.features, exec_.seed);
}

FoldClassifier::Table FoldClassifier::make_table(const TrainOptions& recipe, double scale) {
  if (salient_.empty()) salient_ = salient_points(points_);
  FeatureOptions features = recipe.features;
  features.scale = scale;
  std::vector<Prototype> prototypes;
  std::vector<Chain> chains;
  std::vector<Scene> scenes;
  for (std::size_t clip = 0; clip < points_.size(); ++clip) {
    for (const Prototype& prototype : cut_prototypes(salient_[clip], labels_[clip],
                                                     static_cast<std::int32_t>(clip), recipe.cut)) {
      chains.push_back(make_chain(salient_[clip], prototype, features));
      prototypes.push_back(prototype);
    }
    scenes.push_back(clip_scene(points_[clip], recipe.scene_points, features));
  }
  Table table;
  table.scores = match_all(chains, std::move(prototypes), scenes, recipe.match, exec_);
  table.columns = columns_by_clip(table.scores.prototypes, static_cast<int>(points_.size()));
  return table;
}

const FoldClassifier::Table& FoldClassifier::table_of(const TrainOptions& recipe, double scale) {
  FeatureOptions features = recipe.features;
  features.scale = scale;
  const std::string key = options_json(features) + options_json(recipe.cut) +
                          options_json(recipe.match) + std::to_string(recipe.scene_points);
  const auto known = tables_.find(key);
  if (known != tables_.end()) return known->second;
  const double start = steady_seconds();
  Table& made = tables_[key] = make_table(recipe, scale);
  made.seconds = steady_seconds() - start;
  return made;
}

std::vector<int> FoldClassifier::columns_of(const Table& table, const TrainOptions& recipe,
                                            std::span<const int> train) {
  if (recipe.selection == Selection::kFloating)
    return select_columns(table.scores,
                          selection_parts(train, subjects_, recipe.validation, exec_.seed), labels_,
                          recipe, exec_);
  std::vector<int> columns;
  for (const int clip : train) {
    const ClipColumns& own = table.columns[static_cast<std::size_t>(clip)];
    columns.insert(columns.end(), own.plain.begin(), own.plain.end());
    columns.insert(columns.end(), own.mirrored.begin(), own.mirrored.end());
  }
  return columns;
}

// A model keeps one point per frame of its training clips, in which the prototypes of a new clip
// are searched for, and no clip without prototypes.
FoldClassifier::SymmetricDistances FoldClassifier::symmetric_of(const Table& table,
                                                                const TrainOptions& recipe,
                                                                double scale,
                                                                std::span<const int> train,
                                                                int clip) {
  TrainOptions one = recipe;
  one.scene_points = 1;
  const ImageView<const float> forward = table.scores.values(recipe.score.score);
  const ImageView<const float> backward = table_of(one, scale).scores.values(recipe.score.score);
  const ClipColumns& own = table.columns[static_cast<std::size_t>(clip)];
  SymmetricDistances result;
  for (const int other : train) {
    const ClipColumns& columns = table.columns[static_cast<std::size_t>(other)];
    if (columns.plain.empty()) continue;
    result.distances.push_back(symmetric_distance(clip_distance(row_of(forward, clip), columns),
                                                  clip_distance(row_of(backward, other), own)));
    result.labels.push_back(labels_[static_cast<std::size_t>(other)]);
  }
  return result;
}

void FoldClassifier::prepare_singles(int most) {
  if (single_points_ == most) return;
  if (single_points_ >= 0)
    throw InvalidArgument(fmt::format("recipes with {} and {} points for fusion; expected one",
                                      single_points_, most));
  single_points_ = most;
  std::vector<Image<float>> groups, rows;
  single_rows_ = {0};
  for (const PointSet& set : points_) {
    groups.push_back(with_mirrored_hof(fusion_rows(set, most)));
    rows.push_back(fusion_rows(set, 0));
    single_rows_.push_back(single_rows_.back() + rows.back().height());
  }
  singles_ = NearestRows(std::move(groups), exec_).find(stacked(rows, kHofSize));
}

std::vector<double> FoldClassifier::singles_of(std::span<const int> train, int clip) const {
  std::vector<std::int32_t> labels(points_.size(), -1);
  for (const int other : train)
    labels[static_cast<std::size_t>(other)] = labels_[static_cast<std::size_t>(other)];
  const auto at = static_cast<std::size_t>(clip);
  return single_distances(singles_, single_rows_[at], single_rows_[at + 1], labels, classes_);
}

std::vector<std::vector<double>> FoldClassifier::distances(const TrainOptions& recipe, double scale,
                                                           std::span<const int> train,
                                                           std::span<const int> test) {
  const Table& table = table_of(recipe, scale);
  const std::vector<int> columns = columns_of(table, recipe, train);
  if (recipe.score.fusion > 0) prepare_singles(recipe.fusion_points);
  std::vector<std::vector<double>> result;
  result.reserve(test.size());
  for (const int clip : test) {
    SymmetricDistances clips;
    if (recipe.score.symmetric) clips = symmetric_of(table, recipe, scale, train, clip);
    std::vector<double> singles;
    if (recipe.score.fusion > 0) singles = singles_of(train, clip);
    result.push_back(class_distances({.row = row_of(table.scores.values(recipe.score.score), clip),
                                      .columns = columns,
                                      .prototypes = table.scores.prototypes,
                                      .clips = clips.distances,
                                      .clip_labels = clips.labels,
                                      .singles = singles},
                                     recipe.score, classes_)
                         .distances);
  }
  return result;
}

std::vector<std::int32_t> FoldClassifier::classify(const TrainOptions& recipe, double scale,
                                                   std::span<const int> train,
                                                   std::span<const int> test) {
  std::vector<std::int32_t> labels;
  labels.reserve(test.size());
  for (const std::vector<double>& of_clip : distances(recipe, scale, train, test))
    labels.push_back(least_of(of_clip));
  return labels;
}

int FoldClassifier::correct_inside(const TrainOptions& recipe, double scale,
                                   std::span<const int> train) {
  std::vector<int> names;
  for (const int clip : train) names.push_back(subjects_[static_cast<std::size_t>(clip)]);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  int right = 0;
  for (const int left_out : names) {
    std::vector<int> inner, test;
    for (const int clip : train)
      (subjects_[static_cast<std::size_t>(clip)] == left_out ? test : inner).push_back(clip);
    if (inner.empty()) continue;
    const std::vector<std::int32_t> found = classify(recipe, scale, inner, test);
    for (std::size_t i = 0; i < test.size(); ++i)
      right += found[i] == labels_[static_cast<std::size_t>(test[i])] ? 1 : 0;
  }
  return right;
}

}  // namespace fovea::actions
