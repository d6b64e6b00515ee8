#include "mesh/superfaces.h"

#include <numeric>
#include <set>

#include "mesh/seams.h"
#include "mesh/shapes.h"

namespace fovea::mesh {
namespace {

TEST(Superfaces, AreConnectedAndHoldTheirSeed) {
  const DualGraph graph = dual_graph(test::star(3));
  const Adjacency adjacency(graph.areas.size(), graph.arcs);
  const Superfaces superfaces = make_superfaces(graph, adjacency, 60);
  ASSERT_EQ(superfaces.count(), 60);
  for (std::int32_t i = 0; i < 60; ++i)
    EXPECT_EQ(
        superfaces.of[static_cast<std::size_t>(superfaces.seeds[static_cast<std::size_t>(i)])], i);
  std::vector<std::int32_t> pieces;
  EXPECT_EQ(connected_pieces(graph, superfaces.of, pieces), 60);
}

TEST(Superfaces, OneAFaceWhereAllAreAskedFor) {
  const DualGraph graph = dual_graph(test::cube());
  const Adjacency adjacency(12, graph.arcs);
  const Superfaces superfaces = make_superfaces(graph, adjacency, 12);
  EXPECT_EQ(std::set<std::int32_t>(superfaces.seeds.begin(), superfaces.seeds.end()).size(), 12U);
}

// Of single faces the conductance is that of the edge alone.
TEST(Network, OfSingleFaces) {
  const DualGraph graph = dual_graph(test::cube());
  const Adjacency adjacency(12, graph.arcs);
  const Superfaces superfaces = make_superfaces(graph, adjacency, 12);
  const std::vector<float> costs(graph.arcs.size(), 0.5F);
  const Network network = make_network(graph, adjacency, costs, superfaces);
  ASSERT_EQ(network.links.size(), 18U);
  double sum = 0;
  for (const Conductance& link : network.links) sum += link.value;
  EXPECT_NEAR(sum, (12 + 6 * 1.41421356) / 0.5, 1e-2);
  EXPECT_NEAR(std::accumulate(network.masses.begin(), network.masses.end(), 0.0), 12, 1e-6);
}

}  // namespace
}  // namespace fovea::mesh
