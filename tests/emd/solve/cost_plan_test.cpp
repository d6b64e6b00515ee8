#include "emd/solve/cost_plan.h"

#include <gmock/gmock.h>

namespace fovea::emd {
namespace {

TEST(CostPlan, CellsAreInRisingOrderOfCost) {
  const GroundDistance ground = GroundDistance::thresholded(11, 3);
  const CostPlan plan(ground, {});
  ASSERT_EQ(plan.order.size(), 121U);
  double last = 0;
  for (std::size_t k = 0; k < plan.order.size(); ++k) {
    const int i = plan.order[k] / 256, j = plan.order[k] % 256;
    EXPECT_GE(ground.cost(i, j), last);
    last = ground.cost(i, j);
    for (const int line : {i, 11 + j})
      EXPECT_TRUE(plan.line_cells[static_cast<std::size_t>(line * plan.cell_words) + k / 64] >>
                      (k % 64) &
                  1);
  }
}

TEST(CostPlan, TablesHaveAFreeRowAndColumn) {
  const CostPlan plan(GroundDistance::l1(16), {});
  EXPECT_EQ(plan.stride, 32);
  ASSERT_EQ(plan.costs64.size(), 17U * 32U);
  EXPECT_EQ(plan.costs16[3 * 32 + 5], 2);
  EXPECT_EQ(plan.costs32[3 * 32 + 5], 2);
  for (std::size_t k = 0; k <= 16; ++k) {
    EXPECT_EQ(plan.costs64[16 * 32 + k], 0);
    EXPECT_EQ(plan.costs64[k * 32 + 16], 0);
  }
}

TEST(CostPlan, WidthFollowsTheGreatestCost) {
  const auto width = [](double greatest) {
    return CostPlan(GroundDistance(1, 2, std::vector<double>{1, greatest}), {}).width;
  };
  EXPECT_EQ(width(1000), CostWidth::k16);
  EXPECT_EQ(width(100001), CostWidth::k32);
  EXPECT_EQ(width(1e9 + 1), CostWidth::k64);
}

TEST(CostPlan, TheSimplexCanBeAskedFor) {
  EXPECT_EQ(CostPlan(GroundDistance::l1(4), {}).form, GroundForm::kLine);
  EXPECT_EQ(CostPlan(GroundDistance::l1(4), {.solver = SolverKind::kSimplex}).form,
            GroundForm::kGeneral);
}

}  // namespace
}  // namespace fovea::emd
