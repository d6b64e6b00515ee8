#pragma once
#include <fovea/actions/evaluate.h>

#include <span>
#include <vector>

namespace fovea::actions {

// What is evaluated beside the recipe itself.
struct CurveOptions {
  std::vector<int> windows{};  // T; 0 is no limit
  int draws = 0;               // random draws of fewer training subjects; 0: none
};
FOVEA_API void describe(OptionVisitor& visit, CurveOptions& options);

// Accuracy and time with another window, or with fewer training subjects.
struct CurvePoint {
  int at = 0;  // the window T, or the number of subjects
  int correct = 0;
  int tested = 0;
  double seconds = 0;  // of matching; 0 where it is not measured
};
FOVEA_API void describe(FieldVisitor& visit, CurvePoint& point);

// Evaluates one recipe with each of the windows; 0 is no limit. The window of `options` does not
// count.
FOVEA_API std::vector<CurvePoint> window_curve(const Corpus& corpus, const PackedClips& points,
                                               std::span<const Fold> folds,
                                               std::span<const int> windows,
                                               const TrainOptions& options, const Exec& exec = {});

// Evaluates one recipe with 1, 2, 4, 6, ... of the training subjects of each fold, `draws` times
// with subjects that are drawn at random from the seed on. Throws InvalidArgument for fewer than
// one draw. The folds of all draws are evaluated together, so that each pair of clips is matched
// only once.
FOVEA_API std::vector<CurvePoint> subject_curve(const Corpus& corpus, const PackedClips& points,
                                                std::span<const Fold> folds, int draws,
                                                const TrainOptions& options, const Exec& exec = {});

}  // namespace fovea::actions
