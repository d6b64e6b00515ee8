// Bounds of the difference between scores on tensor cores (nearest_layout.h) and those of the fma
// chain in single precision. It is tested on the host.
#pragma once
#include <cmath>
#include <limits>

#include "ops/kmeans/nearest_layout.h"

namespace fovea::detail::nearest {

// The greatest loss of numbers whose float16 is subnormal, as a length: half of 2^-24 each.
FOVEA_HD inline float subnormal_loss(int dimensions) {
  return std::sqrt(static_cast<float>(dimensions)) * 0x1p-25F;
}

// Each member is the maximum over all centers, and 0 where there are none.
struct CenterBounds {
  float length;
  float loss;   // length of the difference between a center and its rounded numbers
  float share;  // of its length, which a center loses at most beside subnormal_loss()
};

// A center on its own. The half of its squared length is that of its rounded numbers.
struct CenterSize {
  float half;
  CenterBounds bounds;
};
FOVEA_HD inline CenterSize measure_center(const float* center, const float* origin, float scale,
                                          int dimensions) {
  double rounded_square = 0, square = 0, loss_square = 0;
  for (int i = 0; i < dimensions; ++i) {
    const float number = move(center[i], origin[i], scale);
    const double rounded = io::half_to_float(io::float_to_half(number)), loss = number - rounded;
    rounded_square = std::fma(rounded, rounded, rounded_square);
    square = std::fma(static_cast<double>(number), static_cast<double>(number), square);
    loss_square = std::fma(loss, loss, loss_square);
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (!(loss_square < 1e30)) return {kFarHalf, {kInfinity, kInfinity, kInfinity}};
  const auto length = static_cast<float>(std::sqrt(square)),
             loss = static_cast<float>(std::sqrt(loss_square));
  const float proportional = loss - subnormal_loss(dimensions);
  return {static_cast<float>(rounded_square / 2),
          {length, loss, proportional > 0 ? proportional / length : 0.0F}};
}

// What the error of a score depends on.
struct MarginSource {
  float square;       // squared length of the rounded point
  float loss_square;  // and of what the point lost
  CenterBounds centers;
  Frame frame;
  int dimensions;
};

// Two centers, one of which scores `score` on tensor cores, while the fma chain scores the other
// one no higher. `width` is the most by which the other one's score on tensor cores may be higher,
// and `distance` the greatest distance of either center from the point.
struct Margin {
  float width, distance;
};

// With lengths of moved points and centers, and u = 2^-24:
//   The score of a center is half its squared length minus its product with the point. Plus half
//   the squared length of the point, it is half the squared distance of the two. On tensor cores
//   that is the distance of the rounded point from the rounded center, E. It differs from the
//   distance D before rounding by at most the sum of what both lose. Moving has rounded each number
//   as well, so that together |D - E| <= d = losses + u (|p| + |c|).
//   A product of 16 adds 17 aligned terms to the score, which begins as half the squared length.
//   They are truncated at 2^-23 of the largest or finer, and so is the sum: below 32 * 2^-23 of
//   |p||c| + |c|^2 / 2 per step. The half is rounded by at most u of itself. The sum of these is A.
//   The products themselves are exact, also those of subnormal numbers.
//   The chain rounds its half and once per number: u (|p||c| + |c|^2 / 2) each, for points and
//   centers that are not moved, which are longer by at most the length of the origin. Where its
//   numbers underflow, it loses 2^-150 before scaling. The sum of these is B.
// The chain scores center 2 no higher than center 1: D2^2 <= D1^2 + 4 B. As D1 <= E1 + d, both
// distances are at most T = sqrt((E1 + d)^2 + 4 B), and E2 <= T + d. Then
//   score 2 - score 1 <= (E2^2 - E1^2) / 2 + 2 A <= d (T + E1 + d) + 2 B + 2 A.
// The result is infinite where a sum of the chain might be, and where a number has no float16.
FOVEA_HD inline Margin score_margin(float score, const MarginSource& of) {
  constexpr float kSlack = 1.001F, kUnit = 0x1p-24F, kRounding = 1.0001F;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float point_loss = std::sqrt(of.loss_square) * kSlack + 0x1p-70F;  // squares underflow
  const float center_loss = of.centers.loss * kSlack;
  const float point = std::sqrt(of.square) * kSlack + point_loss;
  const float center = of.centers.length * kSlack + center_loss;
  const float far_point = point + of.frame.origin_length,
              far_center = center + of.frame.origin_length;
  const float far_sum = far_point * far_center + far_center * far_center / 2;
  const float back = 1 / of.frame.scale, tiny = of.frame.scale * 0x1p-71F;
  if (!(far_sum * back * back < 1e37F)) return {kInfinity, kInfinity};
  const auto steps = static_cast<float>(steps_of(of.dimensions));
  const float product_error =
      (point * center + center * center / 2) * (steps * 1.05F * 0x1p-18F + 2 * kUnit);
  const float chain_error =
      far_sum * static_cast<float>(of.dimensions + 2) * kUnit + tiny * tiny + 0x1p-100F;
  const float apart = point_loss + center_loss + (point + center) * 2 * kUnit;
  const float square = std::fma(of.square, kRounding, 2 * (score + product_error));
  const float rounded_distance = square > 0 ? std::sqrt(square) * kSlack : 0.0F;
  const float nearer = rounded_distance + apart;
  const float distance = std::sqrt(nearer * nearer + 4 * chain_error) * kSlack;
  const float width = kSlack * (apart * (distance + nearer) + 2 * (chain_error + product_error));
  if (!(width < kInfinity)) return {kInfinity, kInfinity};
  return {width, distance};
}

// The greatest score that the nearest center may have, where the least score is `best`. Neither
// center is longer than the point's length plus its distance. The margin that follows from that
// length is far smaller than that of all centers where few centers are long.
FOVEA_HD inline float score_limit(float best, MarginSource of) {
  constexpr float kSlack = 1.001F;
  const float distance = score_margin(best, of).distance;
  const float longest =
      (std::sqrt(of.square) + std::sqrt(of.loss_square) + distance) * kSlack + 0x1p-70F;
  if (longest < of.centers.length) {
    of.centers.length = longest;
    of.centers.loss =
        std::fmin(of.centers.loss, of.centers.share * longest + subnormal_loss(of.dimensions));
  }
  constexpr float kUp = 0x1p-22F;  // more than the rounding of a sum
  const float limit = best + score_margin(best, of).width;
  return limit + std::fabs(limit) * kUp;
}

}  // namespace fovea::detail::nearest
