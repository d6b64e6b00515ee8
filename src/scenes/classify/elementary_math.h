// Logarithm, sine and cosine from additions, products and divisions alone, which
// devices and compilers round alike, where the functions of their libraries differ in the last bit.
// Errors are some 1e-16 of the result (of 1 for sine and cosine).
#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <cstring>

namespace fovea::scenes {

namespace elementary {

// ln 2 and pi / 2 as sums of two numbers. The first has so few bits that its product with a whole
// number of up to 20 bits is exact.
constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
constexpr double kHalfPiHigh = 1.57079632673412561417e+00, kHalfPiLow = 6.07710050650619224932e-11;
constexpr double kPerHalfPi = 0.636619772367581343076;

FOVEA_HD inline double from_bits(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
FOVEA_HD inline std::uint64_t to_bits(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
FOVEA_HD inline int nearest_whole(double x) { return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5); }
// first + x (second + x (third ...)).
template <class... Rest>
FOVEA_HD inline double horner(double x, double first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) return first;
  else return first + x * horner(x, rest...);
}

}  // namespace elementary

// The natural logarithm of a normal positive number x = m 2^e with m between 1/sqrt(2) and sqrt(2):
// log m = 2 (t + t^3/3 + t^5/5 ...) with t = (m - 1) / (m + 1).
FOVEA_HD inline double log_of(double x) {
  using namespace elementary;
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t bits = to_bits(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = from_bits((bits & kFraction) | (std::uint64_t{1023} << 52));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double t = (m - 1) / (m + 1), square = t * t;
  const double sum = square * horner(square, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13,
                                     1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21);
  return exponent * kLn2High + (exponent * kLn2Low + 2 * (t + t * sum));
}

struct SinCos {
  double sin, cos;
};
// Of angles of up to a million.
FOVEA_HD inline SinCos sin_cos_of(double angle) {
  using namespace elementary;
  const int quarter = nearest_whole(angle * kPerHalfPi);
  const double r = (angle - quarter * kHalfPiHigh) - quarter * kHalfPiLow, square = r * r;
  const double odd =
      r * horner(square, 1.0, -1 / 6.0, 1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0,
                 1 / 6227020800.0, -1 / 1307674368000.0, 1 / 355687428096000.0);
  const double even =
      horner(square, 1.0, -1 / 2.0, 1 / 24.0, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0,
             1 / 479001600.0, -1 / 87178291200.0, 1 / 20922789888000.0, -1 / 6402373705728000.0);
  switch (quarter & 3) {
    case 0: return {odd, even};
    case 1: return {even, -odd};
    case 2: return {-odd, -even};
    default: return {-even, odd};
  }
}

}  // namespace fovea::scenes
