// How far a window came, from its score: the inverses of cascade::rejected_score() and of
// rejected_score() of trees.
#pragma once
#include <algorithm>
#include <cmath>

#include "people/cascade/cascade_math.h"
#include "people/trees/scan_trees.h"

namespace fovea::people {

// Of the stages of a cascade, those that let the window pass.
inline int stages_passed(int stages, float score) {
  if (score >= -cascade::kScoreLimit) return stages;
  const double left = std::floor(cascade::kBestRejected - static_cast<double>(score));
  return stages - static_cast<int>(std::clamp(left, 1.0, static_cast<double>(stages)));
}

// Of the trees of a model, those that did not reject the window.
inline int trees_passed(int trees, float score) {
  if (score > rejected_score(trees)) return trees;
  const auto passed = static_cast<int>(std::lround(score - rejected_score(0)));
  return std::clamp(passed, 0, trees - 1);
}

}  // namespace fovea::people
