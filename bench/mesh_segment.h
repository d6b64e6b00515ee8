// Rows of fovea bench mesh that segment whole meshes.
#pragma once
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

// Segments an artificial body of about this many faces, by every method, into a number of parts
// that the method chooses.
std::vector<BenchCase> mesh_segment_cases(int faces);

}  // namespace fovea::cli
