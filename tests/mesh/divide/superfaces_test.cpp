#include "mesh/divide/superfaces.h"

#include <numeric>
#include <set>

#include "mesh/divide/seams.h"
#include "mesh/shapes.h"

namespace fovea::mesh {
namespace {

Part part_of_mesh(const io::TriangleMesh& mesh) {
  Part part;
  part.graph = dual_graph(mesh);
  part.adjacency = Adjacency(part.graph.areas.size(), part.graph.arcs);
  part.costs.assign(part.graph.arcs.size(), 0.5F);
  return part;
}

const Exec kCpu{.device = Device::cpu()};

TEST(Superfaces, AreConnectedAndHoldTheirSeed) {
  const Part part = part_of_mesh(test::star(3));
  const Superfaces superfaces = make_superfaces(part, 60, kCpu);
  ASSERT_EQ(superfaces.count(), 60);
  for (std::int32_t i = 0; i < 60; ++i)
    EXPECT_EQ(
        superfaces.of[static_cast<std::size_t>(superfaces.seeds[static_cast<std::size_t>(i)])], i);
  std::vector<std::int32_t> pieces;
  EXPECT_EQ(connected_pieces(part.graph, superfaces.of, pieces), 60);
}

TEST(Superfaces, OneAFaceWhereAllAreAskedFor) {
  const Part part = part_of_mesh(test::cube());
  const Superfaces superfaces = make_superfaces(part, 12, kCpu);
  EXPECT_EQ(std::set<std::int32_t>(superfaces.seeds.begin(), superfaces.seeds.end()).size(), 12U);
}

// Of single faces the conductance is that of the edge alone.
TEST(Network, OfSingleFaces) {
  const Part part = part_of_mesh(test::cube());
  const Superfaces superfaces = make_superfaces(part, 12, kCpu);
  const Network network = make_network(part, superfaces);
  ASSERT_EQ(network.links.size(), 18U);
  double sum = 0;
  for (const Conductance& link : network.links) sum += link.value;
  EXPECT_NEAR(sum, (12 + 6 * 1.41421356) / 0.5, 1e-2);
  EXPECT_NEAR(std::accumulate(network.masses.begin(), network.masses.end(), 0.0), 12, 1e-6);
}

}  // namespace
}  // namespace fovea::mesh
