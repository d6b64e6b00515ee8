// One row of the trellis: all lanes of a pair of scene nodes.
#pragma once
#include <cstdint>

#include "actions/match/match_group.h"
#include "actions/match/match_math.h"
#include "actions/match/match_terms.h"

namespace fovea::actions::cpu {

// A point that may come two before.
struct Candidate {
  const float* states = nullptr;  // of the pair (middle, this)
  detail::Bends bends;            // of the triple
  std::int32_t who = 0;           // counted from the middle's oldest neighbor
};

struct RowWork {
  const LaneGroup* group = nullptr;
  const detail::MatchTerms* terms = nullptr;
  const Candidate* candidates = nullptr;
  int count = 0;
  const float* least = nullptr;  // of those without an angle, or null
  const std::int32_t* who = nullptr;
  const float* unary_last = nullptr;
  const float* unary_middle = nullptr;
  float gap = 0;  // frames from the middle to the last
  float* states = nullptr;
  float* energies = nullptr;
  std::uint16_t* back = nullptr;
};
void make_row(const RowWork& work);

// The least of rows, who being the first of equals: takes a row in where it is not greater.
void take_not_greater(const float* row, std::int32_t who, int lanes, float* least,
                      std::int32_t* whose);

}  // namespace fovea::actions::cpu
