// The order in which lanes fill cells: every cell once, the same in every run, and of the orders
// tried one that leaves the simplex least to do.
#include <fovea/core/random.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "emd/solve/lane_solver_tables.h"
#include "emd/solve/random_problems.h"

namespace fovea::emd::lane {
namespace {

using random_problems::between;
using testing::ElementsAre;

CellOrder order_of(const GroundDistance& ground, bool net) {
  return find_order({ground.rows(), ground.columns(), ground.units(), net});
}

TEST(LaneSolverOrder, HasEveryCellOnce) {
  Random random(51);
  for (int round = 0; round < 12; ++round) {
    const int rows = between(random, 1, 16), columns = between(random, 1, 16);
    const CellOrder all = order_of(random_problems::random_ground(random, rows, columns), false);
    std::set<int> cells;
    for (const int cell : all.cells) {
      EXPECT_LT(cell / 256, rows);
      EXPECT_LT(cell % 256, columns);
      cells.insert(cell);
    }
    EXPECT_EQ(all.cells.size(), static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    EXPECT_EQ(cells.size(), all.cells.size());
  }
}

TEST(LaneSolverOrder, OfNetProblemsHasEveryPairOfBinsOnce) {
  for (int bins = 1; bins <= 16; ++bins) {
    const CellOrder net = order_of(GroundDistance::thresholded(bins, 3), true);
    std::set<int> cells;
    for (const int cell : net.cells) {
      EXPECT_LT(cell / 256, cell % 256);
      EXPECT_LT(cell % 256, bins);
      cells.insert(cell);
    }
    EXPECT_EQ(net.cells.size(), static_cast<std::size_t>(bins * (bins - 1) / 2));
    EXPECT_EQ(cells.size(), net.cells.size());
  }
}

// Where the first order tried leaves no pivots no other is better: cells by cost, equal ones row
// after row.
TEST(LaneSolverOrder, CheapestFirstWhereThatIsOptimal) {
  const CellOrder discrete = order_of(GroundDistance::discrete(4), true);
  EXPECT_EQ(discrete.pivots, 0);
  EXPECT_THAT(discrete.cells, ElementsAre(0x001, 0x002, 0x003, 0x102, 0x103, 0x203));
  const CellOrder one = order_of(GroundDistance(1, 3, std::vector<double>{3, 1, 2}), false);
  EXPECT_EQ(one.pivots, 0);
  EXPECT_THAT(one.cells, ElementsAre(0x001, 0x002, 0x000));
}

// Kernels are chosen by how many pivots are left: thresholded costs are proved by themselves,
// random ones are not.
TEST(LaneSolverOrder, TellsHowManyPivotsAreLeft) {
  EXPECT_LT(order_of(GroundDistance::thresholded(11, 3), true).pivots, 1);
  Random random(52);
  std::vector<double> costs;
  for (int k = 0; k < 121; ++k) costs.push_back(between(random, 1, 1000));
  const CellOrder order = order_of(GroundDistance(11, 11, costs), false);
  EXPECT_GT(order.pivots, 1);
  EXPECT_LT(order.pivots, 40);
}

TEST(LaneSolverOrder, IsTheSameInEveryRun) {
  Random random(53);
  for (int round = 0; round < 8; ++round) {
    const GroundDistance ground = random_problems::random_ground(random, 9, 9);
    const CellOrder one = order_of(ground, ground.metric()),
                    other = order_of(ground, ground.metric());
    EXPECT_EQ(one.cells, other.cells);
    EXPECT_EQ(one.pivots, other.pivots);
  }
}

// Only the relation of costs matters, not their unit.
TEST(LaneSolverOrder, DoesNotDependOnTheUnitOfCosts) {
  const CellOrder one = order_of(GroundDistance(2, 2, std::vector<double>{5, 2, 1, 7}), false);
  const CellOrder same = order_of(GroundDistance(2, 2, std::vector<double>{20, 8, 4, 28}), false);
  EXPECT_EQ(one.cells, same.cells);
  EXPECT_EQ(one.pivots, same.pivots);
}

}  // namespace
}  // namespace fovea::emd::lane
