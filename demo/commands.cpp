// The verb of fovea-demo.
#include "cli/beside/beside.h"
#include "demo/demo.h"

namespace fovea::cli {

std::vector<Command> demo_commands() { return {demo_command()}; }

}  // namespace fovea::cli
