#include <fovea/core/random.h>
#include <gmock/gmock.h>

#include "emd/map/map_plan.h"

namespace fovea::emd {
namespace {

using Counts = std::vector<double>;

struct Case {
  GroundDistance ground;
  std::vector<std::uint16_t> target;

  double exact(const Counts& counts) const {
    return distance(
               ground, counts, Counts(target.begin(), target.end()),
               {.mass = MassPolicy::kNormalize, .exec = {.device = Device::cpu(), .threads = 1}})
        .distance;
  }
};

GroundDistance random_ground(Random& random, int rows, int columns) {
  std::vector<double> costs;
  for (int i = 0; i < rows * columns; ++i) costs.push_back(random.below(50) * 0.3);
  return {rows, columns, costs};
}

// Some bins of the target have no mass: nothing goes there, and no bound may count on it.
Case random_case(Random& random, int round) {
  const int rows = 2 + static_cast<int>(random.below(10));
  const int columns = round % 3 == 2 ? 2 + static_cast<int>(random.below(10)) : rows;
  Case made{
      round % 3 == 0 ? GroundDistance::thresholded(rows, 3) : random_ground(random, rows, columns),
      {}};
  for (int i = 0; i < columns; ++i)
    made.target.push_back(static_cast<std::uint16_t>(random.below(9)));
  made.target[0] = 5;
  return made;
}

Counts random_counts(Random& random, int bins) {
  Counts counts;
  for (int b = 0; b < bins; ++b) counts.push_back(random.below(4) == 0 ? random.below(30) : 0);
  counts[random.below(static_cast<std::uint32_t>(bins))] += 1;
  return counts;
}

// One bound of a plan alone, or -1 where it does not lie above the threshold.
float one_bound(const BoundPlan& plan, std::size_t k, const Counts& counts) {
  detail::BoundParams one = plan.params();
  one.count = 1;
  one.weights += k * static_cast<std::size_t>(plan.bins);
  one.offsets += k;
  return detail::bound_above(one, counts);
}
double best_bound(const BoundPlan& plan, const Counts& counts) {
  float best = 0;
  for (std::size_t k = 0; k < plan.offsets.size(); ++k)
    best = std::max(best, one_bound(plan, k, counts));
  return static_cast<double>(best);
}

TEST(Bounds, NeverExceedTheDistance) {
  Random random(1);
  double tightness = 0;
  int compared = 0;
  for (int round = 0; round < 18; ++round) {
    const Case what = random_case(random, round);
    const BoundPlan plan = plan_bounds(what.ground, what.target, 1e-6F);
    ASSERT_FALSE(plan.offsets.empty());
    ASSERT_LE(plan.offsets.size(), 16U);
    ASSERT_EQ(plan.weights.size(),
              plan.offsets.size() * static_cast<std::size_t>(what.ground.rows()));
    for (int i = 0; i < 50; ++i) {
      const Counts counts = random_counts(random, what.ground.rows());
      const double exact = what.exact(counts), best = best_bound(plan, counts);
      ASSERT_LE(static_cast<float>(best), static_cast<float>(exact));
      if (exact > 0) tightness += best / exact, ++compared;
    }
  }
  EXPECT_GT(tightness / compared, 0.8);
}

// What a detector relies on: above the threshold by a bound is above it by the solver, and the
// bound itself tells so.
TEST(Bounds, SkipOnlyWhatLiesAboveTheThreshold) {
  Random random(2);
  int skipped = 0, above = 0;
  for (int round = 0; round < 12; ++round) {
    const Case what = random_case(random, round);
    const auto threshold = static_cast<float>(0.3 * what.ground.greatest());
    const BoundPlan plan = plan_bounds(what.ground, what.target, threshold);
    for (int i = 0; i < 50; ++i) {
      const Counts counts = random_counts(random, what.ground.rows());
      const auto exact = static_cast<float>(what.exact(counts));
      const float bound = detail::bound_above(plan.params(), counts);
      above += exact > threshold ? 1 : 0;
      if (bound < 0) continue;
      ++skipped;
      ASSERT_GT(bound, threshold);
      ASSERT_LE(bound, exact);
    }
  }
  EXPECT_GT(skipped, above / 2);  // and most of it
}

// Where all mass lies in one bin there is but one flow: its cost is met, but for what rounding is
// allowed to take away.
TEST(Bounds, MeetTheDistanceOfSingleBins) {
  const Case what{GroundDistance::thresholded(6, 3), {4, 0, 0, 2, 0, 0}};
  const BoundPlan plan = plan_bounds(what.ground, what.target, 1e-6F);
  for (std::size_t bin = 0; bin < 6; ++bin) {
    Counts counts(6, 0.0);
    counts[bin] = 7;
    EXPECT_NEAR(best_bound(plan, counts), what.exact(counts), 1e-6);
  }
}

TEST(Bounds, AreNoneWithoutAThresholdAndSayNothingOfEmptyWindows) {
  const Case what{GroundDistance::l1(4), {1, 0, 0, 2}};
  EXPECT_TRUE(plan_bounds(what.ground, what.target, 0).offsets.empty());
  const BoundPlan plan = plan_bounds(what.ground, what.target, 0.1F);
  EXPECT_LT(detail::bound_above(plan.params(), Counts(4, 0.0)), 0);
}

// Maps with a threshold are the same in every run.
TEST(Bounds, FollowFromTargetAndGroundAlone) {
  Random random(3);
  const Case what = random_case(random, 1);
  const BoundPlan first = plan_bounds(what.ground, what.target, 1);
  const BoundPlan second = plan_bounds(what.ground, what.target, 2);
  EXPECT_EQ(first.weights, second.weights);
  EXPECT_EQ(first.offsets, second.offsets);
}

}  // namespace
}  // namespace fovea::emd
