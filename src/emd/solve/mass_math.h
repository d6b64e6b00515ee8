// How the masses of a pair become whole numbers; every twin uses this code. Counts stay as they
// are. Real masses become multiples of a power of two. This unit is at most 2^-51 of a total: with
// normalization of the side's own total, otherwise of the lighter total, because no more than that
// is moved. A bin of the heavier side that exceeds what can be moved is cut, which does not change
// the result, so that the totals may have very different magnitudes.
#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emd/solve/unroll.h"
#include "emd/solve/value_math.h"

namespace fovea::emd {

// What has to be known about a histogram before its masses are made whole.
struct MassFacts {
  bool valid = true;  // no mass is negative, and all masses and their sum are finite
  bool whole = true;
  double total = 0;
};
// `masses` is anything with operator[].
template <class Masses>
FOVEA_LANE MassFacts mass_facts(const Masses& masses, int bins) {
  MassFacts facts;
  if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(masses[0])>>) {
    std::int64_t total = 0;
    for (int i = 0; i < bins; ++i) total += masses[i];
    facts.total = static_cast<double>(total);
  } else {
    FOVEA_UNROLL
    for (int i = 0; i < bins; ++i) {
      const auto mass = static_cast<double>(masses[i]);
      if (!(mass >= 0)) facts.valid = false;  // also true for NaN
      if (mass != trunc(mass)) facts.whole = false;
      facts.total += mass;
    }
    if (!(facts.total <= 1.7976931348623157e308)) facts.valid = false;
  }
  return facts;
}

// The powers of two in which masses are counted: one for each side, and one for the surplus.
struct MassExponents {
  int first = 0;
  int second = 0;
  int extra = 0;
};
FOVEA_HD inline int mass_exponent(double total, bool whole) {
  return (whole && total < 0x1p52) || !(total > 0) ? 0 : ilogb(total) - (kMassBits - 1);
}
FOVEA_HD inline MassExponents mass_exponents(MassPolicy policy, const MassFacts& first,
                                             const MassFacts& second) {
  if (policy == MassPolicy::kNormalize)
    return {mass_exponent(first.total, first.whole), mass_exponent(second.total, second.whole), 0};
  const bool whole = first.whole && second.whole, less = first.total < second.total;
  const double lighter = less ? first.total : second.total;
  const double heavier = less ? second.total : first.total;
  const int extra = mass_exponent(heavier, whole);
  const int moved = lighter > 0 ? mass_exponent(lighter, whole) : extra;
  return {moved, moved, extra};
}

// Converts masses to units of 2^exponent. It multiplies twice, because the reciprocal of the
// smallest units is not a double. Both products are exact, except for masses that become 0.
class MassScale {
 public:
  FOVEA_HD explicit MassScale(int exponent) {
    if (exponent == 0) return;
    one_ = scalbn(1.0, -(exponent / 2));
    other_ = scalbn(1.0, -(exponent - exponent / 2));
  }
  // Rounds to the nearest whole number, halves to even, and cuts at twice the greatest mass that is
  // moved.
  template <class Mass>
  FOVEA_HD std::int64_t whole(Mass mass) const {
    if constexpr (std::is_integral_v<Mass>) {
      return static_cast<std::int64_t>(mass);
    } else {
      constexpr double kMost = 0x1p53;
      const double scaled = static_cast<double>(mass) * one_ * other_;
      return static_cast<std::int64_t>(scaled < kMost ? rint(scaled) : kMost);
    }
  }

 private:
  double one_ = 1, other_ = 1;
};

template <class Mass>
FOVEA_HD inline Mass greatest_divisor(Mass a, Mass b) {
  while (b != 0) {
    const Mass rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The factors that give both sides the same total (MassPolicy::kNormalize). If the common total
// would not fit into kMassBits, the factors are 0 and each side needs normalize_to().
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
// The same for counts: the factors are 0 if the common total would be above `most`.
struct CountFactors {
  std::int32_t first = 1;
  std::int32_t second = 1;
};
FOVEA_HD inline CountFactors count_factors(std::int32_t first_total, std::int32_t second_total,
                                           std::int64_t most) {
  if (first_total == second_total) return {};
  const std::int32_t divisor = greatest_divisor(first_total, second_total);
  const CountFactors factors{second_total / divisor, first_total / divisor};
  return std::int64_t{first_total} * factors.first <= most ? factors : CountFactors{0, 0};
}
inline constexpr std::int64_t kNormalTotal = std::int64_t{1} << 50;
// Scales masses so that their sum is kNormalTotal. Each is rounded to the nearest; the difference
// goes to the first of the greatest masses.
FOVEA_HD inline void normalize_to(std::int64_t* masses, int bins, std::int64_t total) {
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

// The mass that is moved between sides with these totals, and what the lighter side gets behind its
// last bin so that both totals are equal.
template <class Mass>
struct Balance {
  Mass moved = 0;
  Mass first = 0;
  Mass second = 0;
};
template <class Mass>
FOVEA_HD inline Balance<Mass> balance_of(Mass first_total, Mass second_total) {
  const Mass more = first_total - second_total;
  if (more < 0) return {first_total, -more, Mass{0}};
  return {second_total, Mass{0}, more};
}

// One histogram of a pair: its masses, and where they are written as whole numbers.
template <class Masses>
struct MassSide {
  const Masses& masses;
  int bins;
  std::int64_t* whole;
};
template <class Masses>
FOVEA_LANE std::int64_t total_in(const MassSide<Masses>& side, const MassScale& scale) {
  std::int64_t total = 0;
  FOVEA_UNROLL
  for (int i = 0; i < side.bins; ++i) total += scale.whole(side.masses[i]);
  return total;
}
template <class Masses>
FOVEA_LANE std::int64_t make_whole(const MassSide<Masses>& side, const MassScale& scale) {
  std::int64_t total = 0;
  FOVEA_UNROLL
  for (int i = 0; i < side.bins; ++i) total += side.whole[i] = scale.whole(side.masses[i]);
  return total;
}
FOVEA_LANE void multiply(std::int64_t* masses, int bins, std::int64_t factor) {
  FOVEA_UNROLL
  for (int i = 0; i < bins; ++i) masses[i] *= factor;
}

// The result of make_whole(): kOptimal if there is something to solve.
struct WholePair {
  Status status = Status::kOptimal;
  std::int64_t first_total = 0;  // in whole masses; equal to second_total after normalization
  std::int64_t second_total = 0;
  MovedMass mass{};
};
template <class First, class Second>
FOVEA_LANE WholePair make_whole(MassPolicy policy, const MassSide<First>& first,
                                const MassSide<Second>& second) {
  WholePair pair;
  const MassFacts one = mass_facts(first.masses, first.bins);
  const MassFacts other = mass_facts(second.masses, second.bins);
  if (!one.valid || !other.valid) {
    pair.status = Status::kInvalidMass;
    return pair;
  }
  const MassExponents exponents = mass_exponents(policy, one, other);
  // The surplus that is penalized has its own unit if the units of the totals differ.
  const bool apart = policy == MassPolicy::kPenalty && exponents.extra != exponents.first;
  std::int64_t more = 0;
  if (apart) {
    const MassScale scale(exponents.extra);
    more = total_in(first, scale) - total_in(second, scale);
  }
  pair.first_total = make_whole(first, MassScale(exponents.first));
  pair.second_total = make_whole(second, MassScale(exponents.second));
  pair.mass.exponent = policy == MassPolicy::kNormalize ? 0 : exponents.first;
  pair.mass.extra_exponent = exponents.extra;
  if (pair.first_total == 0 || pair.second_total == 0) {
    pair.status = Status::kEmpty;
    pair.mass.extra = pair.first_total + pair.second_total;
    return pair;
  }
  if (policy == MassPolicy::kNormalize) {
    const MassFactors factors = mass_factors(pair.first_total, pair.second_total);
    if (factors.first > 0) {
      multiply(first.whole, first.bins, factors.first);
      multiply(second.whole, second.bins, factors.second);
      pair.first_total *= factors.first;
    } else {
      normalize_to(first.whole, first.bins, pair.first_total);
      normalize_to(second.whole, second.bins, pair.second_total);
      pair.first_total = kNormalTotal;
    }
    pair.second_total = pair.first_total;
  }
  const auto balance = balance_of(pair.first_total, pair.second_total);
  pair.mass.moved = balance.moved;
  pair.mass.extra = apart ? (more < 0 ? -more : more) : balance.first + balance.second;
  return pair;
}

}  // namespace fovea::emd
