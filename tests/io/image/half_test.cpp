#include "io/image/half.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea::io {
namespace {

// Every value by its definition: (-1)^s 2^(e-15) (1 + f/1024), 2^-24 f where e is 0.
TEST(Half, EveryValueIsExact) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    const int exponent = static_cast<int>(bits >> 10 & 31U);
    const auto fraction = static_cast<double>(bits & 1023U);
    EXPECT_EQ(std::signbit(value), bits >= 0x8000U);
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(value), fraction != 0) << bits;
      EXPECT_EQ(std::isinf(value), fraction == 0) << bits;
      continue;
    }
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1 + fraction / 1024, exponent - 15);
    EXPECT_EQ(std::abs(value), magnitude) << bits;
  }
}

TEST(Half, EveryValueComesBackAndOthersAreRoundedToTheNearest) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = half_to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value))));
      continue;
    }
    EXPECT_EQ(float_to_half(value), half);
    const float next = half_to_float(static_cast<std::uint16_t>(bits + 1));
    if (std::isinf(value) || (bits & 0x7FFFU) >= 0x7BFFU) continue;
    const float middle = (value + next) / 2;
    const auto even = static_cast<std::uint16_t>(bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(float_to_half(middle), even) << bits;
    EXPECT_EQ(float_to_half(std::nextafter(middle, value)), half) << bits;
    EXPECT_EQ(float_to_half(std::nextafter(middle, next)), bits + 1) << bits;
  }
  EXPECT_EQ(float_to_half(65519.9F), 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_half(-1e30F), 0xFC00);
  EXPECT_EQ(float_to_half(1e-30F), 0);
}

}  // namespace
}  // namespace fovea::io
