// Rows of bench scenes from pixels to features.
#pragma once
#include <vector>

#include "cli/bench.h"

namespace fovea::cli {

// Filters alone, and filters, words and histogram, of a photo; with `corpus` also of 1491 photos,
// which takes a CPU a minute a run.
std::vector<BenchCase> scenes_feature_cases(bool corpus);

}  // namespace fovea::cli
