// Runs an operation over inputs that are units of work: images, meshes, and videos whose frames are
// images, several at a time.
#pragma once
#include "cli/operations/job.h"

namespace fovea::cli {

int run_inputs(Job& job);

}  // namespace fovea::cli
