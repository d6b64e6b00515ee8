// Matching of frames with several points, assigned greedily.
#pragma once
#include <fovea/actions/match.h>

#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// Model and scene were checked.
MatchScore match_greedily(const FrameModel& model, const Scene& scene, const MatchTerms& terms,
                          const Exec& exec);

}  // namespace fovea::actions::detail
