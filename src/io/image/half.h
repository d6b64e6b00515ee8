// Converts IEEE binary16 to single precision, which is exact, and back, rounded to nearest with
// ties to even.
#pragma once
#include <fovea/core/api.h>

#include <bit>
#include <cstdint>

namespace fovea::io {

FOVEA_HD inline float half_to_float(std::uint16_t half) {
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

FOVEA_HD inline std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  const auto with_sign = [&](std::uint32_t rest) {
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(rest));
  };
  if (magnitude > 0x7F800000U) return with_sign(0x7E00U);   // not a number
  if (magnitude >= 0x477FF000U) return with_sign(0x7C00U);  // 65520 and more: infinite
  if (magnitude < 0x38800000U) {  // subnormal: adding 0.5 puts 2^-24 into the last place
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return with_sign(std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U);
  }
  const std::uint32_t odd = magnitude >> 13 & 1U;
  return with_sign((magnitude - 0x38000000U + 0xFFFU + odd) >> 13);
}

}  // namespace fovea::io
