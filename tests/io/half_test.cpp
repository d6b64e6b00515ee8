#include "io/half.h"

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

}  // namespace
}  // namespace fovea::io
