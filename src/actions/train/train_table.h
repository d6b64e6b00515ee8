// Matches every prototype with every clip once, for selection, reject levels and evaluation.
#pragma once
#include <fovea/actions/train.h>

#include <optional>
#include <span>
#include <vector>

namespace fovea::actions {

// Returns the prototypes of one clip. Its nodes are the frames that have points.
std::vector<Prototype> cut_prototypes(const PointSet& salient, std::int32_t label,
                                      std::int32_t clip, const CutOptions& options);

// Distances per node, infinite if there is no match: one row per clip, one column per prototype.
struct ScoreTable {
  std::vector<Prototype> prototypes;
  Image<float> energy;
  Image<float> appearance;

  ImageView<const float> values(Score score) const {
    return score == Score::kEnergy ? energy.view() : appearance.view();
  }
};
// The same for some of the clips and prototypes.
struct ScorePair {
  Image<float> energy;
  Image<float> appearance;
};

// Prototypes, chains or models with several points per frame, that are searched for in many scenes.
class ChainTable {
 public:
  ChainTable(std::span<const FrameModel> chains, const MatchOptions& options, const Exec& exec,
             Variant variant = Variant::kSingle);
  // One row per scene, one column per chain.
  ScorePair find(std::span<const Scene> scenes) const;

 private:
  std::vector<int> nodes_;
  std::optional<FrameMatcher> matcher_;  // none if there are no chains
};
ScoreTable match_all(std::span<const Chain> chains, std::vector<Prototype> prototypes,
                     std::span<const Scene> scenes, const MatchOptions& options, const Exec& exec);

// Returns one row of a table.
inline std::span<const float> row_of(ImageView<const float> table, int row) {
  return {table.row(row), static_cast<std::size_t>(table.width)};
}

// Sets each prototype's level to a fraction of its mean distance to clips of other classes. The
// fraction is the same for all of them and is chosen so that `share` of the clips whose nearest
// prototype is of their own class would be lost. Prototypes and clips of the same subject are not
// compared.
struct RejectTask {
  ImageView<const float> distances{};           // one row per clip, one column per prototype
  std::span<const std::int32_t> clip_labels{};  // by row
  std::span<const int> clip_subjects{};         // by row
  std::span<const int> prototype_subjects{};    // by column
  double share = 0.05;
};
void set_reject_levels(const RejectTask& task, std::span<Prototype> prototypes);

}  // namespace fovea::actions
