// Runs one verb on many inputs: what is printed, and what happens when some fail.
#pragma once
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/output_paths.h"

namespace fovea::cli {

// Chooses the device once and reports it: a GPU that auto has found is noted, any other device is
// reported with --verbose only.
Device settle_device(Context& context);

// The result of one input.
struct Outcome {
  std::string line;     // for people, such as the name of the file written; may be empty
  std::string members;  // for programs: JSON members, such as "\"width\": 3"
  // Why the input ended early, such as a video that breaks off: it counts as failed, or as
  // interrupted where this is Cancelled, and `line` and `members` tell what was found before.
  std::exception_ptr fault{};
};

// Calls work(i) for each input. An input that fails is named on standard error, and the others are
// still processed. Prints each result as soon as it is ready (as members of one JSON object with
// --json) and returns the exit status: done, kSomeFailed, interrupted, or the status of the first
// failure where nothing succeeded.
int run_batch(Context& context, const std::vector<std::string>& inputs,
              const std::function<Outcome(std::size_t)>& work);

}  // namespace fovea::cli
