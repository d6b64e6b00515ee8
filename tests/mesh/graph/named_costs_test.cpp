#include <fovea/mesh/named_costs.h>
#include <gtest/gtest.h>

#include "mesh/shapes.h"

namespace fovea::mesh {
namespace {

TEST(NamedCosts, AreThoseOfTheirKind) {
  const io::TriangleMesh mesh = test::cube();
  DualGraph graph = dual_graph(mesh);
  const NamedCosts named{.kind = CostKind::kAngle, .costs = {.alpha = 0.3}};
  EXPECT_EQ(named_costs(named, mesh, graph), arc_costs(graph, named.costs, CostKind::kAngle));
  EXPECT_TRUE(graph.diameters.empty());
}

TEST(NamedCosts, MeasureDiametersWhereTheyAreNeeded) {
  const io::TriangleMesh mesh = test::cube();
  DualGraph graph = dual_graph(mesh);
  const NamedCosts named{.kind = CostKind::kDiameter, .diameter = {.rays = 4}};
  const std::vector<float> costs = named_costs(named, mesh, graph);
  EXPECT_EQ(graph.diameters, shape_diameters(mesh, {.rays = 4}));
  EXPECT_EQ(costs, arc_costs(graph, named.costs, CostKind::kDiameter));
}

}  // namespace
}  // namespace fovea::mesh
