// The paper's algorithm, step by step as it is printed, for fovea bench actions --paper: what each
// of its optimizations gains on one thread.
#pragma once
#include <fovea/actions/match.h>

namespace fovea::cli {

// Which of the paper's optimizations are used. The trellis is always pruned (section 3.2).
struct TrellisSteps {
  bool unary_table = true;  // appearance terms are computed once (section 3.3)
  bool bounds = true;       // bounds of the inner loop are computed once (section 3.4)
};

// Returns the least energy, infinite if there is no assignment. Dummies are not used.
double trellis_energy(const actions::Chain& model, const actions::Scene& scene,
                      const actions::MatchOptions& options, const TrellisSteps& steps);

}  // namespace fovea::cli
