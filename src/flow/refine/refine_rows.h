// What the loops over a row of the variational refinement read and write.
#pragma once
#include <array>

#include "flow/refine/refine_math.h"

namespace fovea::flow::cpu {

// Where the pixels of a row land in the second image.
struct Landings {
  const float* u;
  const float* v;
  int y;
};

// A row of a field and the next one.
struct FlowRows {
  const float* u;
  const float* v;
  const float* u_below;
  const float* v_below;
};
// Two rows of smoothness and of gray levels.
struct RowPair {
  const float* smooth;
  const float* smooth_there;
  const float* gray;
  const float* gray_there;
};
// What the systems of a row are made of. Rows of `dx`, `dy` and `difference` are those from two
// above to two below.
struct SystemInput {
  std::array<const float*, 5> dx, dy, difference;
  const float *valid, *u0, *v0, *u, *v;
  const float *right, *down, *up;  // smoothness towards neighbors
};
// Their results.
struct SystemOutput {
  float *cross, *want_u, *want_v, *inverse_u, *inverse_v;
};
// What a row of the weighted median reads: the rows around it, from kMendRadius above on.
struct MendRows {
  std::array<const float*, refine::kMendSide> u, v, gray, weight;
};

// One color of a row. `left` points to the left neighbors among the other color, whose right
// neighbors follow one element later.
struct RelaxRow {
  float *u, *v;
  const float *cross, *want_u, *want_v, *inverse_u, *inverse_v;
  const float *weight_left, *weight_right, *weight_up, *weight_down;
  const float *u_left, *u_up, *u_down, *v_left, *v_up, *v_down;
};

}  // namespace fovea::flow::cpu
