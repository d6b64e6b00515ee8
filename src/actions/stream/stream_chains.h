// The checks of chains for a stream.
#pragma once
#include "actions/stream/stream_engine.h"

namespace fovea::actions::detail {

// Throws InvalidArgument as StreamMatcher does. The chains still belong to the caller.
StreamChains stream_chains(std::span<const Chain> chains, const MatchOptions& options);

}  // namespace fovea::actions::detail
