// Matches frames with several points, which are assigned greedily.
#pragma once
#include <fovea/actions/match.h>

#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// The model and the scene have been checked.
MatchScore match_greedily(const FrameModel& model, const Scene& scene, const MatchTerms& terms,
                          const Exec& exec);

}  // namespace fovea::actions::detail
