// CPU and CUDA twins of shortest paths give the same bits, whether distances stay on the device,
// come as a whole or in rows.
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <cstring>

#include "ops/path_graphs.h"
#include "ops/shortest_paths/device_layout.h"
#include "ops/shortest_paths/min_plus.h"
#include "ops/shortest_paths/sphere_graph.h"
#include "support/devices.h"

namespace fovea {
namespace {

using test::apart;
using test::scattered;
using testing::HasSubstr;

constexpr PathEngine kTwins[] = {PathEngine::kFloydWarshall, PathEngine::kPartitioned};

std::vector<Graph> graphs() {
  std::vector<Graph> all;
  all.emplace_back(1, std::vector<GraphArc>{});
  all.emplace_back(130, std::vector<GraphArc>{});
  for (const int nodes : {63, 64, 65, 127, 129, 255, 257, 385, 513})
    all.push_back(scattered(nodes, 3 * nodes, 1));
  all.push_back(scattered(700, 690, 2));    // many pieces
  all.push_back(scattered(1000, 3000, 3));  // wide borders
  all.push_back(scattered(300, 20000, 4));  // dense
  all.push_back(apart(detail::sphere_graph(2), 5));
  for (const int divisions : {1, 3, 4}) all.push_back(detail::sphere_graph(divisions));
  return all;
}

int differences(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return -1;
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) ++count;
  return count;
}

// Rows as they come against those of a matrix.
int differences_in_rows(const Graph& graph, const PathOptions& options,
                        const DistanceMatrix& expected) {
  std::vector<float> row(static_cast<std::size_t>(graph.nodes()));
  int next = 0, count = 0;
  stream_distances(
      graph,
      [&](const DistanceRows& rows) {
        EXPECT_EQ(rows.first, next);
        for (int i = 0; i < rows.rows.height; ++i, ++next) {
          expected.row(next, row);
          count += differences({rows.rows.row(i), row.size()}, row);
        }
      },
      options);
  EXPECT_EQ(next, graph.nodes());
  return count;
}

TEST(PathParity, TwinsGiveTheSameBits) {
  FOVEA_SKIP_WITHOUT_CUDA();
  DistanceTable table;
  for (const Graph& graph : graphs())
    for (const PathEngine engine : kTwins)
      for (const float cutoff : {kUnreachable, 4.F}) {
        SCOPED_TRACE(testing::Message() << graph.nodes() << " nodes, " << graph.arcs() << " arcs, "
                                        << to_string(engine) << ", cutoff " << cutoff);
        PathOptions options{.engine = engine, .cutoff = cutoff, .exec = {.device = Device::cpu()}};
        const DistanceMatrix expected = all_distances(graph, options);
        options.exec.device = Device::cuda();
        EXPECT_EQ(differences(all_distances(graph, options).lower(), expected.lower()), 0);
        table.compute(graph, options);
        EXPECT_EQ(table.device(), Device::cuda());
        EXPECT_EQ(differences(table.matrix().lower(), expected.lower()), 0);
        EXPECT_EQ(differences_in_rows(graph, options, expected), 0);
      }
}

TEST(PathParity, TheSameBitsEveryTime) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Graph graph = detail::sphere_graph(4, 7);
  for (const PathEngine engine : kTwins) {
    const PathOptions options{.engine = engine, .exec = {.device = Device::cuda()}};
    const DistanceMatrix first = all_distances(graph, options);
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(differences(all_distances(graph, options).lower(), first.lower()), 0)
          << to_string(engine);
  }
}

TEST(PathParity, WhatDoesNotFitGoesInRows) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Graph graph = detail::sphere_graph(4);
  const detail::PathPlan plan = detail::make_path_plan(graph, {});
  PathOptions options{.exec = {.device = Device::cuda()}};
  options.memory = detail::partitioned_bytes(plan) + detail::partitioned_rows_bytes(plan);
  const DistanceTable table(graph, options);
  EXPECT_EQ(table.device(), Device::cpu());
  EXPECT_EQ(table.report().engine, PathEngine::kPartitioned);
  EXPECT_THAT(table.report().why, HasSubstr("in rows, as 104857600 bytes"));
  const DistanceMatrix expected =
      all_distances(graph, {.engine = PathEngine::kPartitioned, .exec = {.device = Device::cpu()}});
  EXPECT_EQ(differences(table.matrix().lower(), expected.lower()), 0);
  options.memory = 1 << 20;
  for (const PathEngine engine : kTwins) {
    options.engine = engine;
    try {
      all_distances(graph, options);
      FAIL() << to_string(engine);
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("which has room for 1048576"));
    }
  }
  options.engine = PathEngine::kAuto;
  PathReport report;
  all_distances(graph, options, &report);
  EXPECT_EQ(report.engine, PathEngine::kDijkstra);
  EXPECT_THAT(report.why, HasSubstr("have room on cuda:0"));
}

TEST(PathParity, AutoTakesWhatSuitsTheGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto run_of = [](const Graph& graph) {
    return DistanceTable(graph, {.exec = {.device = Device::cuda()}}).report();
  };
  EXPECT_EQ(run_of(detail::sphere_graph(2)).engine, PathEngine::kFloydWarshall);
  EXPECT_EQ(run_of(detail::sphere_graph(5)).engine, PathEngine::kPartitioned);
  EXPECT_EQ(run_of(scattered(4000, 20000, 1)).engine, PathEngine::kFloydWarshall);
}

TEST(PathParity, StepsInRegistersAreCounted) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec exec{.device = Device::cuda()};
  EXPECT_EQ(cuda::min_plus_steps(20, exec), 2 * cuda::min_plus_steps(10, exec));
}

}  // namespace
}  // namespace fovea
