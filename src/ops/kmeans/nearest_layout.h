// The layout of numbers for the product of 16 points with 8 centers on tensor cores, 16 numbers at
// a time (mma.m16n8k16), and bounds of the difference between its scores and those in single
// precision. Each number is split into two bfloat16, where the second is the remainder of the
// first, and three of the four products of the parts are added. It is tested on the host.
#pragma once
#include <fovea/core/api.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fovea::detail::nearest {

constexpr int kStep = 16;  // numbers per product
constexpr int kRows = 16;  // points per product
constexpr int kGroup = 8;  // centers per product
constexpr int kMostTensorDimensions = 128;
constexpr float kFarHalf = 3e38F;  // stands for a center that does not exist

FOVEA_HD constexpr int steps_of(int dimensions) { return (dimensions + kStep - 1) / kStep; }
// The number of groups, rounded up to an even number, so that two are processed together.
FOVEA_HD constexpr int groups_of(int centers) {
  return (centers + 2 * kGroup - 1) / (2 * kGroup) * 2;
}

// Two consecutive numbers share a register, the first in its lower half. This is the place of the
// first number that `lane` holds in register `part`: for points (4 registers; `row` is the point),
// for centers (2; `row` is the center) and for scores (4 of one number each; `row` is the point,
// `number` the center).
struct Place {
  int row, number;
};
FOVEA_HD constexpr Place point_place(int lane, int part) {
  return {lane / 4 + part % 2 * 8, lane % 4 * 2 + part / 2 * 8};
}
FOVEA_HD constexpr Place center_place(int lane, int part) {
  return {lane / 4, lane % 4 * 2 + part * 8};
}
FOVEA_HD constexpr Place score_place(int lane, int part) {
  return {lane / 4 + part / 2 * 8, lane % 4 * 2 + part % 2};
}

// Eight centers in memory, as 32-bit words: for each step and lane 4 words (registers 0 and 1 of
// the first pieces, 0 and 1 of the second), then the 8 halves of squared lengths. All are relative
// to the origin.
constexpr int kStepWords = 32 * 4;
FOVEA_HD constexpr int group_words(int steps) { return steps * kStepWords + kGroup; }
FOVEA_HD constexpr int word_of(int step, int lane, int piece, int part) {
  return step * kStepWords + lane * 4 + piece * 2 + part;
}

// A float's bfloat16 to nearest, ties to even, as its upper 16 bits.
FOVEA_HD inline std::uint32_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;
}
FOVEA_HD inline float from_bfloat16(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

// Two numbers, split into registers of first and second pieces.
struct Pieces {
  std::uint32_t first, second;
};
FOVEA_HD inline Pieces split(float a, float b) {
  const std::uint32_t first_a = to_bfloat16(a), first_b = to_bfloat16(b);
  return {first_a | first_b << 16,
          to_bfloat16(a - from_bfloat16(first_a)) | to_bfloat16(b - from_bfloat16(first_b)) << 16};
}

// A common vector, the origin, is subtracted from points and centers first. Distances stay the
// same, and numbers that are far from 0 but close together lose less precision. Such points and
// centers are called moved below.
//
// pack_pair() writes one of a group's steps * 64 pairs of registers: first and second pieces of two
// numbers of one center. The group's centers lie `pitch` apart; the first `present` of them exist,
// and the others are 0.
struct GroupSource {
  const float* numbers;
  const float* origin;
  int pitch;
  int present;
};
FOVEA_HD inline void pack_pair(const GroupSource& from, int pair, std::uint32_t* words) {
  const int step = pair / 64, lane = pair % 64 / 2, part = pair % 2;
  const Place place = center_place(lane, part);
  const float* origin = from.origin + step * kStep + place.number;
  const float* numbers = from.numbers + static_cast<std::ptrdiff_t>(place.row) * from.pitch +
                         step * kStep + place.number;
  const bool is_there = place.row < from.present;
  const Pieces pieces =
      split(is_there ? numbers[0] - origin[0] : 0.0F, is_there ? numbers[1] - origin[1] : 0.0F);
  words[word_of(step, lane, 0, part)] = pieces.first;
  words[word_of(step, lane, 1, part)] = pieces.second;
}

// Half the squared length of a center relative to the origin.
FOVEA_HD inline float moved_half(const float* center, const float* origin, int dimensions) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    const double number = center[i] - origin[i];
    sum = std::fma(number, number, sum);
  }
  return static_cast<float>(sum / 2);
}

// The rank of a float in the order of all floats, 0 for both zeros. It must not be NaN.
FOVEA_HD inline std::uint32_t order_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}

// What the error of a score depends on.
struct MarginSource {
  float squared_length;  // squared length of the moved point
  float most_half;       // the greatest moved_half() of all centers
  float origin_length;   // or an upper bound of it
  int dimensions;
};

// Twice the greatest difference between the score of a center on tensor cores and that of the chain
// of fma, apart from terms that are the same for all centers. With M = |p||c| and H = |c|^2 / 2 of
// moved points and centers, and u = 2^-24:
//   A number is split into pieces. The rest after the first piece is at most 2^-8 of the number,
//   and the rest after the second at most 2^-16. The products that are omitted, second piece times
//   second piece and twice the number times the rest, are at most 3.03 * 2^-16 M.
//   A product of 16 adds 17 aligned terms, truncated at 2^-23 of the largest or finer, and
//   truncates its sum: below 32 * 2^-23 of the sum, which is M for the first pieces and 2^-7 M
//   before. Moving rounds every number, the half is rounded, and the half and, beyond 64 numbers,
//   the sum of the second pieces are added with one rounding each: below 7 u (M + H). The chain
//   rounds its half and once per number: u (M + H) each, for points and centers that are not moved,
//   which are longer by at most the length of the origin.
// Numbers that underflow lose at most 2^-126 of each other. The result is infinite where a sum
// might be.
FOVEA_HD inline float score_margin(const MarginSource& of) {
  constexpr float kSlack = 1.001F, kUnit = 0x1p-24F;
  const float point = std::sqrt(of.squared_length) * kSlack;
  const float center = std::sqrt(2 * of.most_half) * kSlack;
  const float product = point * center, far_center = center + of.origin_length;
  const float far_sum = (point + of.origin_length) * far_center + far_center * far_center / 2;
  if (!(far_sum < 1e37F)) return std::numeric_limits<float>::infinity();
  const auto steps = static_cast<float>(steps_of(of.dimensions));
  const float error = product * (3.1F * 0x1p-16F + steps * 1.05F * 0x1p-18F) +
                      (product + of.most_half) * 7 * kUnit +
                      far_sum * static_cast<float>(of.dimensions + 2) * kUnit +
                      0x1p-100F * (1 + point);
  return 2 * kSlack * error;
}

// The greatest possible half of the squared length of a moved center that scores `score` or less.
// Such a center lies no farther from the point than sqrt(|p|^2 + 2 score), so that its length is at
// most the point's length plus that. score_limit() first takes `score` from the longest center of
// all; the margin that follows for possible nearest centers is far smaller where few centers are
// long.
FOVEA_HD inline float near_half(float squared_length, float score, float most_half) {
  constexpr float kSlack = 1.001F, kRounding = 1.0001F;
  const float square = std::fma(squared_length, kRounding, 2 * score);
  const float distance = square > 0 ? std::sqrt(square) * kSlack : 0.0F;
  const float length = std::sqrt(squared_length) * kSlack + distance;
  return std::fmin(most_half, length * length / 2);
}

// The greatest score that the nearest center may have, where the least score is `best`.
FOVEA_HD inline float score_limit(float best, MarginSource of) {
  of.most_half = near_half(of.squared_length, best + score_margin(of), of.most_half);
  constexpr float kUp = 0x1p-22F;  // more than the rounding of a sum
  const float limit = best + score_margin(of);
  return limit + std::fabs(limit) * kUp;
}

}  // namespace fovea::detail::nearest
