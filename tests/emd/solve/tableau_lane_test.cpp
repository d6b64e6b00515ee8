// Lanes that hold a tableau of bits together, run on the host: as cheap as the textbook.
#include "emd/solve/tableau_lane_math.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include "reference/emd.h"

namespace fovea::emd::tableau {
namespace {

struct Problem {
  Size size;
  std::vector<std::int64_t> costs{}, first{}, second{};
};

struct Solved {
  std::int64_t cost = 0;
  int pivots = 0;
};

// As the kernel does it, lane after lane.
template <int kBins, class Mass>
Solved solve(const Problem& problem) {
  using OneLane = Lane<Mass, std::int32_t, kBins>;
  std::vector<OneLane> lanes(kSide);
  const auto [sources, sinks] = problem.size;
  constexpr std::int32_t kDear = 1001 * 40;
  for (int k = 0; k < kSide; ++k) {
    std::int32_t cost[kBins] = {};
    for (int j = 0; k < sources && j < sinks; ++j)
      cost[j] = static_cast<std::int32_t>(problem.costs[k * sinks + j]);
    lanes[k].start(k, problem.size, k < sources ? static_cast<Mass>(problem.first[k]) : 0,
                   k < sinks ? static_cast<Mass>(problem.second[k]) : 0, cost, kDear);
  }
  Solved solved;
  for (int idle = 0;; ++solved.pivots) {
    Candidate<std::int32_t> entering{0, kSlack + kSide};
    for (int k = 0; k < kSide; ++k) {
      const auto one = lanes[k].cheapest(k, idle > 2 * kSide);
      const bool earlier = one.cost < 0 && one.column < entering.column;
      if (idle > 2 * kSide ? earlier : one.before(entering)) entering = one;
    }
    if (entering.cost >= 0) break;
    Limit<Mass> limit{0, 0, -1};
    for (int k = 0; k < kSide; ++k) {
      const auto one = lanes[k].tightest(k, entering.column);
      if (one.before(limit)) limit = one;
    }
    if (limit.row < 0 || solved.pivots > 5000) {
      ADD_FAILURE() << "no end";
      break;
    }
    const Row<kBins> pivot = lanes[limit.row / 2].row[limit.row % 2];
    for (int k = 0; k < kSide; ++k) lanes[k].update(k, entering, limit.row, limit.mass, pivot);
    idle = limit.mass > 0 ? 0 : idle + 1;
  }
  for (const OneLane& lane : lanes)
    for (int side = 0; side < 2; ++side)
      if (lane.basic[side] < kAuxiliary && lane.value[side] > 0)
        solved.cost += lane.value[side] *
                       problem.costs[lane.basic[side] / kSide * sinks + lane.basic[side] % kSide];
  return solved;
}

template <int kBins, class Mass = std::int32_t>
void expect_least(int problems, std::int64_t unit = 1) {
  Random random(kBins);
  const auto below = [&](int count) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(count)));
  };
  for (int k = 0; k < problems; ++k) {
    Problem problem{.size = {1 + below(kBins), 1 + below(kBins)}};
    const auto [sources, sinks] = problem.size;
    const int most = k % 3 == 0 ? 3 : 1000;
    std::vector<double> costs;
    for (int c = 0; c < sources * sinks; ++c) costs.push_back(below(most + 1));
    const GroundDistance ground(sources, sinks, costs);
    problem.costs.assign(ground.units().begin(), ground.units().end());
    problem.first.resize(sources);
    problem.second.resize(sinks);
    const int mass = 1 + below(121), other = k % 2 == 0 ? mass : 1 + below(121);
    for (int m = 0; m < mass; ++m) problem.first[below(sources)] += unit;
    for (int m = 0; m < other; ++m) problem.second[below(sinks)] += unit;
    ASSERT_EQ((solve<kBins, Mass>(problem).cost),
              reference::least_cost(ground, problem.first, problem.second))
        << sources << "x" << sinks;
  }
}

TEST(TableauLane, CostsWhatTheTextbookSays) {
  expect_least<4>(600);
  expect_least<8>(600);
  expect_least<11>(400);
  expect_least<16>(300);
  expect_least<16, std::int64_t>(200, std::int64_t{1} << 40);
}

}  // namespace
}  // namespace fovea::emd::tableau
