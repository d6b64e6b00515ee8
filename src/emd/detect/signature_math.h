// The arithmetic of spectral signatures on which both twins agree to the bit: sums, products,
// quotients and square roots alone, which every machine rounds alike. Logarithms and exponentials
// are polynomials (least greatest error over their range, below 3e-18 before rounding), because
// those of the libraries differ in their last bit.
#pragma once
#include <fovea/core/api.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace fovea::emd::detail {

constexpr int kMostGroups = 64;                    // groups of adjacent bands
constexpr double kMostBinMass = 65535;             // in one bin
constexpr double kLn2High = 0x1.62e42feep-1;       // so few digits that products with exponents are
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;  // exact; both together are log(2)
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000;  // bits of about sqrt(1/2)
// Added to the bits of a number, it carries into the exponent where the mantissa is above sqrt(2).
constexpr std::uint64_t kToRoot = 0x3ff0000000000000 - kRootHalf;
// 2 atanh(s) = 2 s + s^3 (c0 + c1 s^2 + ...) for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1)
constexpr int kAtanhTerms = 8;
FOVEA_HD constexpr double atanh_term(int i) {
  constexpr double kTerms[kAtanhTerms] = {
      0.6666666666666666,  0.4000000000000088,  0.2857142857080323,  0.2222222239180047,
      0.18181795630884753, 0.15386240205813478, 0.13268759668560612, 0.13086767009948175};
  return kTerms[i];
}
// exp(r) = 1 + r + r^2 (c0 + c1 r + ...) for |r| <= log(2) / 2
constexpr int kExpTerms = 11;
FOVEA_HD constexpr double exp_term(int i) {
  constexpr double kTerms[kExpTerms] = {0.5,
                                        0.1666666666666667,
                                        0.04166666666666667,
                                        0.008333333333326136,
                                        0.0013888888888883748,
                                        0.00019841269874820627,
                                        2.4801587325547743e-05,
                                        2.7557255400206422e-06,
                                        2.75572736431103e-07,
                                        2.5105217004720745e-08,
                                        2.0914686968086876e-09};
  return kTerms[i];
}

// What a signature is made by. The tables lie in the memory of the twin.
struct SignatureParams {
  int bands = 0;
  int groups = 0;  // of adjacent bands
  int radius = 0;  // of the window in pixels
  bool contrast = false;
  int mass = 0;
  int half_powers = 0;  // twice the power where that is a whole number, else 0
  double power = 1;
  double plain_mass = 0;          // mass of the plain bin before scaling
  const double* dark = nullptr;   // scale of the sums s in log(1 + s / dark), one per group
  const double* mean = nullptr;   // of the logarithms
  const double* white = nullptr;  // whitening matrix, groups x groups

  FOVEA_HD int bins() const { return contrast ? 2 * groups + 1 : groups; }
  // The bands of group g begin here; those of the last group end at first_band(groups).
  FOVEA_HD int first_band(int g) const {
    return static_cast<int>((static_cast<std::int64_t>(g) * bands + groups - 1) / groups);
  }
  FOVEA_HD double scale() const {
    const double side = 2.0 * radius + 1;
    return 1 / (side * side);
  }
};

// What a band's sum over a window counts: its mean, 0 where that is negative, and NaN where a value
// is not finite. The product with 0 is NaN exactly there.
FOVEA_HD inline double counted(double sum, double scale) {
  const double value = sum * scale;
  return (value > 0 ? value : 0) + value * 0;
}

// The natural logarithm of a positive number.
FOVEA_HD inline double log_of(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + kToRoot;
  const auto exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023);
  const double f = std::bit_cast<double>((bits & kMantissa) + kRootHalf) - 1;
  const double s = f / (f + 2), z = s * s;
  double sum = 0;
  for (int i = kAtanhTerms - 1; i >= 0; --i) sum = sum * z + atanh_term(i);
  return exponent * kLn2High + (2 * s + (s * z * sum + exponent * kLn2Low));
}

FOVEA_HD inline double exp_of(double x) {
  constexpr double kLeast = -708, kGreatest = 709, kPerLn2 = 1.4426950408889634;
  const double y = x < kLeast ? kLeast : x > kGreatest ? kGreatest : x;
  const double n = rint(y * kPerLn2);
  const double r = y - n * kLn2High - n * kLn2Low;
  double sum = 0;
  for (int i = kExpTerms - 1; i >= 0; --i) sum = sum * r + exp_term(i);
  const double value = 1 + (r + r * r * sum);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) +
                               (static_cast<std::uint64_t>(static_cast<std::int64_t>(n)) << 52));
}

// The logarithm of a group's sum of bands.
FOVEA_HD inline double group_log(double sum, double dark) {
  return dark > 0 ? log_of(1 + sum / dark) : 0;
}

// |value|^power
FOVEA_HD inline double strength(const SignatureParams& p, double value) {
  const double size = value < 0 ? -value : value;
  if (p.half_powers == 0) return size > 0 ? exp_of(p.power * log_of(size)) : size;
  double product = p.half_powers % 2 == 1 ? sqrt(size) : 1;
  for (int i = 0; i < p.half_powers / 2; ++i) product *= size;
  return product;
}

// Makes whole masses of the masses of one histogram. Cumulative sums are rounded, so that the total
// is exact; a histogram without a finite total above 0 gets no mass.
struct WholeMasses {
  double scale, sum = 0, before = 0;
  bool any;

  FOVEA_HD WholeMasses(double total, int mass)
      : scale(mass / total), any(scale > 0 && scale <= 1.7976931348623157e308) {}
  FOVEA_HD double next(double mass) {
    sum += mass;
    const double whole = rint(sum * scale), now = whole - before;
    before = whole;
    return any ? now : 0;
  }
};

// Makes the signature of one pixel from its sums of adjacent bands, which are `stride` apart and
// get lost. `work` has as much room; only contrast needs it. put(bin, mass) is called for every
// bin in order.
template <class Put>
FOVEA_HD inline void sign_pixel(const SignatureParams& p, double* sums, double* work, int stride,
                                Put put) {
  const int n = p.groups;
  double total = 0;  // NaN where a value is missing
  for (int g = 0; g < n; ++g) total += sums[g * stride] * 0;
  if (!p.contrast) {
    if (p.mass == 0) {
      for (int g = 0; g < n; ++g) {
        const double value = sums[g * stride];
        put(g, total == 0 ? rint(value < kMostBinMass ? value : kMostBinMass) : 0);
      }
      return;
    }
    for (int g = 0; g < n; ++g) total += sums[g * stride];
    WholeMasses masses(total, p.mass);
    for (int g = 0; g < n; ++g) put(g, masses.next(sums[g * stride]));
    return;
  }
  for (int g = 0; g < n; ++g) sums[g * stride] = group_log(sums[g * stride], p.dark[g]) - p.mean[g];
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += p.white[i * n + j] * sums[j * stride];
    const double mass = strength(p, sum);
    work[i * stride] = sum > 0 ? mass : -mass;
  }
  for (int i = 0; i < n; ++i) total += work[i * stride] > 0 ? work[i * stride] : 0;
  for (int i = 0; i < n; ++i) total += work[i * stride] > 0 ? 0 : -work[i * stride];
  WholeMasses masses(total + p.plain_mass, p.mass);
  for (int i = 0; i < n; ++i) put(i, masses.next(work[i * stride] > 0 ? work[i * stride] : 0));
  for (int i = 0; i < n; ++i) put(n + i, masses.next(work[i * stride] > 0 ? 0 : -work[i * stride]));
  put(2 * n, masses.next(p.plain_mass));
}

}  // namespace fovea::emd::detail
