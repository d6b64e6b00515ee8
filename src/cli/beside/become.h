// Lets this process become another program, so that signals and the exit status are those of one.
#pragma once
#include <string>
#include <vector>

namespace fovea::cli {

// The first word is the program: a path, or a name that is looked for in PATH. Returns only where
// that fails, with the value of errno; this process is then as it was.
int become(std::vector<std::string> words);

}  // namespace fovea::cli
