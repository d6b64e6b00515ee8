// The parts of fovea bench actions.
#pragma once
#include <vector>

#include "cli/bench.h"

namespace fovea::cli {

// Matching of models in scenes. Rows that would take minutes on a CPU are for GPUs alone.
std::vector<BenchCase> match_bench_cases(bool on_cpu);

}  // namespace fovea::cli
