// Numbers of 16 bits. Not every compiler has a type for them, so that they are converted by hand.
#pragma once
#include "cuda_runtime.h"

struct __half {
  std::uint16_t bits;
};
struct alignas(4) __half2 {
  __half x, y;
};

inline __half __float2half_rn(float value) {
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  const float size = std::abs(value);
  unsigned bits = 0;
  if (std::isnan(size)) {
    bits = 0x7FFF;
  } else if (size >= 65520) {  // nearer to 65536, which is infinity, than to the largest number
    bits = 0x7C00;
  } else {
    // The smallest normal number is 2^-14; numbers below it have its steps. A step too many carries
    // into the exponent, which is right.
    const int exponent = size < 0x1p-14F ? -14 : std::ilogb(size);
    const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    bits = static_cast<unsigned>((exponent + 14) * 1024 + steps);
  }
  return {static_cast<std::uint16_t>(sign | bits)};
}
inline float __half2float(__half value) {
  const int exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  float size = 0;
  if (exponent == 31) {
    size = fraction != 0 ? NAN : HUGE_VALF;
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    size = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (value.bits & 0x8000) != 0 ? -size : size;
}
inline __half2 __floats2half2_rn(float a, float b) {
  return {__float2half_rn(a), __float2half_rn(b)};
}
inline float2 __half22float2(__half2 v) { return {__half2float(v.x), __half2float(v.y)}; }
