// One verb over many inputs: where each result goes, and what happens when some fail.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The file that each input's result is written to. One input: `output` itself, or inside it where
// it is a folder or ends in '/'. Several: `output` is a folder, made where it is missing, whose
// files have the inputs' names, or a pattern such as "out/{}.png", where {} stands for the input's
// name without its ending. In a folder files end in `extension` where one is given, else as their
// inputs do, standard input in .png. Throws InvalidArgument where two results would share a file.
std::vector<std::string> output_paths(const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension = "");

// The device work goes to, settled once and said: with auto a GPU is noted, with --verbose any.
Device settle_device(Context& context);

// What one input came to.
struct Outcome {
  std::string line;     // for people, such as the name of the file written; empty: nothing
  std::string members;  // for programs: JSON members, such as "\"width\": 3"
};

// Calls work(i) for each input. A failing one is named on standard error and the others are still
// done. Prints the results (as one JSON object with --json) and returns the exit status: done,
// kSomeFailed, interrupted, or what the failure stands for where nothing succeeded.
int run_batch(Context& context, const std::vector<std::string>& inputs,
              const std::function<Outcome(std::size_t)>& work);

}  // namespace fovea::cli
