// Runs operations as verbs of the program: inputs, batches, videos, shards, output files, JSON and
// explanations are the same for all of them.
#pragma once
#include "cli/program/command.h"
#include "operations/operation.h"

namespace fovea::cli {

Command command_of(const operations::Operation& operation);

}  // namespace fovea::cli
