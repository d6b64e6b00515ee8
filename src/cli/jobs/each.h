// Verbs that work on one input, such as a video or a mesh, over many inputs: one run after the
// other, each with files of its own.
#pragma once
#include <span>
#include <string>

#include "cli/program/parser.h"

namespace fovea::cli {

// Whether the command line asks for a manifest of ranges of the frames of one sequence.
bool cuts_frames(const Invocation& invocation);

// Whether the command line asks for one run per input. Throws InvalidArgument where it asks for a
// manifest of inputs that are one sequence.
bool runs_each(const Invocation& invocation);

// Runs the command once for every input; `words` are those behind the verb. Where there are several
// inputs, the names of output files are patterns in which {} stands for the name of the input.
int run_each(const Invocation& invocation, std::span<const std::string> words, Context& context);

}  // namespace fovea::cli
