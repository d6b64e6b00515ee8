// Requests a stop of the run when the user interrupts it.
#pragma once
#include <stop_token>

namespace fovea::cli {

// After this call the first SIGINT or SIGTERM requests a stop, and the next one ends the program at
// once. Call it once, before any thread is started. A signal that the program's caller ignores
// stays ignored.
void stop_on_signals(const std::stop_source& stop);

}  // namespace fovea::cli
