// Runs an operation whose inputs have one result: a single input, none or a pair, or a sequence of
// frames, from whose steps come numbered files, pictures and tables.
#pragma once
#include "cli/operations/job.h"

namespace fovea::cli {

int run_one(Job& job);

}  // namespace fovea::cli
