#include "mesh/divide/seams.h"

#include <algorithm>

#include "mesh/shapes.h"

namespace fovea::mesh {
namespace {

Part part_of_mesh(const io::TriangleMesh& mesh) {
  Part part;
  part.graph = dual_graph(mesh);
  part.costs = arc_costs(part.graph);
  part.adjacency = Adjacency(part.graph.areas.size(), part.graph.arcs);
  return part;
}
Clusters clusters_of(std::vector<std::int32_t> labels, int count) {
  Clusters clusters;
  clusters.count = count;
  clusters.second.assign(labels.size(), -1);
  clusters.labels = std::move(labels);
  return clusters;
}

TEST(Islands, AreGivenAway) {
  const Part part = part_of_mesh(test::sheet(10));
  std::vector<std::int32_t> labels(200, 0);
  std::fill(labels.begin() + 100, labels.end(), 1);
  labels[5] = 1;    // an island in 0
  labels[150] = 0;  // and one in 1
  labels[151] = 0;
  Clusters clusters = clusters_of(labels, 2);
  give_islands_away(part, 3, clusters);
  for (std::size_t face = 0; face < 200; ++face) EXPECT_EQ(clusters.labels[face], face >= 100);
}

TEST(Islands, TheLargestPieceStays) {
  const Part part = part_of_mesh(test::sheet(4));
  std::vector<std::int32_t> labels(32, 0);
  labels[7] = 1;
  Clusters clusters = clusters_of(labels, 2);
  give_islands_away(part, 100, clusters);
  EXPECT_EQ(clusters.labels[7], 1);
}

TEST(Pieces, AreCountedApart) {
  const Part part = part_of_mesh(test::sheet(6));
  std::vector<std::int32_t> labels(72, 0);
  std::fill(labels.begin() + 24, labels.begin() + 48, 1);
  std::vector<std::int32_t> pieces;
  EXPECT_EQ(connected_pieces(part.graph, labels, pieces), 3);
  EXPECT_EQ(pieces[0], 0);
  EXPECT_EQ(pieces[71], 2);
}

// A jagged seam on a flat sheet becomes the shortest one.
TEST(CutSeams, Straighten) {
  const int n = 12;
  const Part part = part_of_mesh(test::sheet(n));
  std::vector<std::int32_t> labels;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < 2 * n; ++x) labels.push_back(y >= 6 + (x / 4) % 2 ? 1 : 0);
  Clusters clusters = clusters_of(labels, 2);
  doubt_near_seams(part, 2.5, clusters);
  EXPECT_TRUE(std::any_of(clusters.second.begin(), clusters.second.end(),
                          [](std::int32_t second) { return second >= 0; }));
  std::vector<double> capacities;
  for (const DualArc& arc : part.graph.arcs) capacities.push_back(static_cast<double>(arc.edge));
  const double value = cut_seams(part, capacities, clusters, {});
  EXPECT_NEAR(value, n, 1e-3);
  double seam = 0;
  for (const DualArc& arc : part.graph.arcs)
    if (clusters.labels[static_cast<std::size_t>(arc.a)] !=
        clusters.labels[static_cast<std::size_t>(arc.b)])
      seam += static_cast<double>(arc.edge);
  EXPECT_NEAR(seam, n, 1e-3);
}

}  // namespace
}  // namespace fovea::mesh
