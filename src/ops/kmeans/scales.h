// Scales that turn numbers into whole numbers, so that their sums do not depend on the order of
// additions.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "ops/kmeans/kmeans_math.h"

namespace fovea::detail {

// 2^bits divided by the least power of two above `largest`.
inline double scale_for(double largest, int bits) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return largest > 0 ? std::ldexp(1.0, bits - exponent) : 1;
}

// The bits that a whole number may have where so many are added up.
inline int bits_for(std::int64_t additions) {
  return KmeansLimits::kSumBits - std::bit_width(static_cast<std::uint64_t>(additions));
}

}  // namespace fovea::detail
