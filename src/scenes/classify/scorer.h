// Scores histograms with a classifier that is prepared on a device.
#pragma once
#include <fovea/scenes/trained_classifier.h>

#include <memory>

#include "scenes/classify/backend.h"

namespace fovea::scenes {

class Scorer {
 public:
  // The classifier must outlive the scorer; the device of `exec` is resolved.
  Scorer(const TrainedClassifier& classifier, const Exec& exec);

  // One row of scores per row of features. Features lie on the scorer's device or in host memory,
  // scores in host memory.
  Image<float> scores(ImageView<const float> features);

 private:
  const TrainedClassifier& classifier_;
  std::unique_ptr<NeighborEngine> neighbors_{};  // one of the two, by the kind of the classifier
  std::unique_ptr<MarginEngine> margins_{};
};

// The functions of an svm or logistic classifier.
LinearFunctions linear_functions(const TrainedClassifier& classifier);

}  // namespace fovea::scenes
