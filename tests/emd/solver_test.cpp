// Covers: solver_closed, solver_general
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/solver.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "emd/solve/random_problems.h"
#include "reference/emd.h"
#include "support/device_rule.h"
#include "support/devices.h"

namespace fovea::emd {
namespace {

using testing::HasSubstr;
namespace test = random_problems;

class EmdSolver : public fovea::test::OnEveryPlace {
 protected:
  SolverOptions options() const { return {.exec = {.device = device()}}; }
};
FOVEA_ON_EVERY_PLACE(EmdSolver);

template <class Mass>
std::vector<std::int64_t> whole(const Mass* masses, int bins) {
  return {masses, masses + bins};
}
std::int64_t total_of(const std::vector<std::int64_t>& masses) {
  return std::accumulate(masses.begin(), masses.end(), std::int64_t{0});
}

// Moves all that the policy wants moved, from where it is to where it is wanted, at that cost.
void expect_flow(const GroundDistance& ground, const double* flow, const double* first,
                 const double* second, double cost) {
  double sum = 0, moved = 0, first_total = 0, second_total = 0;
  std::vector<double> into(static_cast<std::size_t>(ground.columns()));
  for (int i = 0; i < ground.rows(); ++i) {
    double out = 0;
    for (int j = 0; j < ground.columns(); ++j) {
      const double mass = flow[i * ground.columns() + j];
      EXPECT_GE(mass, 0);
      out += mass;
      into[static_cast<std::size_t>(j)] += mass;
      sum += mass * ground.cost(i, j);
    }
    EXPECT_LE(out, first[i] * (1 + 1e-12) + 1e-300);
    moved += out;
    first_total += first[i];
  }
  for (int j = 0; j < ground.columns(); ++j) {
    EXPECT_LE(into[static_cast<std::size_t>(j)], second[j] * (1 + 1e-12) + 1e-300);
    second_total += second[j];
  }
  EXPECT_NEAR(moved, std::min(first_total, second_total), 1e-12 * first_total);
  EXPECT_NEAR(sum, cost, 1e-9 * (1 + cost));
}

TEST_P(EmdSolver, KnowsDistancesThatAreKnown) {
  const auto of = [&](const GroundDistance& ground, std::vector<double> p, std::vector<double> q) {
    return distance(ground, p, q, options()).distance;
  };
  EXPECT_EQ(of(GroundDistance::l1(3), {1, 0, 0}, {0, 0, 1}), 2);
  EXPECT_EQ(of(GroundDistance::l1(3), {2, 0, 0}, {0, 1, 1}), 1.5);
  EXPECT_EQ(of(GroundDistance::squared(3), {2, 0, 0}, {0, 1, 1}), 2.5);
  EXPECT_EQ(of(GroundDistance::thresholded(5, 2), {4, 0, 0, 0, 0}, {0, 0, 0, 0, 4}), 2);
  EXPECT_EQ(of(GroundDistance::circular(5), {4, 0, 0, 0, 0}, {0, 0, 0, 0, 4}), 1);
  EXPECT_EQ(of(GroundDistance::discrete(4), {3, 1, 0, 0}, {1, 1, 1, 1}), 0.5);
  EXPECT_EQ(of(GroundDistance::l1(1), {5}, {5}), 0);
  EXPECT_DOUBLE_EQ(of(GroundDistance::l1(2), {0.5, 0.5}, {0.25, 0.75}), 0.25);
  EXPECT_NEAR(of(GroundDistance::thresholded(4, 2), {0.1, 0.2, 0.3, 0.4}, {0.4, 0.3, 0.2, 0.1}),
              0.7, 1e-14);
  // Rectangular: 2 bins into 3.
  const GroundDistance table(2, 3, std::vector<double>{4, 1, 3, 2, 5, 2});
  EXPECT_EQ(of(table, {3, 4}, {2, 2, 3}), (2 * 1 + 1 * 3 + 2 * 2 + 2 * 2) / 7.0);
}

TEST_P(EmdSolver, UnequalMassesMeanWhatThePolicySays) {
  const GroundDistance ground = GroundDistance::l1(4);
  const std::vector<double> p{3, 0, 0, 0}, q{1, 0, 0, 9};
  SolverOptions chosen = options();
  EXPECT_DOUBLE_EQ(distance(ground, p, q, chosen).distance, 2.0);  // 1 stays, 2 go 3 steps, of 3
  chosen.mass = MassPolicy::kPenalty;
  EXPECT_DOUBLE_EQ(distance(ground, p, q, chosen).distance, 6 + 3 * 7);
  chosen.penalty = 0.5;
  EXPECT_DOUBLE_EQ(distance(ground, p, q, chosen).distance, 6 + 0.5 * 7);
  chosen.mass = MassPolicy::kNormalize;
  EXPECT_DOUBLE_EQ(distance(ground, p, q, chosen).distance, 0.9 * 3);
  // Roles changed, nothing else.
  chosen.mass = MassPolicy::kPartial;
  EXPECT_DOUBLE_EQ(distance(ground, q, p, chosen).distance, 2.0);
}

TEST_P(EmdSolver, PenaltiesAreThoseOfEmdHat) {
  // Published for pyemd: extra mass costs the greatest distance.
  SolverOptions chosen = options();
  chosen.mass = MassPolicy::kPenalty;
  const GroundDistance ground(2, 2, std::vector<double>{0, 0.5, 0.5, 0});
  EXPECT_DOUBLE_EQ(
      distance(ground, std::vector<double>{0, 1}, std::vector<double>{5, 3}, chosen).distance, 3.5);
}

TEST_P(EmdSolver, HistogramsWithoutMassHaveADefinedDistance) {
  const GroundDistance ground = GroundDistance::thresholded(4, 2);
  const std::vector<double> none(4), some{1, 0, 2, 0};
  for (const MassPolicy policy : {MassPolicy::kPartial, MassPolicy::kNormalize}) {
    SolverOptions chosen = options();
    chosen.mass = policy;
    const Solution both = distance(ground, none, none, chosen);
    EXPECT_EQ(both.distance, 0);
    EXPECT_EQ(both.status, Status::kEmpty);
    const Solution one = distance(ground, none, some, chosen);
    EXPECT_EQ(one.distance, 2);
    EXPECT_EQ(one.status, Status::kEmpty);
  }
  SolverOptions chosen = options();
  chosen.mass = MassPolicy::kPenalty;
  chosen.penalty = 5;
  EXPECT_EQ(distance(ground, some, none, chosen).distance, 15);
}

template <class Mass>
void expect_reference(const SolverOptions& options, int most_bins, int rounds, std::uint64_t seed) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    const int rows = test::between(random, 1, most_bins);
    const int columns =
        test::between(random, 0, 1) == 0 ? rows : test::between(random, 1, most_bins);
    const GroundDistance ground = test::random_ground(random, rows, columns);
    const auto pairs = test::random_pairs<Mass>(random, ground, 24);
    Solver solver(ground, options);
    const Solutions found = solver.solve<Mass>(pairs.first.view(), pairs.second.view(), false);
    for (int k = 0; k < pairs.first.height(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto p = whole(pairs.first.row(k), rows), q = whole(pairs.second.row(k), columns);
      const auto least = static_cast<double>(reference::least_cost(ground, p, q));
      const auto moved = static_cast<double>(std::min(total_of(p), total_of(q)));
      ASSERT_EQ(found.status[at], Status::kOptimal);
      ASSERT_EQ(found.distance[at], least / moved * ground.unit())
          << to_string(ground.form()) << ' ' << rows << 'x' << columns << " problem " << k;
    }
  }
}

TEST_P(EmdSolver, EqualsShortestPathsForBytes) {
  expect_reference<std::uint8_t>(options(), 16, 150, 1);
}
TEST_P(EmdSolver, EqualsShortestPathsForShortsAndManyBins) {
  expect_reference<std::uint16_t>(options(), 64, 12, 2);
}
TEST_P(EmdSolver, EqualsShortestPathsForFloats) { expect_reference<float>(options(), 12, 40, 3); }
TEST_P(EmdSolver, EqualsShortestPathsForDoubles) { expect_reference<double>(options(), 12, 40, 4); }
TEST_P(EmdSolver, TheSimplexAgreesWhereThereIsAClosedForm) {
  SolverOptions chosen = options();
  chosen.solver = SolverKind::kSimplex;
  expect_reference<std::uint8_t>(chosen, 16, 100, 5);
}

TEST_P(EmdSolver, TheAuxiliarySinkLeadsToTheSameDistance) {
  SolverOptions chosen = options();
  chosen.solver = SolverKind::kSimplex;
  chosen.start = SimplexStart::kAuxiliary;
  expect_reference<std::uint8_t>(chosen, 16, 100, 10);
  expect_reference<std::uint16_t>(chosen, 40, 12, 11);
  expect_reference<double>(chosen, 12, 20, 12);
}

TEST_P(EmdSolver, FlowsCostWhatTheDistanceSays) {
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    const int rows = test::between(random, 1, 14);
    const int columns = round % 2 == 0 ? rows : test::between(random, 1, 14);
    const GroundDistance ground = test::random_ground(random, rows, columns);
    const auto pairs = test::random_pairs<double>(random, ground, 1);
    const std::span<const double> p(pairs.first.row(0), static_cast<std::size_t>(rows));
    const std::span<const double> q(pairs.second.row(0), static_cast<std::size_t>(columns));
    SolverOptions chosen = options();
    if (round % 3 > 0) chosen.solver = SolverKind::kSimplex;
    if (round % 3 > 1) chosen.start = SimplexStart::kAuxiliary;
    const Solution found = distance(ground, p, q, chosen);
    const double moved = std::min(std::accumulate(p.begin(), p.end(), 0.0),
                                  std::accumulate(q.begin(), q.end(), 0.0));
    expect_flow(ground, found.flow.data(), p.data(), q.data(), found.distance * moved);
  }
}

TEST_P(EmdSolver, RealMassesAreScaledWholeOnes) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const int bins = test::between(random, 2, 20);
    const GroundDistance ground = test::random_ground(random, bins, bins);
    const auto pairs = test::random_pairs<double>(random, ground, 1);
    std::vector<double> p(pairs.first.row(0), pairs.first.row(0) + bins),
        q(pairs.second.row(0), pairs.second.row(0) + bins);
    const double wanted = distance(ground, p, q, options()).distance;
    for (const double scale : {0.1, 1e-200, 3e100, 0x1p-30}) {
      std::vector<double> a = p, b = q;
      for (double& mass : a) mass *= scale;
      for (double& mass : b) mass *= scale;
      EXPECT_NEAR(distance(ground, a, b, options()).distance, wanted, 1e-12 * (1 + wanted));
    }
    SolverOptions normal = options();
    normal.mass = MassPolicy::kNormalize;
    const double normalized = distance(ground, p, q, normal).distance;
    std::vector<double> a = p;
    for (double& mass : a) mass *= 0.3;
    EXPECT_NEAR(distance(ground, a, q, normal).distance, normalized, 1e-12 * (1 + normalized));
  }
}

TEST_P(EmdSolver, GreatMassesAndFineCostsDoNotOverflow) {
  // 64 bins of the greatest count, at costs of 40 bits.
  std::vector<double> costs;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) costs.push_back(std::sqrt(1.0 + (i * 7 + j * 13) % 31) * 1e5);
  const GroundDistance ground(64, 64, costs);
  EXPECT_FALSE(ground.exact());
  Image<std::uint16_t> first(64, 2), second(64, 2);
  for (int i = 0; i < 64; ++i) {
    first.at(i, 0) = first.at(i, 1) = 65535;
    second.at(i, 0) = 65535;
    second.at(i, 1) = i < 20 ? 65535 : 7;
  }
  for (int k = 0; k < 2; ++k) {
    const auto p = whole(first.row(k), 64), q = whole(second.row(k), 64);
    // Masses divided by what they have in common are the same problem.
    std::vector<std::int64_t> smaller_p(64, 65535), smaller_q = q;
    if (k == 0) smaller_p = smaller_q = std::vector<std::int64_t>(64, 1);
    const auto least = static_cast<double>(reference::least_cost(ground, smaller_p, smaller_q));
    const auto moved = static_cast<double>(std::min(total_of(smaller_p), total_of(smaller_q)));
    for (const SimplexStart start : {SimplexStart::kGreedy, SimplexStart::kAuxiliary}) {
      SolverOptions chosen = options();
      chosen.start = start;
      const Solutions found =
          Solver(ground, chosen).solve<std::uint16_t>(first.view(), second.view());
      EXPECT_EQ(found.status[static_cast<std::size_t>(k)], Status::kOptimal);
      EXPECT_NEAR(found.distance[static_cast<std::size_t>(k)] / (least / moved * ground.unit()), 1,
                  1e-15);
    }
  }
}

TEST_P(EmdSolver, BadProblemsAreToldAndOthersSolved) {
  const GroundDistance ground = GroundDistance::thresholded(3, 2);
  Image<double> first(3, 5), second(3, 1);
  for (int k = 0; k < 5; ++k) std::fill_n(first.row(k), 3, 1.0);
  std::fill_n(second.row(0), 3, 1.0);
  first.at(1, 0) = -1;
  first.at(1, 1) = std::numeric_limits<double>::quiet_NaN();
  first.at(1, 2) = std::numeric_limits<double>::infinity();
  first.at(0, 3) = first.at(1, 3) = 1e308;
  Solver solver(ground, options());
  const Solutions found = solver.solve<double>(first.view(), second.view());
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(found.status[k], Status::kInvalidMass) << k;
    EXPECT_EQ(found.distance[k], 0) << k;
  }
  EXPECT_EQ(found.status[4], Status::kOptimal);
}

TEST_P(EmdSolver, DegenerateProblemsEnd) {
  // Assignments: every basis has as many cells without flow as with it.
  Random random(13);
  for (const int bins : {8, 16, 40}) {
    std::vector<double> costs(static_cast<std::size_t>(bins) * static_cast<std::size_t>(bins));
    for (double& cost : costs) cost = test::between(random, 0, 4);
    const GroundDistance ground(bins, bins, costs);
    Image<std::uint8_t> first(bins, 1), second(bins, 1);
    std::fill_n(first.row(0), bins, std::uint8_t{3});
    std::fill_n(second.row(0), bins, std::uint8_t{3});
    const auto masses = whole(first.row(0), bins);
    const auto least = static_cast<double>(reference::least_cost(ground, masses, masses));
    for (const SimplexStart start : {SimplexStart::kGreedy, SimplexStart::kAuxiliary}) {
      SolverOptions chosen = options();
      chosen.start = start;
      const Solutions found =
          Solver(ground, chosen).solve<std::uint8_t>(first.view(), second.view());
      EXPECT_EQ(found.status[0], Status::kOptimal);
      EXPECT_EQ(found.distance[0], least / (3.0 * bins));
    }
  }
}

TEST_P(EmdSolver, APivotLimitIsTold) {
  Random random(8);
  std::vector<double> costs;
  for (int k = 0; k < 256; ++k) costs.push_back(test::between(random, 1, 1000));
  const GroundDistance ground(16, 16, costs);
  const auto pairs = test::random_pairs<std::uint8_t>(random, ground, 50);
  SolverOptions chosen = options();
  const Solutions all =
      Solver(ground, chosen).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
  chosen.max_pivots = 2;
  const Solutions some =
      Solver(ground, chosen).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
  int limited = 0;
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_EQ(some.status[k], all.pivots[k] > 2 ? Status::kPivotLimit : Status::kOptimal);
    EXPECT_GE(some.distance[k], all.distance[k]);
    limited += some.status[k] == Status::kPivotLimit ? 1 : 0;
  }
  EXPECT_GT(limited, 10);
}

TEST_P(EmdSolver, ShapesThatDoNotFitAreRefused) {
  Solver solver(GroundDistance::l1(4), options());
  const auto message = [&](int first_bins, int second_bins, int second_rows) {
    Image<std::uint8_t> first(first_bins, 3), second(second_bins, second_rows);
    try {
      solver.solve<std::uint8_t>(first.view(), second.view());
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(5, 4, 3), HasSubstr("first has 5 bins, but the ground distance has 4 rows"));
  EXPECT_THAT(message(4, 3, 3), HasSubstr("second has 3 bins"));
  EXPECT_THAT(message(4, 4, 2), HasSubstr("second has 2 histograms, expected 1 or 3"));
}

void solve_on(ImageView<const std::uint8_t> masses, Device device) {
  Solver solver(GroundDistance::l1(4), {.exec = {.device = device}});
  solver.solve<std::uint8_t>(masses, masses);
}

TEST(EmdSolverDevice, DataOnAGpuIsRefusedOnTheCpu) {
  fovea::test::expect_refused_on_the_cpu(Image<std::uint8_t>(4, 3), solve_on);
}

TEST(EmdSolverDevice, DataOnAGpuIsRefusedOnAnotherGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  fovea::test::expect_refused_on_another_gpu(Image<std::uint8_t>(4, 3), solve_on);
}

// Each of the batch's parts goes where it is needed, or stays.
TEST(EmdSolverDevice, SolutionsAreTheSameWhereverHistogramsLie) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(17);
  const GroundDistance ground = GroundDistance::thresholded(11, 3);
  const auto pairs = test::random_pairs<std::uint8_t>(random, ground, 500);
  const Image<std::uint8_t> second_there = clone(pairs.second, Memory::kCuda);
  Solver solver(ground, {.exec = {.device = Device::cuda()}});
  const Solutions here = solver.solve<std::uint8_t>(pairs.first, pairs.second, true);
  const Solutions mixed = solver.solve<std::uint8_t>(pairs.first, second_there, true);
  std::vector<double> alone(500);
  solver.solve<std::uint8_t>(pairs.first, second_there, {.distance = alone.data()});
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(here.distance[i], mixed.distance[i]);
    EXPECT_EQ(here.distance[i], alone[i]);
  }
}

TEST(EmdSolverOptions, APenaltyIsAbsentOrNotBelowZero) {
  EXPECT_THAT(options_json(SolverOptions{}), HasSubstr("\"penalty\": null"));
  SolverOptions options;
  options.penalty = -1;
  EXPECT_THROW(Solver(GroundDistance::l1(4), options), InvalidArgument);
  options.penalty = 0;
  EXPECT_NO_THROW(Solver(GroundDistance::l1(4), options));
}

TEST(EmdSolverOptions, ThreadsDoNotChangeAnything) {
  Random random(9);
  const GroundDistance ground = GroundDistance::thresholded(11, 3);
  const auto pairs = test::random_pairs<std::uint8_t>(random, ground, 3000);
  std::vector<double> one;
  for (const int threads : {1, 2, 5}) {
    Solver solver(ground, {.exec = {.device = Device::cpu(), .threads = threads}});
    const Solutions found = solver.solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
    const std::vector<double> all(found.distance.begin(), found.distance.end());
    if (one.empty()) one = all;
    EXPECT_EQ(all, one);
  }
}

// Costs depend on the column alone, so that every flow costs the same.
TEST(EmdSolverShapes, SixtyFourBinsAgainstFew) {
  SolverOptions options;
  options.solver = SolverKind::kSimplex;
  options.exec.device = Device::cpu();
  for (const int few : {1, 2, 4}) {
    std::vector<double> costs;
    for (int i = 0; i < 64; ++i)
      for (int j = 0; j < few; ++j) costs.push_back(j + 1);
    const std::vector<double> many(64, 1), other(static_cast<std::size_t>(few), 64.0 / few);
    const Solution found = distance(GroundDistance(64, few, costs), many, other, options);
    EXPECT_EQ(found.status, Status::kOptimal) << few;
    EXPECT_EQ(found.distance, (few + 1) / 2.0) << few;
    std::vector<double> turned;
    for (int j = 0; j < few; ++j) turned.insert(turned.end(), 64, j + 1);
    EXPECT_EQ(distance(GroundDistance(few, 64, turned), other, many, options).distance,
              (few + 1) / 2.0)
        << few;
  }
}

}  // namespace
}  // namespace fovea::emd
