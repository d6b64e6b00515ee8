// The interface that both twins of matching implement.
#pragma once
#include <fovea/actions/match.h>

#include <memory>
#include <span>
#include <vector>

#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

struct MatchFound {
  float energy = 0;               // infinite if there is no assignment
  std::vector<MatchedNode> path;  // empty if there is no assignment
};

// Keeps models in the memory of its device. Scenes have been checked and are in host memory.
class MatchEngine {
 public:
  virtual ~MatchEngine() = default;
  // Returns one result per model.
  virtual std::vector<MatchFound> match(const Scene& scene) = 0;
  // Writes one row per scene and one column per model, in host memory.
  virtual void scores(std::span<const Scene> scenes, ImageView<MatchScore> scores) = 0;
};

}  // namespace fovea::actions::detail

// Models have been checked and still belong to the caller; exec is resolved.
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
