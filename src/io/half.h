// IEEE binary16 as single precision, exactly: every value of sixteen bits has one of thirty-two.
#pragma once
#include <bit>
#include <cstdint>

namespace fovea::io {

inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = half >> 10 & 31U;
  const std::uint32_t fraction = half & 1023U;
  if (exponent == 0) {  // zero or subnormal: fraction times 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255U : exponent + 112U;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

}  // namespace fovea::io
