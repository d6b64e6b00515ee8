// fovea bench actions --cameras: how many cameras one core, or one GPU, serves.
#pragma once
#include "bench/bench.h"

namespace fovea::cli {

// Recognizes actions in drawn streets of two sizes with the shipped model and prints a table;
// returns the exit status.
int run_actions_cameras(const BenchOptions& options, Context& context);

}  // namespace fovea::cli
