// The seam between the twins of matching.
#pragma once
#include <fovea/actions/match.h>

#include <memory>
#include <span>
#include <vector>

#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

struct MatchFound {
  float energy = 0;               // infinite where there is no assignment
  std::vector<MatchedNode> path;  // then empty
};

// Keeps models where it computes. Scenes were checked and lie on the host.
class MatchEngine {
 public:
  virtual ~MatchEngine() = default;
  // One per model.
  virtual std::vector<MatchFound> match(const Scene& scene) = 0;
  // One row per scene and one column per model, on the host.
  virtual void scores(std::span<const Scene> scenes, ImageView<MatchScore> scores) = 0;
};

}  // namespace fovea::actions::detail

// Models were checked and stay the caller's; exec is resolved.
namespace fovea::actions::cpu {
std::unique_ptr<detail::MatchEngine> make_match_engine(std::span<const Chain> models,
                                                       const detail::MatchTerms& terms,
                                                       const Exec& exec);
}
namespace fovea::actions::cuda {
std::unique_ptr<detail::MatchEngine> make_match_engine(std::span<const Chain> models,
                                                       const detail::MatchTerms& terms,
                                                       const Exec& exec);
}
