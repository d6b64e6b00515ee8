// Covers: floyd_warshall_directed
// Directed graphs: both engines against the textbook, and against undirected graphs where every arc
// has a twin.
#include <fovea/core/error.h>
#include <fovea/ops/shortest_paths.h>

#include <cmath>
#include <cstring>
#include <random>

#include "ops/path_graphs.h"
#include "reference/shortest_paths.h"
#include "support/messages.h"

namespace fovea {
namespace {

using test::message_of;
using testing::HasSubstr;

constexpr PathEngine kDirected[] = {PathEngine::kDijkstra, PathEngine::kFloydWarshall,
                                    PathEngine::kAuto};

std::vector<GraphArc> random_arcs(int nodes, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<GraphArc> arcs(static_cast<std::size_t>(count));
  for (GraphArc& arc : arcs)
    arc = {static_cast<std::int32_t>(random() % static_cast<unsigned>(nodes)),
           static_cast<std::int32_t>(random() % static_cast<unsigned>(nodes)),
           static_cast<float>(random() % 1000) / 64.F};
  return arcs;
}

TEST(DirectedGraph, AnArcLeadsOneWay) {
  const std::vector<GraphArc> arcs{{0, 1, 2}, {1, 2, 3}, {0, 1, 5}, {2, 2, 1}};
  const Graph graph = directed_graph(3, arcs);
  EXPECT_TRUE(graph.directed());
  EXPECT_EQ(graph.arcs(), 2);
  EXPECT_EQ(graph.degree(2), 0U);
  for (const PathEngine engine : kDirected) {
    const Image<float> square = distance_square(graph, {.engine = engine});
    EXPECT_EQ(square.row(0)[2], 5.F);
    EXPECT_EQ(square.row(2)[0], kUnreachable);
    EXPECT_EQ(square.row(1)[1], 0.F);
  }
}

TEST(DirectedGraph, EnginesAgreeWithTheTextbookForAnyNumberOfThreads) {
  for (const auto& [nodes, count] : {std::pair(1, 0), {64, 300}, {65, 200}, {200, 2000}}) {
    const Graph graph = directed_graph(nodes, random_arcs(nodes, count, 7));
    const auto expected = reference::all_distances(graph);
    for (const PathEngine engine : kDirected)
      for (const int threads : {1, 3}) {
        PathReport report;
        const Image<float> found =
            distance_square(graph, {.engine = engine, .exec = {.threads = threads}}, &report);
        if (engine != PathEngine::kAuto) {
          EXPECT_EQ(report.engine, engine);
        }
        for (int a = 0; a < nodes; ++a)
          for (int b = 0; b < nodes; ++b) {
            const double wanted =
                expected[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
            const auto is = static_cast<double>(found.row(a)[b]);
            EXPECT_TRUE(is == wanted || std::abs(is - wanted) <= 1e-5 * wanted)
                << nodes << " nodes, from " << a << " to " << b << ": " << is << ", " << wanted;
          }
      }
  }
}

TEST(DirectedGraph, ArcsWithTwinsGiveTheBitsOfAnUndirectedGraph) {
  constexpr int kNodes = 150;
  const std::vector<GraphArc> arcs = random_arcs(kNodes, 500, 3);
  std::vector<GraphArc> both = arcs;
  for (const GraphArc& arc : arcs) both.push_back({arc.b, arc.a, arc.cost});
  const PathOptions options{.engine = PathEngine::kFloydWarshall};
  const Image<float> found = distance_square(directed_graph(kNodes, both), options);
  const Image<float> expected = distance_square(Graph(kNodes, arcs), options);
  for (int a = 0; a < kNodes; ++a)
    EXPECT_EQ(std::memcmp(found.row(a), expected.row(a), sizeof(float) * kNodes), 0) << a;
}

TEST(DirectedGraph, DistancesBeyondTheCutoffAreInfinite) {
  const Graph graph = directed_graph(80, random_arcs(80, 300, 5));
  const Image<float> whole = distance_square(graph);
  for (const PathEngine engine : kDirected) {
    const Image<float> found = distance_square(graph, {.engine = engine, .cutoff = 9});
    for (int a = 0; a < 80; ++a)
      for (int b = 0; b < 80; ++b)
        EXPECT_EQ(found.row(a)[b] < kUnreachable, whole.row(a)[b] <= 9.F) << a << " " << b;
  }
}

TEST(DirectedGraph, WhatCannotWorkIsRefusedInOneLine) {
  const Graph graph = directed_graph(3, std::vector<GraphArc>{{0, 1, 2}});
  EXPECT_THAT(message_of([&] { all_distances(graph); }), HasSubstr("distance_square()"));
  EXPECT_THAT(message_of([&] { DistanceTable table(graph); }), HasSubstr("directed"));
  EXPECT_THAT(message_of([&] { distance_square(graph, {.engine = PathEngine::kPartitioned}); }),
              HasSubstr("ask for dijkstra"));
}

}  // namespace
}  // namespace fovea
