// What training learns from clips of people who are left out in turn: the weights of late fusion,
// and the rule that rejects whole clips.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "actions/train/train.h"

namespace fovea::actions {

// Whether a fold or a model with these options fuses matching, single descriptors and words.
bool fuses_late(const TrainOptions& options);
// Returns how many points of a clip keep their single descriptors (0: all); -1: none.
int kept_points(const TrainOptions& options);
// Whether one of the labels of groups, which are those that a job trains on, is this one.
bool has_label(std::span<const std::int32_t> group_labels, std::int32_t label);

// Prototypes and their distances to some of the clips, one row per clip.
struct CalibrationTask {
  const Corpus& corpus;
  ClipTask clips;
  std::span<const Prototype> prototypes;
  std::span<const int> which;  // the clips of the rows, in rising order
  ImageView<const float> scores;
  const TrainDistances* known = nullptr;  // where single descriptors were compared before
};
struct Calibration {
  std::optional<RejectRule> rule{};
  std::optional<LateFusion> fusion{};
  int points = -1;  // of a clip whose single descriptors were compared, see kept_points()
};
// There are two subjects or more. Without late fusion, also if words cannot be trained, the rule is
// that of a training that does not ask for it.
Calibration calibrate(const CalibrationTask& task);

}  // namespace fovea::actions
