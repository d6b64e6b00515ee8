// How masses become whole numbers and how a least cost becomes a distance; both twins go through
// here. Counts stay as they are; real masses become multiples of 2^-51 of the greater total, so
// that whatever is solved has whole masses and whole costs and one least cost, whichever of the
// optimal flows is found. Costs are summed in 128 bits where 64 might not do.
#pragma once
#include <fovea/emd/solver.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace fovea::emd {

__extension__ typedef __int128 Wide;

// Totals of whole masses stay below, with room for sums of 64 bits.
inline constexpr int kMassBits = 52;
// Of a greatest cost in units (GroundDistance).
inline constexpr int kCostBits = 40;

// What a least cost is made a distance with. `penalty` is the one that is used, never below 0.
struct ValueRule {
  MassPolicy policy = MassPolicy::kPartial;
  double unit = 1;  // of costs
  double penalty = 0;
  double greatest = 0;
};

// The masses of a pair as they were solved: what moved, what was left over, and the power of two
// that they are multiples of (0 for counts).
struct MovedMass {
  std::int64_t moved = 0;
  std::int64_t extra = 0;
  int exponent = 0;
};

template <class Sum>
FOVEA_HD inline double whole_to_double(Sum value) {
  if constexpr (sizeof(Sum) <= 8) {
    return static_cast<double>(static_cast<std::int64_t>(value));
  } else {  // never below 0; in two parts, so that every compiler rounds alike
    const auto high = static_cast<std::uint64_t>(value >> 64);
    const auto low = static_cast<std::uint64_t>(value);
    if (high == 0) return static_cast<double>(low);
    return static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
  }
}

// Of a pair with mass on both sides. `cost` is the sum of whole masses times whole costs.
template <class Sum>
FOVEA_HD inline double distance_of(const ValueRule& rule, Sum cost, const MovedMass& mass) {
  // The unit is a power of two: multiplying last rounds nothing and overflows last.
  const double units = whole_to_double(cost);
  if (rule.policy != MassPolicy::kPenalty)
    return units / static_cast<double>(mass.moved) * rule.unit;
  const double left = rule.penalty * static_cast<double>(mass.extra);
  const double sum = units * rule.unit + left;
  return mass.exponent == 0 ? sum : scalbn(sum, mass.exponent);
}

// Of a pair with a side without mass; `extra` is the other side's.
FOVEA_HD inline double empty_distance(const ValueRule& rule, std::int64_t extra, int exponent) {
  if (extra == 0) return 0;
  if (rule.policy != MassPolicy::kPenalty) return rule.greatest;
  const double sum = rule.penalty * static_cast<double>(extra);
  return exponent == 0 ? sum : scalbn(sum, exponent);
}

// What is to be known of a histogram before its masses are made whole.
struct MassFacts {
  bool valid = true;  // no mass below 0, none that is not finite, nor their sum
  bool whole = true;
  double total = 0;
};
template <class Mass>
FOVEA_HD inline MassFacts mass_facts(const Mass* masses, int bins) {
  MassFacts facts;
  if constexpr (std::is_integral_v<Mass>) {
    std::int64_t total = 0;
    for (int i = 0; i < bins; ++i) total += masses[i];
    facts.total = static_cast<double>(total);
  } else {
    for (int i = 0; i < bins; ++i) {
      const auto mass = static_cast<double>(masses[i]);
      if (!(mass >= 0)) facts.valid = false;  // nor a number
      if (mass != trunc(mass)) facts.whole = false;
      facts.total += mass;
    }
    if (!(facts.total <= 1.7976931348623157e308)) facts.valid = false;
  }
  return facts;
}

// The power of two that the masses of a pair are counted in.
FOVEA_HD inline int mass_exponent(const MassFacts& first, const MassFacts& second) {
  const double greater = first.total > second.total ? first.total : second.total;
  if (first.whole && second.whole && greater < 0x1p52) return 0;
  return greater > 0 ? ilogb(greater) - (kMassBits - 1) : 0;
}
// Rounded to the nearest, halves to even.
template <class Mass>
FOVEA_HD inline std::int64_t whole_mass(Mass mass, int exponent) {
  if constexpr (std::is_integral_v<Mass>) return static_cast<std::int64_t>(mass);
  else if (exponent == 0) return static_cast<std::int64_t>(mass);
  else return static_cast<std::int64_t>(rint(scalbn(static_cast<double>(mass), -exponent)));
}

FOVEA_HD inline std::int64_t greatest_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// What both sides are multiplied by to weigh the same (MassPolicy::kNormalise). Where the common
// total would be beyond kMassBits, factors are 0: use normalise_to() on each side.
struct MassFactors {
  std::int64_t first = 1;
  std::int64_t second = 1;
};
FOVEA_HD inline MassFactors mass_factors(std::int64_t first_total, std::int64_t second_total) {
  if (first_total == second_total) return {};
  const std::int64_t divisor = greatest_divisor(first_total, second_total);
  const MassFactors factors{second_total / divisor, first_total / divisor};
  const double total = static_cast<double>(first_total) * static_cast<double>(factors.first);
  return total < 0x1p52 ? factors : MassFactors{0, 0};
}
inline constexpr std::int64_t kNormalTotal = std::int64_t{1} << 50;
// Scales masses so that their sum is kNormalTotal: each to the nearest, what is left over or
// missing to the first of the greatest.
FOVEA_HD inline void normalise_to(std::int64_t* masses, int bins, std::int64_t total) {
  std::int64_t rest = kNormalTotal;
  int greatest = 0;
  for (int i = 0; i < bins; ++i) {
    const double share = static_cast<double>(masses[i]) / static_cast<double>(total);
    if (masses[i] > masses[greatest]) greatest = i;
    rest -= static_cast<std::int64_t>(rint(share * static_cast<double>(kNormalTotal)));
  }
  for (int i = 0; i < bins; ++i) {
    const double share = static_cast<double>(masses[i]) / static_cast<double>(total);
    masses[i] = static_cast<std::int64_t>(rint(share * static_cast<double>(kNormalTotal)));
  }
  masses[greatest] += rest;
}

}  // namespace fovea::emd
