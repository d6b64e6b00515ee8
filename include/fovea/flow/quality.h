#pragma once
#include <fovea/core/options_fwd.h>

#include <span>

namespace fovea::flow {

// How much time an estimation may take for a better field. A quality chooses the options that a
// method leaves open; docs/flow.md lists the errors and times that each one measured.
enum class Quality : unsigned char { kFast, kDefault, kBest };
FOVEA_API std::span<const Choice> choices(Quality);

}  // namespace fovea::flow
