// Covers: dijkstra, engine_choice, floyd_warshall, from_sources, graph, nearest, partitioned
// Covers: parts, square_copy
#include <fovea/core/error.h>
#include <fovea/ops/shortest_paths.h>

#include <cmath>
#include <cstring>

#include "ops/path_graphs.h"
#include "ops/shortest_paths/sphere_graph.h"
#include "reference/shortest_paths.h"
#include "support/devices.h"
#include "support/messages.h"

namespace fovea {
namespace {

using test::apart;
using test::grid;
using test::message_of;
using test::scattered;
using testing::HasSubstr;
using PathPlaces = test::OnEveryPlace;

constexpr PathEngine kEngines[] = {PathEngine::kDijkstra, PathEngine::kFloydWarshall,
                                   PathEngine::kPartitioned, PathEngine::kAuto};

struct Named {
  const char* name;
  Graph graph;
};
// The textbook's time grows with the cube of the nodes. Up to 256 nodes are closed as one group;
// the sphere has more, and so have two graphs with nodes that do not reach each other.
std::vector<Named> graphs() {
  std::vector<Named> all;
  all.push_back({"one node", Graph(1, {})});
  all.push_back({"two nodes", Graph(2, std::vector<GraphArc>{{0, 1, 3}})});
  all.push_back({"no arcs", Graph(130, {})});
  all.push_back({"grid", grid(17, 13)});
  all.push_back({"long grid", grid(70, 3, 0.25F)});
  all.push_back({"no costs", grid(12, 12, 0)});
  all.push_back({"sphere", detail::sphere_graph(2)});
  all.push_back({"spheres apart", apart(detail::sphere_graph(1), 4)});
  all.push_back({"tree-like", scattered(300, 288, 1)});
  all.push_back({"sparse", scattered(200, 450, 2)});
  all.push_back({"dense", scattered(150, 8000, 3)});
  return all;
}

void expect_near(const DistanceMatrix& found, const std::vector<std::vector<double>>& expected,
                 const std::string& what) {
  int wrong = 0;
  for (int a = 0; a < found.nodes(); ++a)
    for (int b = 0; b <= a; ++b) {
      const double is = static_cast<double>(found.at(a, b));
      const double wanted = expected[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
      const bool same = is == wanted || std::abs(is - wanted) <= 1e-5 * wanted;
      if (!same && ++wrong < 4)
        ADD_FAILURE() << what << ": from " << a << " to " << b << " is " << is << ", expected "
                      << wanted;
    }
  EXPECT_EQ(wrong, 0) << what;
}

bool same_bits(const DistanceMatrix& a, const DistanceMatrix& b) {
  return a.nodes() == b.nodes() &&
         (a.nodes() == 0 ||
          std::memcmp(a.lower().data(), b.lower().data(), a.lower().size_bytes()) == 0);
}

TEST_P(PathPlaces, EveryEngineAgreesWithTheTextbook) {
  for (const Named& named : graphs()) {
    const auto expected = reference::all_distances(named.graph);
    for (const PathEngine engine : kEngines)
      expect_near(all_distances(named.graph, {.engine = engine, .exec = {.device = device()}}),
                  expected, std::string(named.name) + ", " + to_string(engine));
  }
}

TEST_P(PathPlaces, AGridsDistancesAreManhattans) {
  constexpr int kWidth = 27, kHeight = 20;
  const Graph graph = grid(kWidth, kHeight);
  for (const PathEngine engine : kEngines) {
    const DistanceMatrix found =
        all_distances(graph, {.engine = engine, .exec = {.device = device()}});
    int wrong = 0;
    for (int a = 0; a < graph.nodes(); ++a)
      for (int b = 0; b < graph.nodes(); ++b) {
        const int steps = std::abs(a % kWidth - b % kWidth) + std::abs(a / kWidth - b / kWidth);
        if (found.at(a, b) != static_cast<float>(steps)) ++wrong;
      }
    EXPECT_EQ(wrong, 0) << to_string(engine);
  }
}

// Ways round a part's corner, and through parts that are far: more than two levels of gates.
TEST_P(PathPlaces, ManyPartsAgreeWithDijkstra) {
  const Graph graph = detail::sphere_graph(3);
  const DistanceMatrix expected = all_distances(graph, {.engine = PathEngine::kDijkstra});
  PathReport report;
  const DistanceMatrix found = all_distances(
      graph, {.engine = PathEngine::kPartitioned, .exec = {.device = device()}}, &report);
  EXPECT_GE(report.parts, 16);
  EXPECT_LT(report.relaxations, 1e8);
  double worst = 0;
  for (std::size_t i = 0; i < found.lower().size(); ++i) {
    const double is = found.lower()[i], wanted = expected.lower()[i];
    worst = std::max(worst, is == wanted ? 0 : std::abs(is - wanted) / wanted);
  }
  EXPECT_LT(worst, 1e-5);
}

TEST_P(PathPlaces, RowsThatAreStreamedAreTheMatrixs) {
  for (const Graph& graph : {detail::sphere_graph(2), apart(grid(9, 15), 3), Graph(1, {})})
    for (const PathEngine engine : kEngines) {
      const PathOptions options{.engine = engine, .exec = {.device = device()}};
      const DistanceMatrix matrix = all_distances(graph, options);
      std::vector<float> row(static_cast<std::size_t>(graph.nodes()));
      int next = 0, wrong = 0;
      stream_distances(
          graph,
          [&](const DistanceRows& rows) {
            EXPECT_EQ(rows.first, next);
            ASSERT_EQ(rows.rows.width, graph.nodes());
            for (int i = 0; i < rows.rows.height; ++i, ++next) {
              matrix.row(next, row);
              const float* streamed = rows.rows.row(i);
              for (std::size_t b = 0; b < row.size(); ++b) {
                // Dijkstra's sums start at the row's node.
                const float least = engine == PathEngine::kDijkstra ? row[b] * 0.999999F : row[b];
                const float most = engine == PathEngine::kDijkstra ? row[b] * 1.000001F : row[b];
                if (!(streamed[b] >= least && streamed[b] <= most)) ++wrong;
              }
            }
          },
          options);
      EXPECT_EQ(next, graph.nodes()) << to_string(engine);
      EXPECT_EQ(wrong, 0) << to_string(engine);
    }
}

TEST_P(PathPlaces, DistancesBeyondTheCutoffAreInfinite) {
  const Graph graph = grid(19, 15);
  for (const PathEngine engine : kEngines) {
    const PathOptions options{.engine = engine, .cutoff = 7, .exec = {.device = device()}};
    const DistanceMatrix found = all_distances(graph, options);
    const DistanceMatrix whole = all_distances(graph, {.engine = engine});
    int wrong = 0;
    for (std::size_t i = 0; i < found.lower().size(); ++i) {
      const float wanted = whole.lower()[i] <= 7 ? whole.lower()[i] : kUnreachable;
      if (found.lower()[i] != wanted) ++wrong;
    }
    EXPECT_EQ(wrong, 0) << to_string(engine);
    stream_distances(
        graph,
        [&](const DistanceRows& rows) {
          for (int b = 0; b < graph.nodes(); ++b)
            EXPECT_EQ(rows.rows.at(b, 0), found.at(rows.first, b)) << to_string(engine);
        },
        options);
  }
}

TEST_P(PathPlaces, RowsOfChosenSources) {
  const Graph graph = detail::sphere_graph(3);
  const DistanceMatrix all = all_distances(graph, {.engine = PathEngine::kDijkstra});
  std::vector<std::int32_t> sources;
  for (int i = 0; i < 37; ++i) sources.push_back(i * 31 % graph.nodes());
  sources.push_back(sources.front());  // twice
  const Image<float> rows = distances_from(graph, sources, {.exec = {.device = device()}});
  ASSERT_EQ(rows.height(), 38);
  std::vector<float> expected(static_cast<std::size_t>(graph.nodes()));
  for (int i = 0; i < rows.height(); ++i) {
    const std::int32_t source = sources[static_cast<std::size_t>(i)];
    for (int node = 0; node < graph.nodes(); ++node)
      EXPECT_NEAR(rows.at(node, i), all.at(source, node), 1e-5 * all.at(source, node));
    EXPECT_EQ(rows.at(source, i), 0);
  }
  EXPECT_TRUE(distances_from(graph, {}).empty());
}
FOVEA_ON_EVERY_PLACE(PathPlaces);

TEST(ShortestPaths, AnyNumberOfThreadsGivesTheSameBits) {
  const Graph graph = apart(detail::sphere_graph(2, 5), 2);
  for (const PathEngine engine :
       {PathEngine::kDijkstra, PathEngine::kFloydWarshall, PathEngine::kPartitioned}) {
    const auto with = [&](int threads) {
      return all_distances(
          graph, {.engine = engine, .exec = {.device = Device::cpu(), .threads = threads}});
    };
    const DistanceMatrix one = with(1);
    EXPECT_TRUE(same_bits(one, with(2))) << to_string(engine);
    EXPECT_TRUE(same_bits(one, with(7))) << to_string(engine);
  }
}

TEST(ShortestPaths, AutoSaysWhy) {
  PathReport report;
  all_distances(detail::sphere_graph(4), {.exec = {.device = Device::cpu()}}, &report);
  EXPECT_EQ(report.engine, PathEngine::kPartitioned);
  EXPECT_THAT(report.why, HasSubstr("5120 nodes of 3.0 arcs each fall into"));
  all_distances(scattered(300, 20000, 4), {.exec = {.device = Device::cpu()}}, &report);
  EXPECT_EQ(report.engine, PathEngine::kFloydWarshall);
  EXPECT_THAT(report.why, HasSubstr("dense"));
  all_distances(scattered(2000, 9000, 4), {.exec = {.device = Device::cpu()}}, &report);
  EXPECT_EQ(report.engine, PathEngine::kDijkstra);
  EXPECT_THAT(report.why, HasSubstr("wide borders"));
  all_distances(grid(5, 5), {.engine = PathEngine::kDijkstra}, &report);
  EXPECT_EQ(report.why, "");
}

TEST(ShortestPaths, TheNearestOfSeveralSources) {
  // 0 - 1 - 2 - 3 - 4 and, apart, 5.
  std::vector<GraphArc> arcs{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}};
  const Graph graph(6, arcs);
  const std::vector<std::int32_t> sources{4, 0, 4};
  const NearestSource found = nearest_source(graph, sources);
  EXPECT_EQ(found.source, (std::vector<std::int32_t>{1, 1, 0, 0, 0, -1}));  // 2: a tie
  EXPECT_EQ(found.distance, (std::vector<float>{0, 1, 2, 1, 0, kUnreachable}));
  EXPECT_EQ(nearest_source(graph, sources, {.cutoff = 1}).source,
            (std::vector<std::int32_t>{1, 1, -1, 0, 0, -1}));
  EXPECT_EQ(nearest_source(graph, {}).source, std::vector<std::int32_t>(6, -1));
}

TEST(ShortestPaths, GraphsKeepTheCheapestArc) {
  const std::vector<GraphArc> arcs{{0, 1, 5}, {1, 0, 2}, {2, 2, 1}, {1, 0, 3}, {2, 1, -0.F}};
  const Graph graph(3, arcs);
  EXPECT_EQ(graph.arcs(), 2);
  EXPECT_EQ(graph.degree(2), 1U);
  ASSERT_EQ(graph.degree(1), 2U);
  EXPECT_EQ(graph.neighbors(1)[0], 0);
  EXPECT_EQ(graph.costs(1)[0], 2);
  EXPECT_FALSE(std::signbit(graph.costs(2)[0]));
}

TEST(ShortestPaths, WhatCannotBeIsRefused) {
  const auto graph_of = [](const GraphArc& arc) {
    return message_of([&] { Graph(3, std::vector{arc}); });
  };
  EXPECT_THAT(graph_of({0, 3, 1}), HasSubstr("arc 0 ends at node 3; there are 3 nodes"));
  EXPECT_THAT(graph_of({-1, 1, 1}), HasSubstr("node -1"));
  EXPECT_THAT(graph_of({0, 1, -2}), HasSubstr("costs -2"));
  EXPECT_THAT(graph_of({0, 1, std::nanf("")}), HasSubstr("costs nan"));
  EXPECT_THAT(graph_of({0, 1, kUnreachable}), HasSubstr("costs inf"));
  EXPECT_THAT(message_of([] { Graph(-1, {}); }), HasSubstr("-1 nodes"));
  const Graph graph = grid(2, 2);
  const std::vector<std::int32_t> beyond{4};
  EXPECT_THAT(message_of([&] { distances_from(graph, beyond); }), HasSubstr("source 4"));
  EXPECT_THAT(message_of([&] { nearest_source(graph, beyond); }), HasSubstr("source 4"));
  EXPECT_THAT(message_of([&] { all_distances(graph, {.cutoff = -1}); }), HasSubstr("cutoff is -1"));
  EXPECT_THAT(message_of([&] { stream_distances(graph, {}); }), HasSubstr("nothing takes"));
}

TEST(ShortestPaths, AnEmptyGraphHasNoDistances) {
  const Graph graph(0, {});
  for (const PathEngine engine : kEngines)
    EXPECT_EQ(all_distances(graph, {.engine = engine}).lower().size(), 0U);
  stream_distances(graph, [](const DistanceRows&) { FAIL(); });
}

}  // namespace
}  // namespace fovea
