// Folds and their results, as evaluation and baselines share them.
#pragma once
#include <fovea/actions/evaluate.h>

#include <span>
#include <vector>

#include "actions/train/clip_source.h"

namespace fovea::actions {

// Throws InvalidArgument if a fold has no clips to train on or to test with, or uses a clip for
// both.
void check_folds(std::span<const Fold> folds, std::size_t clips);

// Gathers the results of a method, fold by fold.
class MethodScorer {
 public:
  MethodScorer(std::string method, const Corpus& corpus);
  // Adds the label of each test clip of the next fold; -1 means none.
  void add(const Fold& fold, std::span<const std::int32_t> labels);
  void add_seconds(double seconds) { report_.seconds += seconds; }
  MethodReport result() const;

 private:
  const Corpus& corpus_;
  MethodReport report_;
};

MethodReport source_baseline(Baseline baseline, const Corpus& corpus, const ClipSource& clips,
                             std::span<const Fold> folds, const Exec& exec);

double steady_seconds();

}  // namespace fovea::actions
