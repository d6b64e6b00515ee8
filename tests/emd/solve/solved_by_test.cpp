// Which solver takes a problem, on every device: the tableau of bits takes whole masses of any two
// totals, and what it cannot hold goes to the one with wider masses.
// Covers: tableau_lane
#include <fovea/emd/solver.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/devices.h"

namespace fovea::emd {
namespace {

using Histogram = std::vector<double>;

// So many units in 11 bins, the same number in each as far as that goes.
Histogram spread(int total, int bins = 11) {
  Histogram masses(static_cast<std::size_t>(bins));
  for (int i = 0; i < bins; ++i) masses[static_cast<std::size_t>(i)] = total / bins;
  masses[2] += total % bins;
  return masses;
}
Histogram one_bin(int bin, double mass) {
  Histogram masses(11);
  masses[static_cast<std::size_t>(bin)] = mass;
  return masses;
}

class SolvedByOn : public fovea::test::OnEveryPlace {
 protected:
  SolverOptions paper() const {
    return {.solver = SolverKind::kSimplex,
            .start = SimplexStart::kAuxiliary,
            .mass = MassPolicy::kNormalize,
            .exec = {.device = device()}};
  }
  // What solved a pair; the distance is that of the CPU from the greedy start.
  SolvedBy solver_of(const Histogram& first, const Histogram& second, const SolverOptions& options,
                     const std::string& name = "threshold:3") {
    const auto ground = GroundDistance::named(name, static_cast<int>(first.size()));
    const int bins = static_cast<int>(first.size());
    const Solutions found =
        Solver(ground, options)
            .solve<double>(packed_view(first.data(), bins, 1), packed_view(second.data(), bins, 1));
    SolverOptions greedy = options;
    greedy.start = SimplexStart::kGreedy;
    greedy.exec.device = Device::cpu();
    EXPECT_EQ(found.distance[0], distance(ground, first, second, greedy).distance);
    EXPECT_EQ(found.distance[0], distance(ground, first, second, options).distance);
    return found.solved_by[0];
  }
};
FOVEA_ON_EVERY_PLACE(SolvedByOn);

TEST_P(SolvedByOn, TheTableauTakesWholeMassesOfAnyTotals) {
  EXPECT_EQ(solver_of(spread(121), spread(69840), paper()), SolvedBy::kTableau);
  EXPECT_EQ(solver_of(spread(121), spread(121), paper()), SolvedBy::kTableau);
  EXPECT_EQ(solver_of(one_bin(3, 121), one_bin(9, 7), paper()), SolvedBy::kTableau);
  EXPECT_EQ(solver_of(one_bin(3, 121), one_bin(3, 121), paper()), SolvedBy::kTableau);
  // 2^27 - 1 is the greatest total that both may have in common.
  EXPECT_EQ(solver_of(one_bin(0, (1 << 27) - 1), spread(1), paper()), SolvedBy::kTableau);
  EXPECT_EQ(solver_of(one_bin(0, 1 << 27), spread(1), paper()), SolvedBy::kWideTableau);
}

TEST_P(SolvedByOn, TheWideTableauTakesTheRest) {
  EXPECT_EQ(solver_of(spread(104729), spread(104723), paper()), SolvedBy::kWideTableau);
  EXPECT_EQ(solver_of(one_bin(0, 0x1p51), spread((1 << 30) - 1), paper()), SolvedBy::kWideTableau);
  Histogram real = spread(40);
  real[4] += 0.5;
  EXPECT_EQ(solver_of(real, spread(121), paper()), SolvedBy::kWideTableau);
  SolverOptions partial = paper();
  partial.mass = MassPolicy::kPartial;
  EXPECT_EQ(solver_of(real, spread(121), partial), SolvedBy::kWideTableau);
  EXPECT_EQ(solver_of(spread(121), spread(40), partial), SolvedBy::kTableau);
}

TEST_P(SolvedByOn, NothingSolvesWhatHasNoMass) {
  EXPECT_EQ(solver_of(spread(0), spread(121), paper()), SolvedBy::kNothing);
  EXPECT_EQ(solver_of(spread(121), spread(0), paper()), SolvedBy::kNothing);
  EXPECT_EQ(solver_of(spread(0), spread(0), paper()), SolvedBy::kNothing);
  EXPECT_EQ(solver_of(one_bin(1, -3), spread(121), paper()), SolvedBy::kNothing);
  EXPECT_EQ(solver_of(one_bin(1, std::numeric_limits<double>::quiet_NaN()), spread(1), paper()),
            SolvedBy::kNothing);
}

TEST_P(SolvedByOn, MoreThanSixteenBinsHaveATree) {
  EXPECT_EQ(solver_of(spread(121, 16), spread(700, 16), paper()), SolvedBy::kTableau);
  EXPECT_EQ(solver_of(spread(121, 17), spread(700, 17), paper()), SolvedBy::kAuxiliarySimplex);
  EXPECT_EQ(solver_of(spread(121, 40), spread(700, 40), paper()), SolvedBy::kAuxiliarySimplex);
}

TEST_P(SolvedByOn, OtherOptionsHaveOtherSolvers) {
  SolverOptions options = paper();
  options.solver = SolverKind::kAuto;
  EXPECT_EQ(solver_of(spread(121), spread(69840), options, "l1"), SolvedBy::kClosedForm);
  EXPECT_EQ(solver_of(spread(121), spread(69840), options, "circular"), SolvedBy::kClosedForm);
  // The closed form of unequal masses is no other than the tableau's.
  options.mass = MassPolicy::kPartial;
  EXPECT_EQ(solver_of(spread(121), spread(69840), options, "l1"), SolvedBy::kTableau);
  options = paper();
  options.start = SimplexStart::kGreedy;
  EXPECT_EQ(solver_of(spread(121), spread(69840), options), SolvedBy::kGreedyStart);
}

TEST_P(SolvedByOn, APivotLimitChangesNoSolver) {
  SolverOptions options = paper();
  options.max_pivots = 3;
  const auto ground = GroundDistance::thresholded(11, 3);
  for (const int total : {69840, 104723}) {
    const Solution cut = distance(ground, one_bin(4, 104729), spread(total), options);
    EXPECT_EQ(cut.status, Status::kPivotLimit);
    EXPECT_EQ(cut.pivots, 3);
    EXPECT_EQ(cut.solved_by, SolvedBy::kWideTableau);
    EXPECT_GE(cut.distance, distance(ground, one_bin(4, 104729), spread(total), paper()).distance);
  }
  const Solution cut = distance(ground, one_bin(4, 121), spread(69840), options);
  EXPECT_EQ(cut.status, Status::kPivotLimit);
  EXPECT_EQ(cut.solved_by, SolvedBy::kTableau);
}

TEST(SolvedBy, HasNamesAndCounts) {
  EXPECT_STREQ(to_string(SolvedBy::kNothing), "nothing");
  EXPECT_STREQ(to_string(SolvedBy::kAuxiliarySimplex), "auxiliary_simplex");
  SolvedCounts counts;
  ++counts[SolvedBy::kTableau];
  SolvedCounts more = counts;
  more += counts;
  EXPECT_EQ(more[SolvedBy::kTableau], 2);
  EXPECT_NE(more, counts);
}

}  // namespace
}  // namespace fovea::emd
