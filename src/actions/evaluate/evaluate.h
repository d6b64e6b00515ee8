// What evaluation and baselines share.
#pragma once
#include <fovea/actions/evaluate.h>

#include <span>
#include <vector>

namespace fovea::actions {

// InvalidArgument where a fold has nothing to train on or to test with, or both at once.
void check_folds(std::span<const Fold> folds, std::size_t clips);

// Judged, fold by fold.
class Judge {
 public:
  Judge(std::string method, const Corpus& corpus);
  // What was told of each test clip of the next fold; -1: nothing.
  void add(const Fold& fold, std::span<const std::int32_t> told);
  void add_seconds(double seconds) { judged_.seconds += seconds; }
  Judged result() const;

 private:
  const Corpus& corpus_;
  Judged judged_;
};

double steady_seconds();

}  // namespace fovea::actions
