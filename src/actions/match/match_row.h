// One row of the trellis: all lanes of a pair of scene nodes.
#pragma once
#include <cstdint>

#include "actions/match/match_group.h"
#include "actions/match/match_math.h"
#include "actions/match/match_terms.h"

namespace fovea::actions::cpu {

// A point that may be two nodes before.
struct RowCandidate {
  const float* states = nullptr;  // states of the pair (middle, this point)
  detail::Bends bends;            // of the triple
  std::int32_t who = 0;           // index, counted from the middle's oldest neighbor
};

struct RowWork {
  const LaneGroup* group = nullptr;
  const detail::MatchTerms* terms = nullptr;
  const RowCandidate* candidates = nullptr;
  int count = 0;
  const float* least = nullptr;  // least states of nodes without an angle, or null
  const std::int32_t* who = nullptr;
  const float* unary_last = nullptr;
  const float* unary_middle = nullptr;
  float gap = 0;  // frames from the middle to the last
  float* states = nullptr;
  float* energies = nullptr;
  std::uint16_t* back = nullptr;
};
void make_row(const RowWork& work);

// Computes the least of several rows and the owner of each minimum: takes a row where it is not
// greater. Callers pass rows from the last node to the first, so that the first of equals wins.
void take_not_greater(const float* row, std::int32_t who, int lanes, float* least,
                      std::int32_t* whose);

}  // namespace fovea::actions::cpu
