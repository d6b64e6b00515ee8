// For every program but fovea-bench, which has verbs of its own in place of these.
#include "cli/beside/beside.h"

namespace fovea::cli {

std::vector<Command> bench_commands() { return named_commands("bench"); }

}  // namespace fovea::cli
