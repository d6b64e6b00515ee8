// Cases of fovea bench scenes that classify feature vectors.
#pragma once
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

struct ClassifierCase {
  std::string stage;  // its name among the stages
  BenchCase work;
};
// One case per classifier: so many histograms of 500 words are scored by a classifier that was
// trained on 1193. Samples and weights are prepared once; histograms lie in the memory of the
// device, scores in host memory.
std::vector<ClassifierCase> scenes_classifier_cases(int tested);

}  // namespace fovea::cli
