// The solver on CUDA against the CPU's: every distance to the bit and every status, whatever flow
// each of them found; flows are feasible and cost the distance.
#include <fovea/emd/solver.h>
#include <gtest/gtest.h>

#include <limits>

#include "emd/flows.h"
#include "emd/solve/random_problems.h"
#include "support/devices.h"

namespace fovea::emd {
namespace {

using random_problems::between;
using random_problems::Pairs;
using random_problems::random_ground;
using random_problems::random_pairs;

struct Case {
  MassPolicy mass = MassPolicy::kPartial;
  SolverKind solver = SolverKind::kAuto;
  SimplexStart start = SimplexStart::kGreedy;
  bool one_second = false;
  bool flow = false;
};

SolverOptions options_of(const Case& given, Device device) {
  return {
      .solver = given.solver, .start = given.start, .mass = given.mass, .exec = {.device = device}};
}

template <class Mass>
void expect_equal(const GroundDistance& ground, const Pairs<Mass>& pairs, const Case& given) {
  SCOPED_TRACE(testing::Message() << ground.rows() << "x" << ground.columns() << " form "
                                  << to_string(ground.form()) << " metric " << ground.metric()
                                  << " greatest " << ground.greatest() << " policy "
                                  << static_cast<int>(given.mass) << " solver "
                                  << static_cast<int>(given.solver) << " start "
                                  << static_cast<int>(given.start) << " one " << given.one_second
                                  << " flow " << given.flow << " bytes " << sizeof(Mass));
  const ImageView<const Mass> first = pairs.first.view();
  ImageView<const Mass> second = pairs.second.view();
  if (given.one_second) second.height = 1;
  Solver on_cpu(ground, options_of(given, Device::cpu()));
  Solver on_gpu(ground, options_of(given, Device::cuda()));
  const Solutions cpu = on_cpu.solve<Mass>(first, second, given.flow);
  const Solutions gpu = on_gpu.solve<Mass>(first, second, given.flow);
  for (int k = 0; k < first.height; ++k) {
    const auto at = static_cast<std::size_t>(k);
    ASSERT_EQ(cpu.status[at], gpu.status[at]) << "problem " << k;
    ASSERT_EQ(cpu.distance[at], gpu.distance[at]) << "problem " << k;
    if (given.start == SimplexStart::kAuxiliary && given.solver == SolverKind::kSimplex) {
      ASSERT_EQ(cpu.solved_by[at], gpu.solved_by[at]) << "problem " << k;
    }
    if (!given.flow || gpu.status[at] != Status::kOptimal) continue;
    for (const Solutions* found : {&cpu, &gpu})
      ASSERT_NO_FATAL_FAILURE(expect_flow(ground, on_gpu.options(), first.row(k),
                                          second.row(given.one_second ? 0 : k), found->flow.row(k),
                                          found->distance[at]))
          << "problem " << k << (found == &cpu ? " cpu" : " gpu");
  }
}

template <class Mass>
void expect_equal_problems(Random& random, int rows, int columns, int count, const Case& given) {
  const GroundDistance ground = random_ground(random, rows, columns);
  expect_equal(ground, random_pairs<Mass>(random, ground, count), given);
}

constexpr MassPolicy kPolicies[] = {MassPolicy::kPartial, MassPolicy::kPenalty,
                                    MassPolicy::kNormalize};

template <class Mass>
class EmdSolverParityOf : public testing::Test {};
using Masses = testing::Types<std::uint8_t, std::uint16_t, float, double>;
TYPED_TEST_SUITE(EmdSolverParityOf, Masses);

TYPED_TEST(EmdSolverParityOf, EverySizeAndPolicy) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(11);
  for (int bins = 1; bins <= 16; ++bins)
    for (int round = 0; round < 6; ++round)
      for (const MassPolicy mass : kPolicies)
        for (const bool one : {false, true})
          expect_equal_problems<TypeParam>(
              random, bins, bins, 300,
              {.mass = mass,
               .solver = round % 2 == 0 ? SolverKind::kAuto : SolverKind::kSimplex,
               .one_second = one});
}

TYPED_TEST(EmdSolverParityOf, RowsAndColumnsOfTheirOwn) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(12);
  for (int round = 0; round < 60; ++round)
    expect_equal_problems<TypeParam>(random, between(random, 1, 16), between(random, 1, 16), 200,
                                     {.mass = kPolicies[round % 3], .one_second = round % 2 == 0});
}

TYPED_TEST(EmdSolverParityOf, ManyBins) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(13);
  for (int round = 0; round < 24; ++round) {
    const int bins = between(random, 17, 64);
    expect_equal_problems<TypeParam>(random, bins, round % 3 == 0 ? between(random, 1, 64) : bins,
                                     60,
                                     {.mass = kPolicies[round % 3],
                                      .solver = SolverKind::kAuto,
                                      .one_second = round % 2 == 0,
                                      .flow = round % 4 == 0});
  }
}

TYPED_TEST(EmdSolverParityOf, Flows) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(14);
  for (int bins = 1; bins <= 16; ++bins)
    for (int round = 0; round < 6; ++round)
      expect_equal_problems<TypeParam>(random, bins, bins, 150,
                                       {.mass = kPolicies[round / 2], .flow = true});
}

TYPED_TEST(EmdSolverParityOf, AuxiliaryStart) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(15);
  for (int bins = 1; bins <= 20; ++bins)
    for (const MassPolicy mass : kPolicies)
      expect_equal_problems<TypeParam>(
          random, bins, bins, 100,
          {.mass = mass, .solver = SolverKind::kSimplex, .start = SimplexStart::kAuxiliary});
}

TYPED_TEST(EmdSolverParityOf, AuxiliaryStartWithFlowsAndClosedForms) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(21);
  for (int round = 0; round < 60; ++round)
    expect_equal_problems<TypeParam>(
        random, between(random, 1, 18), between(random, 1, 18), 100,
        {.mass = kPolicies[round % 3],
         .solver = round % 4 < 2 ? SolverKind::kSimplex : SolverKind::kAuto,
         .start = SimplexStart::kAuxiliary,
         .one_second = round % 5 == 0,
         .flow = round % 2 == 0});
}

// Totals whose least common multiple fits into 27 bits and totals where it does not, equal totals,
// empty histograms and histograms of one bin, in every kernel.
TYPED_TEST(EmdSolverParityOf, NormalizedTotals) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(22);
  constexpr int kTotals[] = {121, 69840, 121, 65521, 65519, 1, 0};
  for (int round = 0; round < 24; ++round) {
    const int bins = between(random, 2, 16);
    const GroundDistance ground = random_ground(random, bins, bins);
    Pairs<TypeParam> pairs{Image<TypeParam>(bins, 196), Image<TypeParam>(bins, 196)};
    constexpr int kMost = std::is_same_v<TypeParam, std::uint8_t> ? 250 : 65000;
    for (int k = 0; k < 196; ++k) {
      const auto fill = [&](TypeParam* masses, int total) {
        total = std::min(total, 2 * kMost);
        for (int i = 0; total > 0; i = (i + 1) % bins) {
          const int room = kMost - static_cast<int>(masses[i]);
          const int some = std::min({total, room, k % 4 == 0 ? total : 1 + total / 3});
          masses[i] = static_cast<TypeParam>(masses[i] + static_cast<TypeParam>(some));
          total -= some;
        }
      };
      std::fill_n(pairs.first.row(k), bins, TypeParam{0});
      std::fill_n(pairs.second.row(k), bins, TypeParam{0});
      fill(pairs.first.row(k), kTotals[k % 7]);
      fill(pairs.second.row(k), kTotals[k / 7 % 7]);
    }
    for (const SimplexStart start : {SimplexStart::kGreedy, SimplexStart::kAuxiliary})
      for (const SolverKind solver : {SolverKind::kAuto, SolverKind::kSimplex})
        expect_equal(ground, pairs,
                     {.mass = MassPolicy::kNormalize,
                      .solver = solver,
                      .start = start,
                      .flow = round % 3 == 0});
  }
}

// More than the slots of all blocks, so that they are refilled.
TYPED_TEST(EmdSolverParityOf, LargeBatches) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(16);
  std::vector<double> costs;
  for (int k = 0; k < 121; ++k) costs.push_back(between(random, 1, 1000));
  for (const GroundDistance& ground :
       {GroundDistance::thresholded(11, 3), GroundDistance(11, 11, costs), GroundDistance::l1(11)})
    expect_equal(ground, random_pairs<TypeParam>(random, ground, 60000),
                 {.solver = SolverKind::kSimplex});
}

TEST(EmdSolverParity, BadAndEmptyMasses) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(17);
  const float bad[] = {-1,
                       std::numeric_limits<float>::infinity(),
                       std::numeric_limits<float>::quiet_NaN(),
                       1e-30F,
                       0.5F,
                       3e38F};
  for (const int bins : {1, 3, 11, 16, 30}) {
    const GroundDistance ground = random_ground(random, bins, bins);
    Pairs<float> pairs = random_pairs<float>(random, ground, 120);
    for (int k = 0; k < 120; ++k) {
      if (k % 2 == 0) pairs.first.row(k)[between(random, 0, bins - 1)] = bad[k / 2 % 6];
      if (k % 5 == 0) pairs.second.row(k)[between(random, 0, bins - 1)] = bad[k / 5 % 6];
      if (k % 7 == 0) std::fill_n(pairs.first.row(k), bins, 0.0F);
      if (k % 11 == 0) std::fill_n(pairs.second.row(k), bins, 0.0F);
    }
    for (const MassPolicy mass : kPolicies) {
      expect_equal(ground, pairs, {.mass = mass});
      expect_equal(ground, pairs, {.mass = mass, .flow = true});
    }
  }
}

TEST(EmdSolverParity, RealMasses) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(18);
  for (int round = 0; round < 40; ++round) {
    const int bins = between(random, 2, 16);
    const GroundDistance ground = random_ground(random, bins, bins);
    Pairs<double> pairs{Image<double>(bins, 200), Image<double>(bins, 200)};
    for (int k = 0; k < 200; ++k) {
      for (int i = 0; i < bins; ++i) {
        pairs.first.row(k)[i] = random.uniform(0, 1) * (k % 3 == 0 ? 1e-9 : 1);
        pairs.second.row(k)[i] = random.uniform(0, 1);
      }
    }
    expect_equal(ground, pairs,
                 {.mass = kPolicies[round % 3], .one_second = round % 4 == 0, .flow = round > 20});
  }
}

// In every kernel that reads real masses: lanes with and without a net, and those for many bins.
TEST(EmdSolverParity, TotalsFarApart) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(20);
  constexpr double kScales[] = {1e12, 1e-12, 1, 1e-300, 0x1p-1040, 1e200, 0x1p52};
  for (int round = 0; round < 60; ++round) {
    const int rows = between(random, 2, round % 3 == 0 ? 40 : 16);
    const int columns = round % 2 == 0 ? rows : between(random, 2, 16);
    const GroundDistance ground = random_ground(random, rows, columns);
    Pairs<double> pairs{Image<double>(rows, 140), Image<double>(columns, 140)};
    const auto fill = [&](double* masses, int bins, double scale) {
      for (int i = 0; i < bins; ++i)
        masses[i] =
            between(random, 0, 3) == 0 ? random.uniform(0, 1) : random.uniform(0, 1) * scale;
      masses[between(random, 0, bins - 1)] = scale;
    };
    for (int k = 0; k < 140; ++k) {
      fill(pairs.first.row(k), rows, kScales[k % 7]);
      fill(pairs.second.row(k), columns, k % 2 == 0 ? 1 : kScales[k / 7 % 7]);
    }
    for (const MassPolicy mass : kPolicies)
      expect_equal(ground, pairs,
                   {.mass = mass,
                    .solver = round % 2 == 0 ? SolverKind::kAuto : SolverKind::kSimplex,
                    .one_second = round % 5 == 0});
  }
}

// A device's own memory, rows without padding, and a stream that is not awaited.
TEST(EmdSolverParity, OnTheDevice) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(19);
  const GroundDistance ground = GroundDistance::thresholded(11, 3);
  const Pairs<std::uint8_t> pairs = random_pairs<std::uint8_t>(random, ground, 5000);
  Solver on_cpu(ground, options_of({}, Device::cpu()));
  Solver on_gpu(ground, options_of({}, Device::cuda()));
  const Image<std::uint8_t> first = clone(pairs.first, Memory::kCuda);
  const Image<std::uint8_t> second = clone(pairs.second, Memory::kCuda);
  const Solutions cpu = on_cpu.solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
  for (int round = 0; round < 3; ++round) {
    const Solutions gpu = on_gpu.solve<std::uint8_t>(first.view(), second.view());
    Image<double> distance(5000, 1);
    copy(ImageView<const double>{gpu.distance.data(), 5000, 1, 1, 5000, Memory::kCuda},
         distance.view());
    for (int k = 0; k < 5000; ++k)
      ASSERT_EQ(cpu.distance[static_cast<std::size_t>(k)], distance.row(0)[k]) << k;
  }
}

}  // namespace
}  // namespace fovea::emd
