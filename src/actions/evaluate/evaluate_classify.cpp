// Classifies whole clips with a trained model.
#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actions/evaluate/nearest.h"
#include "actions/evaluate/score.h"
#include "actions/match/features.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

class ClipClassifier {
 public:
  ClipClassifier(const Model& model, std::span<const PointSet> clips, const Exec& exec)
      : model_(model), clips_(clips), exec_(exec), all_(model.prototypes.size()) {
    std::iota(all_.begin(), all_.end(), 0);
    std::vector<Scene> scenes;
    for (const PointSet& clip : clips)
      scenes.push_back(make_scene(clip, model.scene_points, model.features));
    table_ =
        match_all(model.chains(), model.prototypes, scenes, {model.match, model.cut.variant, exec});
    if (model.score.symmetric) match_backwards();
    if (model.score.fusion > 0) match_singles();
  }

  ClipClass classify(int clip) const {
    const std::span<const float> row = row_of(table_.values(model_.score.score), clip);
    ClassDistances classes =
        nearest_prototypes(row, all_, model_.prototypes, count(), model_.score.best);
    if (model_.score.symmetric) classes.distances = symmetric(row, clip);
    ClipClass result;
    result.distances = std::move(classes.distances);
    if (model_.score.fusion > 0 && least_of(result.distances) >= 0)
      result.distances = fused(result.distances, singles(clip), model_.score.fusion);
    result.nearest = least_of(result.distances);
    if (result.nearest < 0) return result;
    const auto nearest = static_cast<std::size_t>(result.nearest);
    result.margin = margin_of(result.distances);
    result.distance = static_cast<double>(classes.nearest[nearest]);
    result.prototype = classes.prototypes[nearest];
    if (result.prototype >= 0 &&
        classes.nearest[nearest] <=
            model_.prototypes[static_cast<std::size_t>(result.prototype)].reject)
      result.label = result.nearest;
    return result;
  }

 private:
  int count() const { return static_cast<int>(model_.classes.size()); }

  // Searches for prototypes of the new clips in the model's clips.
  void match_backwards() {
    std::vector<Chain> chains;
    std::vector<Prototype> prototypes;
    for (std::size_t clip = 0; clip < clips_.size(); ++clip) {
      const PointSet salient = most_salient(clips_[clip], model_.cut.points);
      for (const Prototype& prototype :
           cut_prototypes(salient, 0, static_cast<std::int32_t>(clip), model_.cut)) {
        chains.push_back(make_chain(salient, prototype, model_.features));
        prototypes.push_back(prototype);
      }
    }
    std::vector<Scene> scenes;
    for (const PointSet& clip : model_.clips)
      scenes.push_back(make_scene(clip, model_.scene_points, model_.features));
    own_columns_ = columns_by_clip(prototypes, static_cast<int>(clips_.size()));
    backwards_ =
        match_all(chains, std::move(prototypes), scenes, {model_.match, model_.cut.variant, exec_});
    clip_labels_.assign(model_.clips.size(), 0);
    for (const Prototype& prototype : model_.prototypes)
      clip_labels_[static_cast<std::size_t>(prototype.clip)] = prototype.label;
    model_columns_ = columns_by_clip(model_.prototypes, static_cast<int>(model_.clips.size()));
  }

  std::vector<double> symmetric(std::span<const float> row, int clip) const {
    std::vector<double> distances;
    for (std::size_t other = 0; other < model_.clips.size(); ++other)
      distances.push_back(symmetric_distance(
          clip_distance(row, model_columns_[other]),
          clip_distance(row_of(backwards_.values(model_.score.score), static_cast<int>(other)),
                        own_columns_[static_cast<std::size_t>(clip)])));
    return nearest_clips(distances, clip_labels_, count(), model_.score.best);
  }

  void match_singles() {
    std::vector<Image<float>> groups;
    for (int label = 0; label < count(); ++label) {
      std::vector<int> which;
      for (std::size_t i = 0; i < model_.descriptor_labels.size(); ++i)
        if (model_.descriptor_labels[i] == label) which.push_back(static_cast<int>(i));
      Image<float> rows(kHofSize, static_cast<int>(which.size()));
      for (std::size_t i = 0; i < which.size(); ++i)
        std::copy_n(model_.descriptors.row(which[i]), kHofSize, rows.row(static_cast<int>(i)));
      groups.push_back(with_mirrored_hof(rows));
    }
    std::vector<Image<float>> rows;
    single_rows_ = {0};
    for (const PointSet& clip : clips_) {
      rows.push_back(fusion_rows(clip, 0));
      single_rows_.push_back(single_rows_.back() + rows.back().height());
    }
    singles_ = NearestRows(std::move(groups), exec_).find(stacked(rows, kHofSize));
  }

  std::vector<double> singles(int clip) const {
    std::vector<std::int32_t> labels(static_cast<std::size_t>(count()));
    std::iota(labels.begin(), labels.end(), 0);
    const auto at = static_cast<std::size_t>(clip);
    return single_distances(singles_, single_rows_[at], single_rows_[at + 1], labels, count());
  }

  const Model& model_;
  std::span<const PointSet> clips_;
  const Exec& exec_;
  std::vector<int> all_;
  ScoreTable table_, backwards_;
  std::vector<ClipColumns> model_columns_, own_columns_;
  std::vector<std::int32_t> clip_labels_;
  Image<float> singles_;
  std::vector<int> single_rows_;
};

}  // namespace

std::vector<ClipClass> classify_clips(const Model& model, std::span<const PointSet> clips,
                                      const Exec& exec) {
  if (model.prototypes.empty())
    throw InvalidArgument("classify_clips: the model has no prototypes; train it first");
  const ClipClassifier classifier(model, clips, exec);
  std::vector<ClipClass> result;
  for (std::size_t i = 0; i < clips.size(); ++i)
    result.push_back(classifier.classify(static_cast<int>(i)));
  return result;
}

}  // namespace fovea::actions
