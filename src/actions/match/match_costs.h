// Divides the energy of an assignment into its parts.
#pragma once
#include <fovea/actions/match.h>

#include <span>

#include "actions/match/match_math.h"
#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// What one node adds to the energy. These numbers are in double: they are only reported and never
// compared.
struct NodeParts {
  double appearance = 0, dummy = 0, time = 0, angles = 0;
};
NodeParts node_parts(const Chain& chain, const Scene& scene, std::span<const MatchedNode> path,
                     int node, const MatchTerms& terms);

// Fills the parts of a match from its path, and its number of dummies.
void set_parts(const Chain& chain, const Scene& scene, const MatchTerms& terms, Match& match);

// Returns the numbers that represent the angles of three nodes in the order of time.
Bends node_bends(const Node& first, const Node& middle, const Node& last);

}  // namespace fovea::actions::detail
