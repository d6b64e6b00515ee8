// Which prototypes a training matches with which clips before it learns anything, so that their
// distances can also be measured elsewhere.
#pragma once
#include <span>
#include <vector>

#include "actions/train/train.h"

namespace fovea::actions {

// All prototypes and the clips from which reject levels are learned, or the candidates of floating
// selection and the clips with which they are selected. Prototypes are sorted by clip.
struct MatchPlan {
  std::vector<Prototype> prototypes;
  std::vector<int> clips;
};
// Throws InvalidArgument where a class has no prototype.
MatchPlan plan_matches(const Corpus& corpus, const ClipTask& task);

// Returns the clips from which reject levels and the reject rule are learned: all, or some.
std::vector<int> calibration_clips(std::size_t clips, std::size_t prototypes, std::uint64_t seed);

// The numbers from 0 up.
std::vector<int> first_numbers(std::size_t count);
std::vector<std::int32_t> labels_of(const Corpus& corpus);
// Options whose features have their scale, which is learned from all clips where it is 0.
TrainOptions with_learned_scale(const ClipSource& clips, const TrainOptions& options);

}  // namespace fovea::actions
