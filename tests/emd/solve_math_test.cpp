// The arithmetic that both twins of the solver share.
#include <gmock/gmock.h>

#include <limits>
#include <numeric>

#include "emd/solve/bit_tableau_math.h"
#include "emd/solve/closed_math.h"
#include "emd/solve/mass_math.h"
#include "emd/solve/value_math.h"

namespace fovea::emd {
namespace {

using testing::ElementsAre;

TEST(SolveMath, FactsOfMasses) {
  const double whole[] = {3, 0, 1e6}, real[] = {0.1, 0.2, 0.4};
  const MassFacts one = mass_facts(whole, 3), other = mass_facts(real, 3);
  EXPECT_TRUE(one.valid && one.whole);
  EXPECT_EQ(one.total, 1000003);
  EXPECT_TRUE(other.valid && !other.whole);
  const double bad[] = {1, -1}, none[] = {std::numeric_limits<double>::quiet_NaN(), 1},
               much[] = {1e308, 1e308};
  EXPECT_FALSE(mass_facts(bad, 2).valid);
  EXPECT_FALSE(mass_facts(none, 2).valid);
  EXPECT_FALSE(mass_facts(much, 2).valid);
}

MassExponents exponents(MassPolicy policy, double first, double second, bool whole = false) {
  return mass_exponents(policy, {true, whole, first}, {true, whole, second});
}

TEST(SolveMath, MassesAreCountedInPartsOfWhatTheyAreWeighedAgainst) {
  for (const MassPolicy policy :
       {MassPolicy::kPartial, MassPolicy::kPenalty, MassPolicy::kNormalize})
    EXPECT_EQ(exponents(policy, 3, 1e6, true).first, 0);
  const MassExponents normal = exponents(MassPolicy::kNormalize, 1, 0x1p40);
  EXPECT_EQ(normal.first, -51);
  EXPECT_EQ(normal.second, -11);
  for (const MassPolicy policy : {MassPolicy::kPartial, MassPolicy::kPenalty}) {
    for (const auto& of : {exponents(policy, 1, 0x1p40), exponents(policy, 0x1p40, 1)}) {
      EXPECT_EQ(of.first, -51);
      EXPECT_EQ(of.second, -51);
      EXPECT_EQ(of.extra, -11);
    }
    // Nothing moves: what is there counts.
    EXPECT_EQ(exponents(policy, 0, 0x1p-60).first, -111);
    // Whole, but the heavier beyond what is counted one by one.
    const MassExponents great = exponents(policy, 5, 0x1p60, true);
    EXPECT_EQ(great.first, 0);
    EXPECT_EQ(great.extra, 9);
  }
  EXPECT_EQ(exponents(MassPolicy::kPartial, 0, 0).first, 0);
}

TEST(SolveMath, MassesAreRoundedToTheNearest) {
  EXPECT_EQ(MassScale(-52).whole(0.5), std::int64_t{1} << 51);
  EXPECT_EQ(MassScale(0).whole(7.0F), 7);
  EXPECT_EQ(MassScale(0).whole(std::uint16_t{65535}), 65535);
  // In units of 1, which a total of 52 bits has, parts count as in any other.
  const double masses[] = {0x1p51, 0.75};
  const MassFacts facts = mass_facts(masses, 2);
  EXPECT_EQ(mass_exponents(MassPolicy::kPartial, facts, facts).first, 0);
  EXPECT_EQ(MassScale(0).whole(0.75), 1);
  EXPECT_EQ(MassScale(0).whole(1.5), 2);
  EXPECT_EQ(MassScale(0).whole(2.5), 2);
  EXPECT_EQ(MassScale(1).whole(5.0), 2);
  EXPECT_EQ(MassScale(1).whole(7.0), 4);
  // Bins beyond all that moves, and the least and greatest doubles.
  EXPECT_EQ(MassScale(-51).whole(1e300), std::int64_t{1} << 53);
  EXPECT_EQ(MassScale(-1125).whole(std::numeric_limits<double>::max()), std::int64_t{1} << 53);
  EXPECT_EQ(MassScale(-1125).whole(std::numeric_limits<double>::denorm_min()),
            std::int64_t{1} << 51);
  EXPECT_EQ(MassScale(972).whole(0x1p1023), std::int64_t{1} << 51);
  EXPECT_EQ(MassScale(972).whole(1e-300), 0);
}

TEST(SolveMath, PairsBecomeWhole) {
  using Masses = double[2];
  const auto load = [](MassPolicy policy, const Masses& first, const Masses& second) {
    std::int64_t one[2], other[2];
    return make_whole(policy, MassSide<Masses>{first, 2, one}, MassSide<Masses>{second, 2, other});
  };
  const Masses light{0.25, 0.75}, heavy{0x1p40, 0.5}, none{0, 0}, bad{-1, 2};
  const WholePair penalized = load(MassPolicy::kPenalty, light, heavy);
  EXPECT_EQ(penalized.status, Status::kOptimal);
  EXPECT_EQ(penalized.mass.moved, std::int64_t{1} << 51);
  EXPECT_EQ(penalized.mass.exponent, -51);
  EXPECT_EQ(penalized.mass.extra, (std::int64_t{1} << 51) - (1 << 10));  // 2^40 + 1/2 - 1
  EXPECT_EQ(penalized.mass.extra_exponent, -11);
  const WholePair partial = load(MassPolicy::kPartial, heavy, light);
  EXPECT_EQ(partial.second_total, std::int64_t{1} << 51);
  EXPECT_EQ(partial.first_total, (std::int64_t{1} << 53) + (std::int64_t{1} << 50));
  const WholePair normal = load(MassPolicy::kNormalize, heavy, light);
  EXPECT_EQ(normal.first_total, normal.second_total);
  EXPECT_EQ(normal.mass.moved, normal.first_total);
  EXPECT_EQ(normal.mass.extra, 0);
  const WholePair empty = load(MassPolicy::kPenalty, none, heavy);
  EXPECT_EQ(empty.status, Status::kEmpty);
  EXPECT_EQ(empty_distance({MassPolicy::kPenalty, 1, 2, 9}, empty.mass), 0x1p41 + 1);
  EXPECT_EQ(load(MassPolicy::kPartial, none, none).mass.extra, 0);
  EXPECT_EQ(load(MassPolicy::kPartial, bad, heavy).status, Status::kInvalidMass);
}

TEST(SolveMath, NormalizedMassesWeighTheSame) {
  const MassFactors factors = mass_factors(6, 4);
  EXPECT_EQ(factors.first, 2);
  EXPECT_EQ(factors.second, 3);
  EXPECT_EQ(mass_factors((std::int64_t{1} << 40) + 1, std::int64_t{1} << 40).first, 0);
  const CountFactors counts = count_factors(121, 69840, (1 << 27) - 1);
  EXPECT_EQ(counts.first, 69840);
  EXPECT_EQ(counts.second, 121);
  EXPECT_EQ(count_factors(66, 33, 66).second, 2);
  EXPECT_EQ(count_factors(66, 33, 65).first, 0);
  EXPECT_EQ(count_factors(5, 5, 4).first, 1);
  std::int64_t masses[] = {1, 1, 5};
  normalize_to(masses, 3, 7);
  EXPECT_EQ(std::accumulate(masses, masses + 3, std::int64_t{0}), kNormalTotal);
  EXPECT_NEAR(static_cast<double>(masses[2]) / static_cast<double>(kNormalTotal), 5 / 7.0, 1e-15);
}

TEST(SolveMath, DistancesFollowThePolicy) {
  const ValueRule partial{MassPolicy::kPartial, 0.5, 2, 9},
      penalty{MassPolicy::kPenalty, 0.5, 2, 9};
  EXPECT_EQ(distance_of(partial, std::int64_t{12}, {4, 3, 0}), 1.5);
  EXPECT_EQ(distance_of(penalty, std::int64_t{12}, {4, 3, 0}), 12);
  EXPECT_EQ(distance_of(penalty, std::int64_t{12}, {4, 3, -1, -1}), 6);
  EXPECT_EQ(distance_of(penalty, std::int64_t{12}, {4, 3, -1, 2}), 27);
  EXPECT_EQ(distance_of(partial, Wide{12} << 70, {std::int64_t{1} << 40, 0, 0}), 6 * 0x1p30);
  EXPECT_EQ(empty_distance(partial, {}), 0);
  EXPECT_EQ(empty_distance(partial, {0, 5}), 9);
  EXPECT_EQ(empty_distance(penalty, {0, 5, 1, 1}), 20);
  EXPECT_EQ(flow_scale(partial, {4, 0, -1, -1})(3), 1.5);
  EXPECT_EQ(flow_scale({MassPolicy::kNormalize}, {4, 0, 0, 0})(3), 0.75);
}

TEST(SolveMath, ClosedFormsAreTheirDefinitions) {
  const std::int64_t gaps[] = {1, 4};
  const int first[] = {2, 0, 1, 0}, second[] = {0, 0, 3, 0};
  EXPECT_EQ(line_cost<std::int64_t>(first, second, gaps, 3), 2 * 1 + 2 * 4);
  EXPECT_EQ(circle_cost<std::int64_t>(first, second, 3, 3), 2 * 3);
  EXPECT_EQ(discrete_cost<std::int64_t>(first, second, 7, 3), 2 * 7);
  std::vector<int> moved;
  walk(first, second, 3, 3, [&](int i, int j, int mass) {
    if (mass > 0) moved.insert(moved.end(), {i, j, mass});
  });
  EXPECT_THAT(moved, ElementsAre(0, 2, 2, 2, 2, 1));
}

TEST(SolveMath, TheTableauStaysOfOnes) {
  // Two sources, two sinks; the cheap diagonal is taken from the auxiliary sink.
  BitTableau<int> tableau;
  tableau.sources = tableau.sinks = 2;
  const int out[] = {3, 4}, in[] = {5, 2};
  start_tableau(tableau, out, in, std::int64_t{100}, [](int i, int j) { return i == j ? 1 : 5; });
  int pivots = 0;
  EXPECT_EQ(improve(tableau, 100, pivots), Status::kOptimal);
  int cost = 0, moved = 0;
  for (int row = 0; row < tableau.rows; ++row) {
    if (tableau.basic[row] >= 4) continue;
    moved += tableau.value[row];
    cost += tableau.value[row] * (tableau.basic[row] / 2 == tableau.basic[row] % 2 ? 1 : 5);
    for (int word = 0; word < tableau.words; ++word)
      EXPECT_EQ(tableau.plus[row][word] & tableau.minus[row][word], 0U);
  }
  EXPECT_EQ(moved, 7);
  EXPECT_EQ(cost, 3 + 2 + 2 * 5);
}

}  // namespace
}  // namespace fovea::emd
