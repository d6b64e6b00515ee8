// Covers: lane_solver_mixed, lane_solver_narrow, lane_solver_wide
// What one lane of the GPU does, run on the host: every flow is feasible and as cheap as the
// textbook's, for every shape, with and without the extra bin.
#include "emd/solve/lane_solver_math.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <numeric>

#include "emd/solve/lane_solver_tables.h"
#include "reference/emd.h"

namespace fovea::emd::lane {
namespace {

using Whole = std::vector<std::int64_t>;
using Matrix = std::vector<std::int64_t>;  // row after row

struct Solved {
  std::int64_t cost = 0;
  int pivots = 0;
  Matrix flow{};  // kBins * kBins
};

// As the kernels do it.
template <class S>
Solved solve(const Tables<S>& tables, const Whole& first, const Whole& second) {
  constexpr int kRoom = S::kNodes + 3;  // columns end on whole words
  typename S::Mass supply[S::kBins] = {}, demand[S::kBins] = {}, mass[kRoom];
  typename S::Cost potential[kRoom] = {};
  std::uint16_t step[kRoom];
  std::uint8_t parent[kRoom];
  std::uint32_t children[kRoom];
  std::copy(first.begin(), first.end(), supply);
  std::copy(second.begin(), second.end(), demand);
  const Tree<Column<typename S::Mass, 1>, Column<typename S::Cost, 1>, Column<std::uint8_t, 1>,
             Column<std::uint32_t, 1>>
      tree{{mass, 0}, {potential, 0}, {parent, 0}, {children, 0}};
  const Column<std::uint16_t, 1> steps{step, 0};
  const Sides sides = place_masses<S>(supply, demand, tree.flow);
  typename S::Sum cost = fill_cheapest(tables, tables, sides, tree.flow, steps);
  find_potentials(tables, sides, steps, tree.potential);
  hang_tree<S>(sides, steps, tree);
  Solved solved;
  for (;; ++solved.pivots) {
    const auto entering = find_entering<S, true>(tables, tables, sides, tree.potential);
    if (entering.gain >= 0) break;
    if (solved.pivots > 5000) {
      ADD_FAILURE() << "does not end";
      break;
    }
    cost += static_cast<typename S::Sum>(pivot(sides, entering, tree)) * entering.gain;
  }
  solved.cost = static_cast<std::int64_t>(cost);
  solved.flow.assign(S::kBins * S::kBins, 0);
  for (int k = 0; k < S::kNodes; ++k) {
    if (!has(sides.sources | sides.sinks, k) || parent[k] == k) continue;
    const int source = has(sides.sources, k) ? k : parent[k];
    const int sink = (has(sides.sources, k) ? parent[k] : k) - (S::kNet ? 0 : S::kBins);
    solved.flow[source * S::kBins + sink] += static_cast<std::int64_t>(mass[k]);
  }
  if (S::kNet) {
    for (int k = 0; k < S::kBins; ++k)
      solved.flow[k * S::kBins + k] += std::min<std::int64_t>(supply[k], demand[k]);
  }
  return solved;
}

enum class Costs { kLine, kThresholded, kPoints, kRandom, kFew };
Matrix make_costs(Costs kind, int bins, Random& random) {
  Matrix costs(bins * bins);
  std::vector<std::pair<float, float>> points(bins);
  for (auto& [x, y] : points) x = random.uniform(0, 100), y = random.uniform(0, 100);
  for (int i = 0; i < bins; ++i) {
    for (int j = 0; j < bins; ++j) {
      std::int64_t& cost = costs[i * bins + j];
      const int apart = std::abs(i - j);
      if (kind == Costs::kLine) cost = apart;
      if (kind == Costs::kThresholded) cost = std::min(apart, 3);
      if (kind == Costs::kPoints) {
        cost = static_cast<std::int64_t>(std::abs(points[i].first - points[j].first)) +
               static_cast<std::int64_t>(std::abs(points[i].second - points[j].second));
        // Rounding apart for each axis keeps no detour cheaper only by a unit each: add it.
        if (i != j) cost += 2;
      }
      if (kind == Costs::kRandom) cost = 1 + random.bits() % 1000;
      if (kind == Costs::kFew) cost = random.bits() % 3;
    }
  }
  return costs;
}

Whole make_masses(int bins, int total, Random& random) {
  Whole masses(bins, 0);
  const unsigned few = 1 + random.bits() % bins;
  const unsigned lump = 1 + random.bits() % 20;
  for (int left = total; left > 0;) {
    const int part = std::min<int>(left, 1 + static_cast<int>(random.bits() % lump));
    masses[random.bits() % few] += part;
    left -= part;
  }
  return masses;
}

template <class S>
void expect_least(Costs kind, bool extra, int problems) {
  Random random(7, S::kBins * 10 + static_cast<int>(kind));
  for (int problem = 0; problem < problems; ++problem) {
    const unsigned most = S::kBins - (extra ? 1 : 0);
    const int bins = static_cast<int>(problem == 0 ? most : 1 + random.bits() % most);
    const Matrix drawn = make_costs(kind, bins, random);
    const GroundDistance ground(bins, bins, std::vector<double>(drawn.begin(), drawn.end()));
    const Matrix costs(ground.units().begin(), ground.units().end());
    const LaneCosts given{bins, bins, costs, S::kNet};
    const Tables<S> tables = make_tables<S>(given, find_order(given), extra);
    for (int pair = 0; pair < 12; ++pair) {
      const int total = 1 + static_cast<int>(random.bits() % 121);
      Whole first = make_masses(bins, total, random);
      Whole second =
          make_masses(bins, extra ? 1 + static_cast<int>(random.bits() % 121) : total, random);
      const std::int64_t least = reference::least_cost(ground, first, second);
      Matrix all = costs;
      int side = bins;
      if (extra) {
        const auto sum = [](const Whole& masses) {
          return std::accumulate(masses.begin(), masses.end(), std::int64_t{0});
        };
        const std::int64_t more = sum(first) - sum(second);
        first.push_back(std::max<std::int64_t>(-more, 0));
        second.push_back(std::max<std::int64_t>(more, 0));
        side = bins + 1;
        all.assign(side * side, 0);
        for (int i = 0; i < bins; ++i)
          for (int j = 0; j < bins; ++j) all[i * side + j] = costs[i * bins + j];
      }
      const Solved solved = solve<S>(tables, first, second);
      ASSERT_EQ(solved.cost, least);
      Whole out = first, in = second;
      std::int64_t cost = 0;
      for (int i = 0; i < S::kBins; ++i) {
        for (int j = 0; j < S::kBins; ++j) {
          const std::int64_t flow = solved.flow[i * S::kBins + j];
          ASSERT_GE(flow, 0);
          if (flow == 0) continue;
          out[i] -= flow, in[j] -= flow, cost += flow * all[i * side + j];
        }
      }
      ASSERT_EQ(cost, solved.cost);
      ASSERT_EQ(out, Whole(side, 0));
      ASSERT_EQ(in, Whole(side, 0));
    }
  }
}

template <class S>
class LaneSolver : public testing::Test {};
template <class Mass, class Cost, class Sum, int kBins, bool kNet>
using Of = Shape<Mass, Cost, Sum, kBins, kNet>;
using I32 = std::int32_t;
using I64 = std::int64_t;
__extension__ typedef __int128 I128;
using Shapes = testing::Types<Of<I32, I32, I64, 4, true>, Of<I32, I32, I64, 8, true>,
                              Of<I32, I32, I64, 11, true>, Of<I32, I64, I64, 12, true>,
                              Of<I64, I64, I128, 17, true>, Of<I32, I32, I64, 4, false>,
                              Of<I32, I32, I64, 8, false>, Of<I32, I32, I64, 11, false>,
                              Of<I32, I64, I64, 12, false>, Of<I64, I64, I128, 16, false>>;
TYPED_TEST_SUITE(LaneSolver, Shapes);

TYPED_TEST(LaneSolver, CostsWhatTheTextbookSays) {
  for (const bool extra : {false, true}) {
    for (const Costs kind :
         {Costs::kLine, Costs::kThresholded, Costs::kPoints, Costs::kRandom, Costs::kFew}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << " extra " << extra);
      if (TypeParam::kNet && kind >= Costs::kRandom) continue;
      expect_least<TypeParam>(kind, extra, 6);
    }
  }
}

}  // namespace
}  // namespace fovea::emd::lane
