// Runs an operation over a sequence whose units are ranges of frames: shards work on some of them,
// and whoever sees all of them joins their pictures and writes what frames share.
#pragma once
#include "cli/operations/job.h"

namespace fovea::cli {

int run_ranges(Job& job);

}  // namespace fovea::cli
