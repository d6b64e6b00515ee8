// The parts of fovea bench actions.
#pragma once
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

// Interest points of a video, with and without descriptors.
std::vector<BenchCase> points_bench_cases();

// Matching of models in scenes. Rows that would take minutes on a CPU are for GPUs alone.
std::vector<BenchCase> match_bench_cases(bool on_cpu);

}  // namespace fovea::cli
