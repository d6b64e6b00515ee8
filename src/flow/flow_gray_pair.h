// Gray levels of two images on one range, so that they stay comparable.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "flow/flow_gray.h"

namespace fovea::flow {

// The range that covers both images; bytes stay as they are.
template <class T>
GrayRange range_of_both(ImageView<const T> first, ImageView<const T> second, const Exec& exec) {
  if constexpr (std::is_same_v<T, std::uint8_t>) return {0, 1};
  const GrayRange a = cpu::gray_range(first, {}, exec), b = cpu::gray_range(second, {}, exec);
  const auto top = [](const GrayRange& range) {
    return range.scale > 0 ? range.low + 255 / range.scale : range.low;
  };
  const float low = std::min(a.low, b.low), high = std::max(top(a), top(b));
  return {low, high > low ? 255 / (high - low) : 0.F};
}

}  // namespace fovea::flow
