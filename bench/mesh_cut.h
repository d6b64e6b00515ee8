// Rows of fovea bench mesh that find minimum cuts.
#pragma once
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

// Cuts a graph between the nodes near to its node 0 and those far from it, through a band of eight
// tenths of all nodes; once, and sixteen times with different capacities in one call.
std::vector<BenchCase> mesh_cut_cases(const Graph& graph);

}  // namespace fovea::cli
