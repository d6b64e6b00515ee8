// Rows of fovea bench mesh that cut whole meshes.
#pragma once
#include <vector>

#include "cli/bench/bench.h"

namespace fovea::cli {

// A made-up body of about so many faces, by every method, into a number of parts that is chosen.
std::vector<BenchCase> mesh_segment_cases(int faces);

}  // namespace fovea::cli
