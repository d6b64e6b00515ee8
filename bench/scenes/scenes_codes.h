// Rows of fovea bench scenes: a photo's features by each coding of gradient words.
#pragma once
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

std::vector<BenchCase> scenes_code_cases();

}  // namespace fovea::cli
