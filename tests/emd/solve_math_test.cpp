// The arithmetic that both twins of the solver share.
#include <gmock/gmock.h>

#include <limits>
#include <numeric>

#include "emd/solve/bit_tableau_math.h"
#include "emd/solve/closed_math.h"
#include "emd/solve/value_math.h"

namespace fovea::emd {
namespace {

using testing::ElementsAre;

TEST(SolveMath, WholeMassesStayAndRealOnesAreScaled) {
  const double whole[] = {3, 0, 1e6}, real[] = {0.1, 0.2, 0.4};
  const MassFacts one = mass_facts(whole, 3), other = mass_facts(real, 3);
  EXPECT_TRUE(one.valid && one.whole);
  EXPECT_FALSE(other.whole);
  EXPECT_EQ(mass_exponent(one, one), 0);
  EXPECT_EQ(mass_exponent(other, other), -52);
  EXPECT_EQ(whole_mass(0.5, -52), std::int64_t{1} << 51);
  EXPECT_EQ(whole_mass(7.0F, 0), 7);
  const double bad[] = {1, -1}, none[] = {std::numeric_limits<double>::quiet_NaN(), 1};
  EXPECT_FALSE(mass_facts(bad, 2).valid);
  EXPECT_FALSE(mass_facts(none, 2).valid);
}

TEST(SolveMath, NormalisedMassesWeighTheSame) {
  const MassFactors factors = mass_factors(6, 4);
  EXPECT_EQ(factors.first, 2);
  EXPECT_EQ(factors.second, 3);
  EXPECT_EQ(mass_factors((std::int64_t{1} << 40) + 1, std::int64_t{1} << 40).first, 0);
  std::int64_t masses[] = {1, 1, 5};
  normalise_to(masses, 3, 7);
  EXPECT_EQ(std::accumulate(masses, masses + 3, std::int64_t{0}), kNormalTotal);
  EXPECT_NEAR(static_cast<double>(masses[2]) / static_cast<double>(kNormalTotal), 5 / 7.0, 1e-15);
}

TEST(SolveMath, DistancesFollowThePolicy) {
  const ValueRule partial{MassPolicy::kPartial, 0.5, 2, 9},
      penalty{MassPolicy::kPenalty, 0.5, 2, 9};
  EXPECT_EQ(distance_of(partial, std::int64_t{12}, {4, 3, 0}), 1.5);
  EXPECT_EQ(distance_of(penalty, std::int64_t{12}, {4, 3, 0}), 12);
  EXPECT_EQ(distance_of(penalty, std::int64_t{12}, {4, 3, -1}), 6);
  EXPECT_EQ(distance_of(partial, Wide{12} << 70, {std::int64_t{1} << 40, 0, 0}), 6 * 0x1p30);
  EXPECT_EQ(empty_distance(partial, 0, 0), 0);
  EXPECT_EQ(empty_distance(partial, 5, 0), 9);
  EXPECT_EQ(empty_distance(penalty, 5, 1), 20);
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
