// How a least cost becomes a distance; both twins go through here. Whatever is solved has whole
// masses (mass_math.h) and whole costs and so one least cost, whichever of the optimal flows is
// found. Costs are summed in 128 bits where 64 might not do.
#pragma once
#include <fovea/emd/solver.h>

#include <cmath>
#include <cstdint>

namespace fovea::emd {

__extension__ typedef __int128 Wide;

// What is moved stays below, all whole masses of a pair eight bits more, with room for sums of 64.
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

// The masses of a pair as they were solved: what moved, what was left over, and the powers of two
// that both are multiples of (0 for counts). Where totals lie far apart these differ.
struct MovedMass {
  std::int64_t moved = 0;
  std::int64_t extra = 0;  // right for kPenalty and where a side is empty
  int exponent = 0;
  int extra_exponent = 0;
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

FOVEA_HD inline double times_power(double value, int exponent) {
  return exponent == 0 ? value : scalbn(value, exponent);
}

// Of a pair with mass on both sides. `cost` is the sum of whole masses times whole costs.
template <class Sum>
FOVEA_HD inline double distance_of(const ValueRule& rule, Sum cost, const MovedMass& mass) {
  // The unit is a power of two: multiplying last rounds nothing and overflows last.
  const double units = whole_to_double(cost);
  if (rule.policy != MassPolicy::kPenalty)
    return units / static_cast<double>(mass.moved) * rule.unit;
  return times_power(units * rule.unit, mass.exponent) +
         times_power(rule.penalty * static_cast<double>(mass.extra), mass.extra_exponent);
}

// Of a pair with a side without mass; `extra` is the other side's.
FOVEA_HD inline double empty_distance(const ValueRule& rule, const MovedMass& mass) {
  if (mass.extra == 0) return 0;
  if (rule.policy != MassPolicy::kPenalty) return rule.greatest;
  return times_power(rule.penalty * static_cast<double>(mass.extra), mass.extra_exponent);
}

// What whole flows are multiplied by to be the caller's masses, or shares of 1 (kNormalize).
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
