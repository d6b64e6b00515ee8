#include "mesh/divide/seams.h"

#include <fovea/core/random.h>
#include <fovea/ops/max_flow.h>

#include <algorithm>
#include <map>

#include "mesh/shapes.h"
#include "support/devices.h"

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
  reassign_islands(part, 3, clusters);
  for (std::size_t face = 0; face < 200; ++face) EXPECT_EQ(clusters.labels[face], face >= 100);
}

TEST(Islands, TheLargestPieceStays) {
  const Part part = part_of_mesh(test::sheet(4));
  std::vector<std::int32_t> labels(32, 0);
  labels[7] = 1;
  Clusters clusters = clusters_of(labels, 2);
  reassign_islands(part, 100, clusters);
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

// Bands one after the other, each with the labels that those before have left.
double cut_one_by_one(const Part& part, const std::vector<double>& capacities, Clusters& clusters) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> bands;
  for (std::size_t face = 0; face < part.faces(); ++face)
    if (clusters.second[face] >= 0 && clusters.second[face] != clusters.labels[face])
      bands[std::minmax(clusters.labels[face], clusters.second[face])].push_back(
          static_cast<std::int32_t>(face));
  double value = 0;
  for (const auto& [pair, faces] : bands) {
    std::map<std::int32_t, std::int32_t> node;
    for (const std::int32_t face : faces)
      node.emplace(face, static_cast<std::int32_t>(node.size()));
    std::vector<CutArc> arcs;
    std::vector<CutTie> ties(faces.size());
    for (std::size_t i = 0; i < ties.size(); ++i) ties[i].node = static_cast<std::int32_t>(i);
    bool first = false, second = false;
    for (std::size_t i = 0; i < part.graph.arcs.size(); ++i) {
      const DualArc& arc = part.graph.arcs[i];
      if (node.contains(arc.a) && node.contains(arc.b))
        arcs.push_back({node.at(arc.a), node.at(arc.b), capacities[i]});
      for (const auto& [inside, outside] : {std::pair(arc.a, arc.b), std::pair(arc.b, arc.a)}) {
        if (!node.contains(inside) || node.contains(outside)) continue;
        const std::int32_t label = clusters.labels[static_cast<std::size_t>(outside)];
        CutTie& tie = ties[static_cast<std::size_t>(node.at(inside))];
        if (label == pair.first) tie.to_source += capacities[i];
        if (label == pair.second) tie.to_sink += capacities[i];
        first |= label == pair.first;
        second |= label == pair.second;
      }
    }
    if (!first || !second) continue;
    const MinimumCut cut =
        minimum_cut(static_cast<int>(faces.size()), arcs, ties, {.device = Device::cpu()});
    value += cut.value;
    for (const auto& [face, i] : node) {
      std::int32_t& label = clusters.labels[static_cast<std::size_t>(face)];
      const bool last = std::count(clusters.labels.begin(), clusters.labels.end(), label) == 1;
      if (!last) label = cut.source_side[static_cast<std::size_t>(i)] ? pair.first : pair.second;
    }
  }
  return value;
}

// Capacities are whole numbers, so that sums are exact in any order.
struct Patchwork {
  Part part;
  std::vector<double> capacities;
  Clusters clusters;
};
Patchwork patchwork(std::uint64_t seed) {
  constexpr int kSide = 20, kPatch = 5;
  Random random(seed);
  Patchwork made{.part = part_of_mesh(test::sheet(kSide)), .capacities = {}, .clusters = {}};
  std::vector<std::int32_t> labels;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < 2 * kSide; ++x)
      labels.push_back(y / kPatch * (kSide / kPatch) + x / (2 * kPatch));
  made.clusters = clusters_of(labels, kSide / kPatch * (kSide / kPatch));
  doubt_near_seams(made.part, 1.0 + static_cast<double>(seed % 3), made.clusters);
  for (std::int32_t& second : made.clusters.second)  // and some in doubt with a distant cluster
    if (random.below(20) == 0) second = static_cast<std::int32_t>(random.below(16));
  for (std::size_t i = 0; i < made.part.graph.arcs.size(); ++i)
    made.capacities.push_back(static_cast<double>(1 + random.below(4)));
  return made;
}

// Bands that are solved at the same time give what bands one after the other do.
TEST(CutSeams, AreThoseOfBandsOneByOne) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Patchwork made = patchwork(seed);
    Clusters expected = made.clusters;
    const double value = cut_one_by_one(made.part, made.capacities, expected);
    EXPECT_EQ(cut_seams(made.part, made.capacities, made.clusters, {.device = Device::cpu()}),
              value);
    EXPECT_EQ(made.clusters.labels, expected.labels) << seed;
  }
}

TEST(CutSeams, AreTheSameOnEveryDevice) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const std::uint64_t seed : {1, 2}) {
    Patchwork made = patchwork(seed);
    Clusters expected = made.clusters;
    const double value = cut_seams(made.part, made.capacities, expected, {.device = Device::cpu()});
    EXPECT_EQ(cut_seams(made.part, made.capacities, made.clusters, {.device = Device::cuda()}, 0),
              value);
    EXPECT_EQ(made.clusters.labels, expected.labels) << seed;
  }
}

}  // namespace
}  // namespace fovea::mesh
