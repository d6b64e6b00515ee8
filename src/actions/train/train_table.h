// Every prototype against every clip, once: what selection, reject levels and evaluation are made
// from.
#pragma once
#include <fovea/actions/train.h>

#include <span>
#include <vector>

namespace fovea::actions {

// The prototypes of one clip, whose points are one a frame at most.
std::vector<Prototype> cut_prototypes(const PointSet& salient, std::int32_t label,
                                      std::int32_t clip, const CutOptions& options);

// Distances per node, infinite where there is no match: one row per clip, one column per prototype.
struct ScoreTable {
  std::vector<Prototype> prototypes;
  Image<float> energy;
  Image<float> appearance;

  ImageView<const float> values(Score score) const {
    return score == Score::kEnergy ? energy.view() : appearance.view();
  }
};
ScoreTable match_all(std::span<const Chain> chains, std::vector<Prototype> prototypes,
                     std::span<const Scene> scenes, const MatchOptions& options, const Exec& exec);

// One row of a table.
inline std::span<const float> row_of(ImageView<const float> table, int row) {
  return {table.row(row), static_cast<std::size_t>(table.width)};
}

// Sets each prototype's level to a part of its mean distance to clips of other classes: the same
// part for all of them, so great that `share` of the clips whose nearest prototype is of their own
// class would be lost. Prototypes and clips of one subject do not meet.
struct RejectTask {
  ImageView<const float> distances{};           // one row per clip, one column per prototype
  std::span<const std::int32_t> clip_labels{};  // by row
  std::span<const int> clip_subjects{};         // by row
  std::span<const int> prototype_subjects{};    // by column
  double share = 0.05;
};
void set_reject_levels(const RejectTask& task, std::span<Prototype> prototypes);

}  // namespace fovea::actions
