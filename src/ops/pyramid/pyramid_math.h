// The arithmetic that both twins of the Gaussian halving share: columns first, then rows.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <type_traits>

namespace fovea::detail {

// The type in which pixels are summed.
template <class T>
using HalveSum = std::conditional_t<std::is_same_v<T, float>, float, int>;

// a + 4 b + 6 c + 4 d + e, where outer = a + e and inner = b + d.
template <class Sum>
FOVEA_HD inline Sum five_taps(Sum outer, Sum inner, Sum center) {
  return (outer + inner * 4) + center * 6;
}

template <class T>
FOVEA_HD inline T halved_pixel(HalveSum<T> sum) {
  if constexpr (std::is_same_v<T, float>) return sum * (1.0F / 256);
  else return static_cast<T>((sum + 128) >> 8);
}

}  // namespace fovea::detail
