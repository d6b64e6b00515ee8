#include "ops/shortest_paths/device_layout.h"

#include <gtest/gtest.h>

#include "ops/shortest_paths/sphere_graph.h"

namespace fovea::detail {
namespace {

TEST(DeviceLayout, SquaresArePaddedToPanels) {
  EXPECT_EQ(square_side(1), 128U);
  EXPECT_EQ(square_side(128), 128U);
  EXPECT_EQ(square_side(129), 256U);
  EXPECT_EQ(square_bytes(20480), 20480ULL * 20480 * 4);
  EXPECT_EQ(square_floats(0), 0U);
}

TEST(DeviceLayout, RowsTakeLittleOfALargeSquare) {
  const PathPlan plan = make_path_plan(sphere_graph(4), {});
  EXPECT_LT(partitioned_bytes(plan) + partitioned_rows_bytes(plan),
            square_bytes(plan.nodes) + partitioned_bytes(plan));
  EXPECT_EQ(piped_rows(5120) * (5121 * 4) / (1 << 20), 15);
  EXPECT_EQ(piped_rows(10), 10);
  EXPECT_EQ(piped_rows(1 << 20), 64);
  EXPECT_GE(slot_pitch(plan, 819), 819U + 3 * plan.parts.size() + 128);
}

}  // namespace
}  // namespace fovea::detail
