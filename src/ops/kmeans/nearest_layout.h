// The layout of numbers for the product of 16 points with 8 centers on tensor cores, 16 numbers at
// a time (mma.m16n8k16). Each number is rounded to a float16; nearest_margin.h bounds what that
// does to scores. It is tested on the host.
#pragma once
#include <fovea/core/api.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "io/image/half.h"

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

// Eight centers in memory, as 32-bit words: for each step and lane 2 words (registers 0 and 1),
// then the 8 halves of squared lengths.
constexpr int kStepWords = 32 * 2;
FOVEA_HD constexpr int group_words(int steps) { return steps * kStepWords + kGroup; }
FOVEA_HD constexpr int word_of(int step, int lane, int part) {
  return step * kStepWords + lane * 2 + part;
}

// A common vector, the origin, is subtracted from points and centers first. Distances stay the
// same, and numbers that are far from 0 but close together lose less precision. Then all are
// multiplied by a power of two, the scale, so that they lie in the range of float16. Such points
// and centers are called moved below, and all lengths and scores are those of moved ones.
struct Frame {
  float scale;
  float origin_length;  // scaled, or an upper bound of that
};
FOVEA_HD inline float move(float number, float origin, float scale) {
  return (number - origin) * scale;
}

// The scale for centers whose greatest number is `largest`. That number becomes 4 to 8 when it is
// scaled, so that points may be almost 2^13 times as large before they overflow, and numbers 2^-16
// times as large keep all bits of a float16. The inverse of a scale is a float as well.
FOVEA_HD inline float scale_for(float largest) {
  if (largest == 0) return 1;
  const auto exponent = static_cast<int>(std::bit_cast<std::uint32_t>(largest) >> 23 & 255U);
  const int inverse = 256 - exponent;
  const int clamped = inverse < 7 ? 7 : inverse > 247 ? 247 : inverse;  // 2^-120 to 2^120
  return std::bit_cast<float>(static_cast<std::uint32_t>(clamped) << 23);
}

// Two numbers, rounded, in a register.
FOVEA_HD inline std::uint32_t round_pair(float a, float b) {
  return static_cast<std::uint32_t>(io::float_to_half(a)) |
         static_cast<std::uint32_t>(io::float_to_half(b)) << 16;
}

// pack_pair() writes one of a group's steps * 64 words: two numbers of one center. The group's
// centers lie `pitch` apart; the first `present` of them exist, and the others are 0.
struct GroupSource {
  const float* numbers;
  const float* origin;
  float scale;
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
  words[word_of(step, lane, part)] = is_there ? round_pair(move(numbers[0], origin[0], from.scale),
                                                           move(numbers[1], origin[1], from.scale))
                                              : 0;
}

// The rank of a float in the order of all floats, 0 for both zeros. It must not be NaN.
FOVEA_HD inline std::uint32_t order_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}

}  // namespace fovea::detail::nearest
