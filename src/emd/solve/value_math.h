// How a least cost becomes a distance; both twins use this code. Problems have whole masses
// (mass_math.h) and whole costs and therefore one least cost, whichever of the optimal flows is
// found. Costs are summed in 128 bits if 64 might not be enough.
#pragma once
#include <fovea/emd/solver.h>

#include <cmath>
#include <cstdint>

namespace fovea::emd {

__extension__ typedef __int128 Wide;

// The mass that is moved stays below 2^kMassBits. Bins of a heavier side are cut at twice that, so
// that even the sum of 64 bins fits into 64 bits.
inline constexpr int kMassBits = 52;
// The greatest cost in units (GroundDistance) has at most so many bits.
inline constexpr int kCostBits = 40;

// How a least cost is converted to a distance. `penalty` is the one in use and not negative.
struct ValueRule {
  MassPolicy policy = MassPolicy::kPartial;
  double unit = 1;  // unit of costs
  double penalty = 0;
  double greatest = 0;
};

// The masses of a pair as they were solved: the moved mass, the surplus, and the powers of two in
// which both are counted (0 for counts). If the totals are far apart, the two powers differ.
struct MovedMass {
  std::int64_t moved = 0;
  std::int64_t extra = 0;  // valid with kPenalty and if a side is empty
  int exponent = 0;
  int extra_exponent = 0;
};

template <class Sum>
FOVEA_HD inline double whole_to_double(Sum value) {
  if constexpr (sizeof(Sum) <= 8) {
    return static_cast<double>(static_cast<std::int64_t>(value));
  } else {  // not negative; converted in two parts, so that all compilers round in the same way
    const auto high = static_cast<std::uint64_t>(value >> 64);
    const auto low = static_cast<std::uint64_t>(value);
    if (high == 0) return static_cast<double>(low);
    return static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
  }
}

FOVEA_HD inline double times_power(double value, int exponent) {
  return exponent == 0 ? value : scalbn(value, exponent);
}

// Returns the distance of a pair with mass on both sides. `cost` is the sum of whole masses times
// whole costs.
template <class Sum>
FOVEA_HD inline double distance_of(const ValueRule& rule, Sum cost, const MovedMass& mass) {
  // The unit is a power of two: multiplying by it last adds no rounding error and avoids early
  // overflow.
  const double units = whole_to_double(cost);
  if (rule.policy != MassPolicy::kPenalty)
    return units / static_cast<double>(mass.moved) * rule.unit;
  return times_power(units * rule.unit, mass.exponent) +
         times_power(rule.penalty * static_cast<double>(mass.extra), mass.extra_exponent);
}

// Returns the distance of a pair with an empty side; `extra` is the mass of the other side.
FOVEA_HD inline double empty_distance(const ValueRule& rule, const MovedMass& mass) {
  if (mass.extra == 0) return 0;
  if (rule.policy != MassPolicy::kPenalty) return rule.greatest;
  return times_power(rule.penalty * static_cast<double>(mass.extra), mass.extra_exponent);
}

// Converts whole flows to the caller's masses, or to shares of 1 (kNormalize).
struct FlowScale {
  int exponent = 0;
  double share = 1;
  FOVEA_HD double operator()(double mass) const { return times_power(mass, exponent) * share; }
};
FOVEA_HD inline FlowScale flow_scale(const ValueRule& rule, const MovedMass& mass) {
  if (rule.policy != MassPolicy::kNormalize) return {mass.exponent, 1};
  return {0, 1 / static_cast<double>(mass.moved)};
}

}  // namespace fovea::emd
