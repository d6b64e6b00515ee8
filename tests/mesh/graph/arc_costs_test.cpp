#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/mesh/arc_costs.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mesh/shapes.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using test::message_of;
using testing::HasSubstr;

double mean_of(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Two flat arcs and one valley.
TEST(NamedCosts, OfAValleyHaveAClosedForm) {
  DualGraph graph = dual_graph(test::fold(0.8F));
  const auto valley =
      static_cast<std::size_t>(std::find_if(graph.arcs.begin(), graph.arcs.end(),
                                            [](const DualArc& arc) { return arc.angle > 0.1F; }) -
                               graph.arcs.begin());
  ASSERT_EQ(graph.arcs.size(), 3U);
  graph.arcs[valley].concave = true;  // an open sheet has no outside that would say so
  const auto cost = [&](CostKind kind, ArcCosts costs) {
    return static_cast<double>(arc_costs(graph, costs, kind)[valley]);
  };
  double geodesics = 0;
  for (const DualArc& arc : graph.arcs) geodesics += static_cast<double>(arc.geodesic);
  const double step = 3 * static_cast<double>(graph.arcs[valley].geodesic) / geodesics;
  // The only bend is three times the mean of all, whatever its measure.
  for (const CostKind kind : {CostKind::kKatzTal, CostKind::kAngle, CostKind::kMinimaRule})
    EXPECT_NEAR(cost(kind, {.alpha = 0.3}), 0.3 * step + 0.7 * 3, 1e-4);
  EXPECT_NEAR(cost(CostKind::kFeature, {.alpha = 0.3}), std::hypot(0.3 * step, 0.7 * 3), 1e-4);
  EXPECT_NEAR(cost(CostKind::kRandomWalk, {}), std::exp(3), 1e-3);
  graph.diameters = {1, 1, 3, 3};
  EXPECT_NEAR(cost(CostKind::kDiameter, {.alpha = 0.3, .diameter_weight = 1}), 0.3 * step + 0.7 * 3,
              1e-4);
}

TEST(NamedCosts, ConvexEdgesCountByEta) {
  const DualGraph cube = dual_graph(test::cube());
  for (const CostKind kind : {CostKind::kKatzTal, CostKind::kAngle, CostKind::kFeature}) {
    const std::vector<float> none = arc_costs(cube, {.alpha = 0.5, .eta = 0}, kind);
    const std::vector<float> all = arc_costs(cube, {.alpha = 0.5, .eta = 1}, kind);
    EXPECT_LT(mean_of(none), mean_of(all));
  }
  // A cube has no valleys, and the minima rule sees nothing.
  const std::vector<float> valleys = arc_costs(cube, {.alpha = 0}, CostKind::kMinimaRule);
  EXPECT_EQ(*std::max_element(valleys.begin(), valleys.end()), 0);
}

TEST(NamedCosts, WithAnAlphaOfOneAreLengthsInTheUnitOfTheMesh) {
  DualGraph graph = dual_graph(test::bumpy(2));
  graph.diameters.assign(graph.areas.size(), 1);
  for (const Choice& choice : choices(CostKind{})) {
    const auto kind = static_cast<CostKind>(choice.value);
    const std::vector<float> costs = arc_costs(graph, {.alpha = 1}, kind);
    EXPECT_EQ(costs_length_alone({.alpha = 1}, kind), kind != CostKind::kRandomWalk);
    EXPECT_FALSE(costs_length_alone({.alpha = 0.99}, kind));
    if (kind == CostKind::kRandomWalk) continue;
    for (std::size_t i = 0; i < costs.size(); ++i) EXPECT_EQ(costs[i], graph.arcs[i].geodesic);
  }
}

TEST(NamedCosts, PowersOfTheAngleRaiseSteepEdges) {
  const DualGraph graph = dual_graph(test::bumpy(2));
  const auto steepest = [&](double power) {
    const std::vector<float> costs =
        arc_costs(graph, {.alpha = 0, .eta = 1, .angle_power = power}, CostKind::kAngle);
    EXPECT_NEAR(mean_of(costs), 1, 1e-4);
    return *std::max_element(costs.begin(), costs.end());
  };
  EXPECT_LT(steepest(0.5), steepest(1));
  EXPECT_LT(steepest(1), steepest(3));
}

TEST(NamedCosts, AreFiniteOnEveryMesh) {
  io::TriangleMesh odd = test::dumbbell(8, 6);
  odd.faces.push_back({0, 0, 1});
  odd.faces.push_back({1, 2, 2});
  for (const io::TriangleMesh& mesh : {odd, test::sheet(2), test::moebius(6), test::cube()}) {
    DualGraph graph = dual_graph(mesh);
    graph.diameters = shape_diameters(mesh, {.rays = 4});
    for (const Choice& kind : choices(CostKind{}))
      for (const float cost : arc_costs(graph, {}, static_cast<CostKind>(kind.value)))
        EXPECT_TRUE(cost >= 0 && std::isfinite(cost)) << kind.word;
  }
}

TEST(NamedCosts, DiametersMustBeThere) {
  const DualGraph graph = dual_graph(test::cube());
  EXPECT_THAT(message_of<InvalidArgument>([&] { arc_costs(graph, {}, CostKind::kDiameter); }),
              HasSubstr("0 diameters for 12 faces"));
}

TEST(OwnCosts, FromAFunctionOrAList) {
  const DualGraph graph = dual_graph(test::cube());
  const std::vector<float> costs =
      own_arc_costs(graph, [](const DualArc& arc) { return 2 * arc.edge; });
  ASSERT_EQ(costs.size(), graph.arcs.size());
  EXPECT_FLOAT_EQ(costs[0], 2 * graph.arcs[0].edge);
  const Graph paths = path_graph(graph, costs);
  EXPECT_EQ(paths.nodes(), 12);
  EXPECT_EQ(paths.arcs(), static_cast<std::int64_t>(graph.arcs.size()));
}

TEST(OwnCosts, MustBeNumbersFrom0) {
  const DualGraph graph = dual_graph(test::cube());
  for (const float bad : {-1.0F, std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), 2e30F})
    EXPECT_THAT(message_of<InvalidArgument>(
                    [&] { own_arc_costs(graph, [&](const DualArc&) { return bad; }); }),
                HasSubstr("the cost of arc 0 between faces"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { path_graph(graph, std::vector<float>(3, 1.0F)); }),
              HasSubstr("3 costs for 18 arcs"));
}

}  // namespace
}  // namespace fovea::mesh
