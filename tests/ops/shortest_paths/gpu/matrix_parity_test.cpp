// Covers: floyd_warshall_tiles, half_copy, directed_square
// Floyd-Warshall on a GPU in half a square, through host memory, and over directed graphs gives the
// bits of the CPU.
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <utility>

#include "ops/path_graphs.h"
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/same_bits.h"
#include "ops/shortest_paths/sphere_graph.h"
#include "support/devices.h"
#include "support/messages.h"

namespace fovea {
namespace {

using test::same_bits;
using test::scattered;
using testing::HasSubstr;

PathOptions cpu_matrix(float cutoff = kUnreachable) {
  return {
      .engine = PathEngine::kFloydWarshall, .cutoff = cutoff, .exec = {.device = Device::cpu()}};
}

PathOptions within_bytes(std::uint64_t bytes, float cutoff = kUnreachable) {
  return {.engine = PathEngine::kFloydWarshall,
          .cutoff = cutoff,
          .memory = bytes,
          .exec = {.device = Device::cuda()}};
}

// Matrix, table and rows, each within some bytes on the device.
void expect_parity(const Graph& graph, const PathOptions& options, PathStorage storage) {
  SCOPED_TRACE(testing::Message() << graph.nodes() << " nodes, " << to_string(storage)
                                  << ", cutoff " << options.cutoff);
  const DistanceMatrix expected = all_distances(graph, cpu_matrix(options.cutoff));
  PathReport report;
  EXPECT_TRUE(same_bits(all_distances(graph, options, &report).lower(), expected.lower()));
  EXPECT_EQ(report.storage, storage);
  EXPECT_LE(report.device_bytes, options.memory);
  EXPECT_GT(report.device_bytes, 0U);
  const DistanceTable table(graph, options);
  EXPECT_EQ(table.device(), Device::cpu());
  EXPECT_TRUE(same_bits(table.matrix().lower(), expected.lower()));
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  std::vector<float> row(nodes);
  int next = 0, wrong = 0;
  stream_distances(
      graph,
      [&](const DistanceRows& rows) {
        EXPECT_EQ(rows.first, next);
        for (int i = 0; i < rows.rows.height; ++i, ++next) {
          expected.row(next, row);
          if (!same_bits({rows.rows.row(i), nodes}, row)) ++wrong;
        }
      },
      options);
  EXPECT_EQ(next, graph.nodes());
  EXPECT_EQ(wrong, 0);
}

TEST(MatrixParity, HalfASquareGivesTheSameBits) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const int nodes : {130, 257, 385, 400}) {
    const Graph graph = scattered(nodes, 4 * nodes, 1);
    const std::uint64_t bytes = detail::half_path_bytes(detail::size_of(graph));
    expect_parity(graph, within_bytes(bytes), PathStorage::kHalf);
    if (nodes == 400) expect_parity(graph, within_bytes(bytes, 5), PathStorage::kHalf);
  }
  const Graph apart = scattered(300, 280, 2);  // many pieces
  expect_parity(apart, within_bytes(detail::half_path_bytes(detail::size_of(apart))),
                PathStorage::kHalf);
}

TEST(MatrixParity, TilesThroughHostMemoryGiveTheSameBits) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const int nodes : {390, 513, 700}) {
    const Graph graph = scattered(nodes, 4 * nodes, 3);
    const std::uint64_t bytes = detail::tiled_path_bytes(nodes, detail::kGroup);
    expect_parity(graph, within_bytes(bytes), PathStorage::kTiles);
    if (nodes == 513) expect_parity(graph, within_bytes(bytes, 5), PathStorage::kTiles);
  }
}

TEST(MatrixParity, SuperPanelsOfAnySizeGiveTheSameBits) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Graph graph = scattered(650, 2600, 4);  // 6 panels, of which the last is not full
  const DistanceMatrix expected = all_distances(graph, cpu_matrix());
  DistanceMatrix found(graph.nodes());
  for (const int each : {2, 4, 6}) {
    cuda::floyd_warshall_tiles(graph, {.exec = {.device = Device::cuda()}}, each, found.lower());
    EXPECT_TRUE(same_bits(found.lower(), expected.lower())) << each;
  }
}

TEST(MatrixParity, WhatFitsNowhereIsRefused) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Graph graph = scattered(700, 2000, 5);
  const std::uint64_t bytes = detail::tiled_path_bytes(700, detail::kGroup);
  EXPECT_THAT(test::message_of<DeviceError>([&] { all_distances(graph, within_bytes(bytes - 1)); }),
              HasSubstr("floyd-warshall of 700 nodes needs " + std::to_string(bytes) + " bytes"));
}

std::vector<GraphArc> one_way_arcs(int nodes, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<GraphArc> arcs(static_cast<std::size_t>(count));
  const auto node = [&] {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(nodes)));
  };
  for (GraphArc& arc : arcs) {
    arc.a = node();
    arc.b = node();
    arc.cost = random.below(7) == 0 ? 0.F : random.uniform(0, 10);
  }
  return arcs;
}

TEST(MatrixParity, DirectedGraphsGiveTheSameBits) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const auto& [nodes, count] :
       {std::pair(1, 0), {64, 300}, {129, 300}, {257, 3000}, {400, 1200}, {513, 2500}})
    for (const float cutoff : {kUnreachable, 6.F}) {
      const Graph graph = directed_graph(nodes, one_way_arcs(nodes, count, 6));
      PathOptions options = cpu_matrix(cutoff);
      const Image<float> expected = distance_square(graph, options);
      options.exec.device = Device::cuda();
      PathReport report;
      const Image<float> found = distance_square(graph, options, &report);
      EXPECT_EQ(report.storage, PathStorage::kSquare);
      EXPECT_EQ(report.device_bytes, detail::directed_path_bytes(detail::size_of(graph)));
      int wrong = 0;
      for (int a = 0; a < nodes; ++a)
        if (!same_bits({found.row(a), static_cast<std::size_t>(nodes)},
                       {expected.row(a), static_cast<std::size_t>(nodes)}))
          ++wrong;
      EXPECT_EQ(wrong, 0) << nodes << " nodes, cutoff " << cutoff;
    }
}

TEST(MatrixParity, ArcsWithTwinsGiveTheBitsOfAnUndirectedGraph) {
  FOVEA_SKIP_WITHOUT_CUDA();
  constexpr int kNodes = 300;
  const std::vector<GraphArc> arcs = one_way_arcs(kNodes, 1500, 9);
  std::vector<GraphArc> both = arcs;
  for (const GraphArc& arc : arcs) both.push_back({arc.b, arc.a, arc.cost});
  const Image<float> found = distance_square(directed_graph(kNodes, both), within_bytes(0));
  const Image<float> expected = distance_square(Graph(kNodes, arcs), within_bytes(0));
  for (int a = 0; a < kNodes; ++a)
    EXPECT_TRUE(same_bits({found.row(a), kNodes}, {expected.row(a), kNodes})) << a;
}

TEST(MatrixParity, DirectedGraphsWithoutRoomAreRefusedOrLeftToTheCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Graph graph = directed_graph(300, one_way_arcs(300, 900, 2));
  EXPECT_THAT(test::message_of<DeviceError>([&] { distance_square(graph, within_bytes(1 << 20)); }),
              HasSubstr("which has room for 1048576"));
  PathOptions options = within_bytes(1 << 20);
  options.engine = PathEngine::kAuto;
  PathReport report;
  distance_square(graph, options, &report);
  EXPECT_EQ(report.engine, PathEngine::kDijkstra);
  EXPECT_EQ(report.storage, PathStorage::kHost);
  EXPECT_THAT(report.why, HasSubstr("have no room on cuda:0"));
}

}  // namespace
}  // namespace fovea
