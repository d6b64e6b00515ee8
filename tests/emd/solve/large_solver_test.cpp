// Covers: large_solver, network_simplex, network_pricing
// Problems of any number of bins: beside the solver for few bins, and proved by potentials.
#include <fovea/core/error.h>
#include <fovea/emd/solver.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "emd/flows.h"
#include "emd/solve/random_problems.h"
#include "support/messages.h"

namespace fovea::emd {
namespace {

using random_problems::between;
using random_problems::random_ground;
using random_problems::random_pairs;
using testing::HasSubstr;

SolverOptions on_cpu(MassPolicy mass = MassPolicy::kPartial) {
  SolverOptions options;
  options.mass = mass;
  options.exec.device = Device::cpu();
  return options;
}

// The solution of a batch with potentials, which takes the network simplex for any size.
struct Proved {
  Solutions found{};
  Image<double> potential{};
};
template <class Mass>
Proved prove(const GroundDistance& ground, const SolverOptions& options, const Image<Mass>& first,
             const Image<Mass>& second) {
  Solver solver(ground, options);
  Proved proved{{}, Image<double>(ground.rows() + ground.columns(), first.height())};
  const auto count = static_cast<std::size_t>(first.height());
  proved.found = {Array<double>(count), Array<Status>(count), Array<std::uint16_t>(count),
                  Image<double>(ground.rows() * ground.columns(), first.height()),
                  Array<SolvedBy>(count)};
  auto& found = proved.found;
  solver.solve<Mass>(first.view(), second.view(),
                     {found.distance.data(), found.status.data(), found.pivots.data(),
                      found.flow.view(), found.solved_by.data(), proved.potential.view()});
  return proved;
}

// No pair of potentials is above its cost, and together they are worth what the flow costs: then no
// flow is cheaper. Whole costs and masses make all of this exact.
template <class Mass>
void expect_proof(const GroundDistance& ground, const Mass* first, const Mass* second,
                  const double* potential, const double* flow) {
  const double *u = potential, *v = potential + ground.rows();
  double worth = 0, cost = 0;
  for (int i = 0; i < ground.rows(); ++i) {
    worth += u[i] * first[i];
    for (int j = 0; j < ground.columns(); ++j) {
      ASSERT_LE(u[i] + v[j], ground.cost(i, j));
      cost += flow[i * ground.columns() + j] * ground.cost(i, j);
    }
  }
  for (int j = 0; j < ground.columns(); ++j) worth += v[j] * second[j];
  ASSERT_EQ(worth, cost);
}

TEST(EmdLarge, EqualsTheSolverForFewBinsToTheLastBit) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const int rows = between(random, 1, 20);
    const int columns = round % 3 == 0 ? between(random, 1, 20) : rows;
    const GroundDistance ground = random_ground(random, rows, columns);
    const SolverOptions options = on_cpu(static_cast<MassPolicy>(round % 3));
    const auto pairs = random_pairs<std::uint8_t>(random, ground, 5);
    const Solutions expected =
        Solver(ground, options).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
    const Proved proved = prove(ground, options, pairs.first, pairs.second);
    for (std::size_t k = 0; k < 5; ++k) {
      const int row = static_cast<int>(k);
      ASSERT_EQ(proved.found.distance[k], expected.distance[k]);
      ASSERT_EQ(proved.found.status[k], expected.status[k]);
      ASSERT_EQ(proved.found.solved_by[k], SolvedBy::kNetworkSimplex);
      expect_flow(ground, options, pairs.first.row(row), pairs.second.row(row),
                  proved.found.flow.row(row), proved.found.distance[k]);
      if (options.mass != MassPolicy::kNormalize)
        expect_proof(ground, pairs.first.row(row), pairs.second.row(row), proved.potential.row(row),
                     proved.found.flow.row(row));
    }
  }
}

TEST(EmdLarge, RealMassesOfAnyTotalsGiveTheSame) {
  Random random(4);
  for (int round = 0; round < 100; ++round) {
    const int bins = between(random, 1, 30);
    const GroundDistance ground = random_ground(random, bins, bins);
    const SolverOptions options = on_cpu(static_cast<MassPolicy>(round % 3));
    Image<double> first(bins, 1), second(bins, 1);
    const double scale = std::exp(random.uniform(-60, 60));
    for (int i = 0; i < bins; ++i) {
      first.at(i, 0) = random.uniform(0, 1) * scale;
      second.at(i, 0) = between(random, 0, 2) * random.uniform(0, 1);
    }
    const Solutions expected =
        Solver(ground, options).solve<double>(first.view(), second.view(), true);
    const Proved proved = prove(ground, options, first, second);
    ASSERT_EQ(proved.found.distance[0], expected.distance[0]);
    ASSERT_EQ(proved.found.status[0], expected.status[0]);
  }
}

TEST(EmdLarge, ManyBinsAreProved) {
  Random random(5);
  for (const auto& [rows, columns] :
       {std::pair{65, 65}, {65, 3}, {2, 200}, {100, 130}, {128, 128}, {300, 300}}) {
    for (int round = 0; round < 4; ++round) {
      const GroundDistance ground = random_ground(random, rows, columns);
      auto pairs = random_pairs<std::uint8_t>(random, ground, 2);
      for (int i = 0; i < rows; ++i) pairs.first.at(i, 1) = std::uint8_t(between(random, 0, 255));
      for (int j = 0; j < columns; ++j)
        pairs.second.at(j, 1) = std::uint8_t(between(random, 0, 255));
      const SolverOptions options = on_cpu();
      const Proved proved = prove(ground, options, pairs.first, pairs.second);
      const Solutions found =
          Solver(ground, options)
              .solve<std::uint8_t>(pairs.first.view(), pairs.second.view(), true);
      for (std::size_t k = 0; k < 2; ++k) {
        const int row = static_cast<int>(k);
        ASSERT_EQ(proved.found.status[k], Status::kOptimal);
        expect_proof(ground, pairs.first.row(row), pairs.second.row(row), proved.potential.row(row),
                     proved.found.flow.row(row));
        ASSERT_EQ(found.distance[k], proved.found.distance[k]);
        expect_flow(ground, options, pairs.first.row(row), pairs.second.row(row),
                    found.flow.row(row), found.distance[k]);
      }
    }
  }
}

TEST(EmdLarge, ClosedFormsTakeAnySize) {
  constexpr int kBins = 100001;
  Random random(6);
  Image<std::uint16_t> first(kBins, 1), second(kBins, 1);
  for (int i = 0; i < kBins; ++i) {
    first.at(i, 0) = std::uint16_t(between(random, 0, 100));
    second.at(kBins - 1 - i, 0) = first.at(i, 0);
  }
  const auto distance = [&](const GroundDistance& ground) {
    const Solutions found =
        Solver(ground, on_cpu()).solve<std::uint16_t>(first.view(), second.view());
    EXPECT_EQ(found.solved_by[0], SolvedBy::kClosedForm);
    return found.distance[0];
  };
  std::vector<std::int64_t> crossings(kBins);
  std::int64_t crosses = 0, along = 0, around = 0, more = 0, total = 0;
  for (int i = 0; i < kBins; ++i) {
    const int apart = first.at(i, 0) - second.at(i, 0);
    crossings[static_cast<std::size_t>(i)] = crosses += apart;
    along += std::abs(crosses);
    more += std::max(0, apart);
    total += first.at(i, 0);
  }
  std::ranges::sort(crossings);
  for (const std::int64_t crossing : crossings) around += std::abs(crossing - crossings[kBins / 2]);
  const auto masses = static_cast<double>(total);
  EXPECT_EQ(distance(GroundDistance::l1(kBins)), static_cast<double>(along) / masses);
  EXPECT_EQ(distance(GroundDistance::circular(kBins)), static_cast<double>(around) / masses);
  EXPECT_EQ(distance(GroundDistance::discrete(kBins)), static_cast<double>(more) / masses);
  EXPECT_GT(distance(GroundDistance::squared(kBins)), 0);
}

TEST(EmdLarge, ClosedFormsEqualTheSearch) {
  Random random(7);
  for (const int bins : {65, 90}) {
    for (const GroundDistance& ground :
         {GroundDistance::l1(bins), GroundDistance::squared(bins), GroundDistance::circular(bins),
          GroundDistance::discrete(bins), GroundDistance::thresholded(bins, 5)}) {
      const auto pairs = random_pairs<std::uint8_t>(random, ground, 8);
      SolverOptions options = on_cpu(MassPolicy::kNormalize);
      const Solutions closed =
          Solver(ground, options).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
      options.solver = SolverKind::kSimplex;
      const Solutions searched =
          Solver(ground, options)
              .solve<std::uint8_t>(pairs.first.view(), pairs.second.view(), true);
      for (std::size_t k = 0; k < 8; ++k) {
        ASSERT_EQ(closed.distance[k], searched.distance[k]);
        ASSERT_EQ(searched.solved_by[k], SolvedBy::kNetworkSimplex);
      }
    }
  }
}

// Masses that add up to the same but for their rounding have closed forms, and are not refused
// where there is no table.
TEST(EmdLarge, RoundedMassesOfEqualTotalsAreEqual) {
  Random random(17);
  for (const int bins : {70, 5000}) {
    std::vector<double> sides[2];
    for (std::vector<double>& side : sides) {
      for (int i = 0; i < bins; ++i) side.push_back(between(random, 1, 1000));
      const double total = std::accumulate(side.begin(), side.end(), 0.0);
      for (double& mass : side) mass /= total;
    }
    double crosses = 0, expected = 0;
    for (std::size_t i = 0; i < sides[0].size(); ++i)
      expected += std::abs(crosses += sides[0][i] - sides[1][i]);
    const GroundDistance line = GroundDistance::l1(bins);
    for (const MassPolicy mass : {MassPolicy::kPartial, MassPolicy::kPenalty}) {
      const Solutions found = Solver(line, on_cpu(mass))
                                  .solve<double>(packed_view(sides[0].data(), bins, 1),
                                                 packed_view(sides[1].data(), bins, 1));
      EXPECT_EQ(found.solved_by[0], SolvedBy::kClosedForm);
      EXPECT_NEAR(found.distance[0], expected, 1e-9 * expected);
    }
  }
}

TEST(EmdLarge, TooFewPivotsGiveAnUpperBound) {
  Random random(8);
  const GroundDistance ground = random_ground(random, 80, 90);
  const auto pairs = random_pairs<std::uint8_t>(random, ground, 20);
  const Solutions best =
      Solver(ground, on_cpu()).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
  SolverOptions few = on_cpu();
  few.max_pivots = 1;
  const Solutions bounds =
      Solver(ground, few).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
  int limited = 0;
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_GE(bounds.distance[k], best.distance[k]);
    limited += bounds.status[k] == Status::kPivotLimit ? 1 : 0;
  }
  EXPECT_GT(limited, 0);
}

TEST(EmdLarge, EachProblemMayHaveItsCosts) {
  Random random(9);
  constexpr int kRows = 6, kColumns = 70, kProblems = 12;
  Image<double> first(kRows, kProblems), second(kColumns, kProblems),
      costs(kRows * kColumns, kProblems);
  for (Image<double>* image : {&first, &second, &costs})
    for (int k = 0; k < kProblems; ++k)
      for (int i = 0; i < image->width(); ++i) image->at(i, k) = between(random, 0, 50);
  const Solutions found = solve_each(std::as_const(first).view(), std::as_const(second).view(),
                                     std::as_const(costs).view(), on_cpu(), true);
  for (int k = 0; k < kProblems; ++k) {
    const GroundDistance ground(kRows, kColumns, {costs.row(k), kRows * kColumns});
    const Solution one =
        distance(ground, {first.row(k), kRows}, {second.row(k), kColumns}, on_cpu());
    EXPECT_EQ(found.distance[static_cast<std::size_t>(k)], one.distance);
    expect_flow(ground, on_cpu(), first.row(k), second.row(k), found.flow.row(k), one.distance);
  }
}

TEST(EmdLarge, RefusesWhatItCannotDo) {
  const std::vector<double> ones(70, 1.0), many(5000, 1.0);
  std::vector<double> more = many;
  more[0] = 2;
  SolverOptions paper = on_cpu();
  paper.start = SimplexStart::kAuxiliary;
  const auto ground = GroundDistance::thresholded(70, 3);
  EXPECT_THAT(
      fovea::test::message_of<InvalidArgument>([&] { distance(ground, ones, ones, paper); }),
      HasSubstr("auxiliary"));
  const auto line = GroundDistance::l1(5000);
  Solver solver(line, on_cpu());
  const auto view = [](const std::vector<double>& masses) {
    return packed_view(masses.data(), static_cast<int>(masses.size()), 1);
  };
  EXPECT_EQ(solver.solve<double>(view(many), view(many)).distance[0], 0);
  EXPECT_THAT(fovea::test::message_of<InvalidArgument>(
                  [&] { solver.solve<double>(view(many), view(more)); }),
              HasSubstr("5000 bins"));
  SolverOptions simplex = on_cpu(MassPolicy::kNormalize);
  simplex.solver = SolverKind::kSimplex;
  EXPECT_THAT(fovea::test::message_of<InvalidArgument>(
                  [&] { Solver(line, simplex).solve<double>(view(many), view(more)); }),
              HasSubstr("simplex"));
  SolverOptions on_gpu = on_cpu();
  on_gpu.exec.device = Device::cuda(0);
  EXPECT_THAT(fovea::test::message_of<InvalidArgument>(
                  [&] { Solver(ground, on_gpu).solve<double>(view(ones), view(ones)); }),
              HasSubstr("cpu"));
}

}  // namespace
}  // namespace fovea::emd
