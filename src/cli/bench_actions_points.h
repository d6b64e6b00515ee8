// The rows of interest points of fovea bench actions.
#pragma once
#include <vector>

#include "cli/bench.h"

namespace fovea::cli {

std::vector<BenchCase> points_bench_cases();

}  // namespace fovea::cli
