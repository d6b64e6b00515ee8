// For every program but fovea-demo, which has verbs of its own in place of these.
#include "cli/beside/beside.h"

namespace fovea::cli {

std::vector<Command> demo_commands() { return named_commands("demo"); }

}  // namespace fovea::cli
