#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/assignment.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNo = std::numeric_limits<double>::infinity();

Image<double> matrix(const std::vector<std::vector<double>>& rows) {
  Image<double> costs(static_cast<int>(rows.front().size()), static_cast<int>(rows.size()));
  for (int y = 0; y < costs.height(); ++y)
    for (int x = 0; x < costs.width(); ++x)
      costs.at(x, y) = rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
  return costs;
}

struct Best {
  int pairs = 0;
  double cost = 0;
};

// Tries every assignment of the rows from `row` on.
Best best_of_all(ImageView<const double> costs, int row, unsigned taken) {
  if (row == costs.height) return {};
  Best best = best_of_all(costs, row + 1, taken);
  for (int column = 0; column < costs.width; ++column) {
    const double cost = costs.at(column, row);
    if ((taken >> static_cast<unsigned>(column) & 1U) != 0 || cost == kNo) continue;
    Best with = best_of_all(costs, row + 1, taken | 1U << static_cast<unsigned>(column));
    with = {with.pairs + 1, with.cost + cost};
    if (with.pairs > best.pairs || (with.pairs == best.pairs && with.cost < best.cost)) best = with;
  }
  return best;
}

Image<double> random_costs(Random& random, int width, int height, float forbidden) {
  Image<double> costs(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      costs.at(x, y) = random.uniform() < forbidden
                           ? kNo
                           : std::floor(static_cast<double>(random.uniform(-20, 60)));
  return costs;
}

// No row or column may be used twice, and the sums must be those of the pairs.
void expect_consistent(const Assignment& result, ImageView<const double> costs) {
  std::vector<bool> taken(static_cast<std::size_t>(costs.width), false);
  int pairs = 0;
  double cost = 0;
  ASSERT_EQ(static_cast<int>(result.column_of.size()), costs.height);
  for (int row = 0; row < costs.height; ++row) {
    const int column = result.column_of[static_cast<std::size_t>(row)];
    if (column < 0) continue;
    EXPECT_FALSE(taken[static_cast<std::size_t>(column)]);
    taken[static_cast<std::size_t>(column)] = true;
    ++pairs;
    cost += costs.at(column, row);
  }
  EXPECT_EQ(result.pairs, pairs);
  EXPECT_EQ(result.cost, cost);
}

TEST(Assignment, IsTheBestOfAllAssignments) {
  Random random(7);
  for (int trial = 0; trial < test::problems(600); ++trial) {
    const int width = static_cast<int>(1 + random.below(6));
    const int height = static_cast<int>(1 + random.below(6));
    const float forbidden = static_cast<float>(trial % 4) * 0.3F;
    const Image<double> costs = random_costs(random, width, height, forbidden);
    const Assignment result = assign(costs);
    expect_consistent(result, costs);
    const Best best = best_of_all(costs, 0, 0);
    EXPECT_EQ(result.pairs, best.pairs) << "trial " << trial;
    EXPECT_DOUBLE_EQ(result.cost, best.cost) << "trial " << trial;
    const Assignment greedy = assign_greedily(costs);
    expect_consistent(greedy, costs);
    EXPECT_LE(greedy.pairs, best.pairs);
  }
}

TEST(Assignment, PrefersMorePairsToLessCost) {
  // The cheap pair (0, 0) would leave row 1 alone.
  const auto costs = matrix({{1, 100}, {2, kNo}});
  EXPECT_THAT(assign(costs).column_of, ElementsAre(1, 0));
  EXPECT_THAT(assign_greedily(costs).column_of, ElementsAre(0, -1));
}

TEST(Assignment, GivesAColumnToTheCheaperOfTwoRows) {
  EXPECT_THAT(assign(matrix({{5}, {1}, {3}})).column_of, ElementsAre(-1, 0, -1));
}

TEST(Assignment, KeepsDigitsBesideForbiddenPairs) {
  // A large number in place of infinity would hide the difference.
  const auto costs = matrix({{1e-12, 2e-12, kNo}, {1e-12, 4e-12, kNo}, {kNo, kNo, kNo}});
  EXPECT_THAT(assign(costs).column_of, ElementsAre(1, 0, -1));
}

TEST(Assignment, ResolvesTiesAlwaysInTheSameWay) {
  EXPECT_THAT(assign(matrix({{1, 1, 1}, {1, 1, 1}})).column_of, ElementsAre(0, 1));
  EXPECT_THAT(assign_greedily(matrix({{1, 1, 1}, {1, 1, 1}})).column_of, ElementsAre(0, 1));
}

TEST(Assignment, HandlesMatricesWithoutRowsOrColumns) {
  EXPECT_EQ(assign({}).pairs, 0);
  Image<double> none(1, 3);
  EXPECT_THAT(assign({none.view().data, 0, 3, 1, 0}).column_of, ElementsAre(-1, -1, -1));
  EXPECT_THAT(assign(matrix({{kNo, kNo}})).column_of, ElementsAre(-1));
}

TEST(Assignment, IsTheOptimumOfALargeMatrix) {
  // The costs are row + column prices plus a term that is 0 on a hidden permutation alone.
  constexpr int kSide = 150;
  Random random(3);
  std::vector<int> hidden(kSide);
  for (int i = 0; i < kSide; ++i) hidden[static_cast<std::size_t>(i)] = (i * 47 + 5) % kSide;
  Image<double> costs(kSide, kSide);
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      costs.at(x, y) = (y * 31 % 17) + (x * 13 % 23) +
                       (hidden[static_cast<std::size_t>(y)] == x ? 0 : 1 + random.uniform());
  EXPECT_EQ(assign(costs).column_of, hidden);
}

TEST(Assignment, RefusesCostsThatAreNoNumbers) {
  const auto bad = matrix({{1, std::nan("")}});
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { assign(bad); }),
              HasSubstr("row 0, column 1 is nan"));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { assign_greedily(matrix({{-kNo}})); }),
              HasSubstr("-inf"));
}

}  // namespace
}  // namespace fovea
