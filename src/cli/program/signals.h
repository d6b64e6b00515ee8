// Asks a run to stop when the user does.
#pragma once
#include <stop_token>

namespace fovea::cli {

// From here on the first SIGINT or SIGTERM requests a stop, and the next one ends the program at
// once. Call it once, before any thread is started; a signal that the caller of the program ignores
// stays ignored.
void stop_on_signals(const std::stop_source& stop);

}  // namespace fovea::cli
