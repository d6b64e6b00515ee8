// The arithmetic of matching that both twins share. Every number of the trellis is a chain of
// single operations in the order written here, so that neither threads, lanes nor devices change a
// bit.
//
// Angles of triangles need no arctangent inside the recursion: if e1, e2, e3 are the differences of
// direction, model minus scene, of the sides (i-1, i), (i-2, i-1) and (i-2, i), then
//   Dg = |(wrap(e1 - e2), wrap(e1 - e3))|,
// and e1 - e2 is a number of the model's triple minus one of the scene's. Directions are measured
// in turns, so that wrapping subtracts a whole number.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>

namespace fovea::actions::detail {

// Returns the direction from (0, 0) to (x, y) in turns, -0.5 to 0.5; 0 if both are 0. The error is
// below 1e-9 before rounding to float. It is a polynomial, because atan2() rounds differently in
// different libraries.
FOVEA_HD inline float direction(float x, float y) {
  const double width = std::fabs(static_cast<double>(x)),
               height = std::fabs(static_cast<double>(y));
  const double longer = width > height ? width : height;
  if (!(longer > 0)) return 0;
  const double z = (width > height ? height : width) / longer, u = z * z;
  double sum = -0.0002775186635517457;
  sum = std::fma(sum, u, 0.0016998893277389016);
  sum = std::fma(sum, u, -0.0048888434408240755);
  sum = std::fma(sum, u, 0.00914560933797226);
  sum = std::fma(sum, u, -0.013324553645961856);
  sum = std::fma(sum, u, 0.017411867448506424);
  sum = std::fma(sum, u, -0.022697999477010622);
  sum = std::fma(sum, u, 0.031828172595275823);
  sum = std::fma(sum, u, -0.053051566468089145);
  sum = std::fma(sum, u, 0.1591549427013323);
  double turns = sum * z;
  if (height > width) turns = 0.25 - turns;
  if (x < 0) turns = 0.5 - turns;
  return static_cast<float>(y < 0 ? -turns : turns);
}

// The two numbers that represent the angles of a triple k, j, i (in the order of time).
struct Bends {
  float at_middle = 0;
  float at_last = 0;
};
FOVEA_HD inline Bends bends_of(float middle_to_last, float first_to_middle, float first_to_last) {
  return {middle_to_last - first_to_middle, middle_to_last - first_to_last};
}

FOVEA_HD inline float wrap(float turns) { return turns - std::rint(turns); }

// Returns Dg in turns.
FOVEA_HD inline float bend_distance(const Bends& model, const Bends& scene) {
  const float x = wrap(model.at_middle - scene.at_middle);
  const float y = wrap(model.at_last - scene.at_last);
  return std::sqrt(std::fma(y, y, x * x));
}

// Adds one number's part to the squared distance of two features; numbers are added in order.
FOVEA_HD inline float add_square(float a, float b, float sum) {
  const float difference = a - b;
  return std::fma(difference, difference, sum);
}
FOVEA_HD inline float appearance_cost(float weight, float squared_distance) {
  return weight * std::sqrt(squared_distance);
}

// Returns the cost of two neighbors; gaps are in frames.
FOVEA_HD inline float time_cost(float weight, float model_gap, float scene_gap) {
  return weight * std::fabs(model_gap - scene_gap);
}

// One step of the recursion. through() adds the triangle to the least energy of nodes 1 to i-1
// whose last two are (j, k), in which the time of that pair is already counted twice. arrive()
// gives the energy up to node i. go_on() adds the time of its last pair once more, which is the
// state that the next node continues from.
FOVEA_HD inline float through(float so_far, float angle_weight, float bend) {
  return std::fma(angle_weight, bend, so_far);
}
FOVEA_HD inline float arrive(float appearance, float time, float best) {
  return (appearance + time) + best;
}
FOVEA_HD inline float go_on(float energy, float time) { return energy + time; }

}  // namespace fovea::actions::detail
