// Rows of whole segmentations for fovea bench mesh.
#pragma once
#include <vector>

#include "cli/bench.h"

namespace fovea::cli {

// Both methods on a ball with limbs and bumps, of 5120 and 20480 faces, into six parts.
std::vector<BenchCase> mesh_segment_cases();

}  // namespace fovea::cli
