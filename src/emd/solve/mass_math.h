// How the masses of a pair become whole numbers; every twin goes through here. Counts stay as they
// are. Real masses become multiples of a power of two, 2^-51 at most of what they are weighed
// against: normalized sides of their own total, others of the lighter total, since nothing more
// than that is moved. A heavier side's bin beyond all that is as good as one of any size, so that
// totals may lie any number of digits apart.
#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emd/solve/unroll.h"
#include "emd/solve/value_math.h"

namespace fovea::emd {

// What is to be known of a histogram before its masses are made whole.
struct MassFacts {
  bool valid = true;  // no mass below 0, none that is not finite, nor their sum
  bool whole = true;
  double total = 0;
};
// Masses are anything that is read by [].
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
      if (!(mass >= 0)) facts.valid = false;  // nor a number
      if (mass != trunc(mass)) facts.whole = false;
      facts.total += mass;
    }
    if (!(facts.total <= 1.7976931348623157e308)) facts.valid = false;
  }
  return facts;
}

// Powers of two that masses are counted in: either side's, and that of what one side has more.
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

// Masses in units of 2^exponent. In two steps, since there are doubles whose unit has no reciprocal
// among them; both are exact, but for masses that come to nothing.
class MassScale {
 public:
  FOVEA_HD explicit MassScale(int exponent) {
    if (exponent == 0) return;
    one_ = scalbn(1.0, -(exponent / 2));
    other_ = scalbn(1.0, -(exponent - exponent / 2));
  }
  // To the nearest, halves to even, and no more than twice all that is moved.
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

FOVEA_HD inline std::int64_t greatest_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// What both sides are multiplied by to weigh the same (MassPolicy::kNormalize). Where the common
// total would be beyond kMassBits, factors are 0: use normalize_to() on each side.
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

// What sides of these totals move, and what the lighter one has behind its last bin to weigh as
// much as the other.
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

// One histogram of a pair: its masses, and where they go as whole numbers.
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

// What became of a pair: kOptimal where there is something to solve.
struct WholePair {
  Status status = Status::kOptimal;
  std::int64_t first_total = 0;  // of whole masses; both are one where they are normalized
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
  // What is penalized has units of its own where the totals' units differ.
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
