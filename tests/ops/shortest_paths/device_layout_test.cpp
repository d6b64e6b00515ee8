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

// The largest mesh whose floyd-warshall fits into 139 GiB, by how many bytes a mesh of some faces
// with three neighbors each takes.
template <class Bytes>
int most_faces(Bytes bytes) {
  constexpr std::uint64_t kRoom = std::uint64_t{139} << 30;
  int fits = 0, too_many = 1 << 20;
  while (too_many - fits > 1) {
    const int faces = (fits + too_many) / 2;
    (bytes(GraphSize{faces, std::int64_t{3} * faces}) <= kRoom ? fits : too_many) = faces;
  }
  return fits;
}

TEST(DeviceLayout, HalfASquareTakesHalfOfTheBytes) {
  EXPECT_EQ(half_floats(0), 0U);
  EXPECT_EQ(half_floats(128), 128U * 128);
  EXPECT_EQ(half_floats(129), 3U * 128 * 128);
  for (const int faces : {20480, 100000, 190000}) {
    const GraphSize size{faces, std::int64_t{3} * faces};
    const double share =
        static_cast<double>(half_path_bytes(size)) / static_cast<double>(square_path_bytes(size));
    EXPECT_GT(share, 0.5) << faces;
    EXPECT_LT(share, faces < 100000 ? 0.54 : 0.51) << faces;
  }
  EXPECT_EQ(most_faces(square_path_bytes), 192896);
  EXPECT_EQ(most_faces(half_path_bytes), 272384);
  EXPECT_EQ(most_faces(directed_path_bytes), 192640);
}

TEST(DeviceLayout, RowsOfAHalfGoInPiecesOf32) {
  for (const int nodes : {1, 31, 400, 5120, 20480, 272384}) {
    EXPECT_EQ(half_piped_rows(nodes) % kHalfRows, 0);
    EXPECT_GE(half_piped_rows(nodes), kHalfRows);
    EXPECT_LE(half_piped_rows(nodes), std::max(kHalfRows, nodes / 16));
  }
}

TEST(DeviceLayout, SuperPanelsFillTheirRoom) {
  constexpr int kNodes = 300000;
  EXPECT_EQ(tiled_panels(kNodes, std::uint64_t{139} << 30), 64);
  EXPECT_EQ(tiled_panels(kNodes, tiled_path_bytes(kNodes, 10)), 10);
  EXPECT_EQ(tiled_panels(kNodes, tiled_path_bytes(kNodes, 10) - 1), 8);
  EXPECT_EQ(tiled_panels(kNodes, tiled_path_bytes(kNodes, 2) - 1), 0);
  EXPECT_EQ(tiled_panels(300, std::uint64_t{1} << 30), 4);  // no more than there are
  // The strip and its pivots, and two tiles.
  EXPECT_EQ(tiled_path_bytes(300, 2) - tiled_path_bytes(300, 0),
            2ULL * 4 * 256 * 384 + 2ULL * 4 * 256 * 256);
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
