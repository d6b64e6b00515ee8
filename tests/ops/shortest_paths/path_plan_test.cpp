#include "ops/shortest_paths/path_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "ops/shortest_paths/partition.h"
#include "ops/shortest_paths/sphere_graph.h"

namespace fovea::detail {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

TEST(PathPlan, PartsOfASphereHaveSmallBorders) {
  const Graph graph = sphere_graph(4);
  const PathPlan plan = make_path_plan(graph, {});
  EXPECT_GE(plan.parts.size(), 16U);
  EXPECT_LT(plan.relaxations, 1.2e9);  // of 6.8e10
  for (const PathPart& part : plan.parts)
    EXPECT_LT(part.gates * part.gates, 17 * part.own) << part.own << " nodes";
}

// Every arc lies in one part, or between gates; what a part sees of others are gates.
TEST(PathPlan, ArcsCrossPartsAtGatesOnly) {
  const Graph graph = sphere_graph(3);
  const PathPlan plan = make_path_plan(graph, {});
  ASSERT_GT(plan.parts.size(), 1U);
  std::set<std::pair<int, int>> seen;
  const auto see = [&](int a, int b) {
    EXPECT_TRUE(seen.insert({std::max(a, b), std::min(a, b)}).second) << a << " " << b;
  };
  std::vector<std::int32_t> gate_node(at(plan.gates), -1);
  std::size_t owned = 0;
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const PathPart& part = plan.parts[p];
    if (p > 0) {
      EXPECT_LE(part.gates, plan.parts[p - 1].gates);
    }
    EXPECT_EQ(part.first, static_cast<int>(owned));
    owned += at(part.own);
    const std::int32_t* locals = plan.locals.data() + part.first_local;
    std::set<int> gates;
    for (int k = 0; k < part.gates; ++k) {
      const std::int32_t local = plan.gate_local[part.first_gate + at(k)];
      gates.insert(local);
      std::int32_t& node = gate_node[at(plan.gate_number[part.first_gate + at(k)])];
      EXPECT_TRUE(node == -1 || node == locals[local]);
      node = locals[local];
    }
    EXPECT_EQ(gates.size(), at(part.gates));
    for (int i = 0; i < part.locals; ++i) {
      EXPECT_EQ(plan.part_of[at(locals[i])] == static_cast<int>(p), i < part.own);
      EXPECT_TRUE(i < part.own ? plan.node_at[at(part.first + i)] == locals[i] : gates.contains(i));
    }
    for (std::size_t i = part.first_arc; i < part.first_arc + part.arcs; ++i)
      see(locals[plan.arcs[i].a], locals[plan.arcs[i].b]);
  }
  for (const GraphArc& arc : plan.gate_arcs) see(gate_node[at(arc.a)], gate_node[at(arc.b)]);
  EXPECT_EQ(owned, at(graph.nodes()));
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), graph.arcs());
}

TEST(PathPlan, TheSameForAnyNumberOfThreads) {
  const Graph graph = sphere_graph(3);
  const PathPlan one = make_path_plan(graph, {.threads = 1}),
                 many = make_path_plan(graph, {.threads = 5});
  EXPECT_EQ(one.node_at, many.node_at);
  EXPECT_EQ(one.gate_number, many.gate_number);
}

TEST(PathPlan, SmallAndDenseGraphsAreOnePart) {
  EXPECT_EQ(make_path_plan(Graph(1, {}), {}).parts.size(), 1U);
  EXPECT_EQ(make_path_plan(Graph(0, {}), {}).parts.size(), 1U);
  std::vector<GraphArc> arcs;
  for (int a = 0; a < 200; ++a)
    for (int b = 0; b < a; ++b) arcs.push_back({a, b, 1});
  const PathPlan plan = make_path_plan(Graph(200, arcs), {});
  EXPECT_EQ(plan.parts.size(), 1U);
  EXPECT_EQ(plan.gates, 0);
}

TEST(Partition, PiecesThatDoNotTouchAreNotCut) {
  std::vector<GraphArc> arcs;
  for (int i = 0; i < 64; ++i)  // four rings of 16, their nodes dealt out in turns
    arcs.push_back({i, (i + 4) % 64, 1});
  const Graph graph(64, arcs);
  Bisection bisection(graph);
  bisection.halve({});
  bisection.halve({});
  EXPECT_EQ(bisection.parts(), 4);
  for (int i = 4; i < 64; ++i)
    EXPECT_EQ(bisection.part_of()[at(i)], bisection.part_of()[at(i - 4)]) << i;
}

// A grid of 16 x 8 is cut across, at 8 of its arcs, and the halves then along their middle.
TEST(Partition, PartsAreEquallyLargeAndTheirBordersShort) {
  constexpr int kWidth = 16, kHeight = 8;
  std::vector<GraphArc> arcs;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      if (x + 1 < kWidth) arcs.push_back({y * kWidth + x, y * kWidth + x + 1, 1});
      if (y + 1 < kHeight) arcs.push_back({y * kWidth + x, (y + 1) * kWidth + x, 1});
    }
  const Graph graph(kWidth * kHeight, arcs);
  Bisection bisection(graph);
  for (const auto& [parts, border] : {std::pair{2, 8}, std::pair{4, 24}}) {
    bisection.halve({});
    ASSERT_EQ(bisection.parts(), parts);
    std::vector<int> sizes(at(parts));
    for (const std::int32_t part : bisection.part_of()) ++sizes[at(part)];
    for (const int size : sizes) EXPECT_NEAR(size, 128 / parts, 128 / parts / 6) << parts;
    const auto cut = std::count_if(arcs.begin(), arcs.end(), [&](const GraphArc& arc) {
      return bisection.part_of()[at(arc.a)] != bisection.part_of()[at(arc.b)];
    });
    EXPECT_LE(cut, border + parts) << parts;
  }
}

TEST(Partition, SingleNodesStay) {
  const Graph graph(3, std::vector<GraphArc>{{0, 1, 1}, {1, 2, 1}});
  Bisection bisection(graph);
  for (int i = 0; i < 4; ++i) bisection.halve({});
  EXPECT_EQ(bisection.parts(), 3);
}

}  // namespace
}  // namespace fovea::detail
