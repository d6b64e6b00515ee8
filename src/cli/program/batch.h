// One verb over many inputs: where each result goes, and what happens when some fail.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The file that each input's result is written to.
//   A folder (it exists, ends in '/', or is a new name without an ending) is made where it is
//   missing. Its files have the names of the inputs and end in `extension` where one is given;
//   otherwise they end as their inputs do, and standard input and BMP end in .png. Inputs of one
//   name keep the folders they came from, below the folder that all inputs share.
//   A pattern such as "out/{}.png" names one file per input; {} stands for the input's name without
//   its ending.
//   Anything else is one file, for one input.
// Throws InvalidArgument where two results would share a file, and where a result would replace one
// of the inputs.
std::vector<std::string> output_paths(const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension = "");
// The same, but with --overwrite results may replace inputs.
std::vector<std::string> output_paths(const Context& context, const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension = "");

// Chooses the device once and reports it: a GPU that auto has found is noted, any other device only
// with --verbose.
Device settle_device(Context& context);

// The result of one input.
struct Outcome {
  std::string line;     // for people, such as the name of the file written
  std::string members;  // for programs: JSON members, such as "\"width\": 3"
};

// Calls work(i) for each input. A failing one is named on standard error and the others are still
// done. Prints each result as soon as it is there (as members of one JSON object with --json) and
// returns the exit status: done, kSomeFailed, interrupted, or the status of the first failure where
// nothing succeeded.
int run_batch(Context& context, const std::vector<std::string>& inputs,
              const std::function<Outcome(std::size_t)>& work);

}  // namespace fovea::cli
