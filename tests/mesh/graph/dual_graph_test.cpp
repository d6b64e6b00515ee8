// Covers: arc_costs, dual_orient
#include <fovea/core/error.h>
#include <fovea/mesh/arc_costs.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stop_token>

#include "mesh/shapes.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using test::message_of;

constexpr double kRight = std::numbers::pi / 2;

const DualArc& arc_between(const DualGraph& graph, int a, int b) {
  const auto found = std::find_if(graph.arcs.begin(), graph.arcs.end(),
                                  [&](const DualArc& arc) { return arc.a == a && arc.b == b; });
  if (found == graph.arcs.end()) throw InvalidArgument("no such arc");
  return *found;
}

void expect_finite(const DualGraph& graph) {
  for (const DualArc& arc : graph.arcs) {
    EXPECT_TRUE(std::isfinite(arc.geodesic) && std::isfinite(arc.angle) && std::isfinite(arc.edge));
    EXPECT_LT(arc.a, arc.b);
  }
  for (const auto& normal : graph.normals)
    for (const float x : normal) EXPECT_TRUE(std::isfinite(x));
  for (const float cost : arc_costs(graph)) EXPECT_TRUE(std::isfinite(cost));
}

TEST(DualGraph, Cube) {
  const DualGraph graph = dual_graph(test::cube());
  ASSERT_EQ(graph.faces(), 12);
  ASSERT_EQ(graph.arcs.size(), 18U);
  int flat = 0;
  for (const DualArc& arc : graph.arcs) {
    EXPECT_FALSE(arc.concave && arc.angle > 1e-3F);
    if (arc.angle < 1e-3F) {
      ++flat;
      EXPECT_NEAR(arc.edge, std::numbers::sqrt2, 1e-6);
      EXPECT_NEAR(arc.geodesic, std::numbers::sqrt2 / 3, 1e-6);
    } else {
      EXPECT_NEAR(arc.angle, kRight, 1e-6);
      EXPECT_NEAR(arc.edge, 1, 1e-6);
    }
  }
  EXPECT_EQ(flat, 6);
  for (int face = 0; face < 12; ++face) {
    const auto& normal = graph.normals[static_cast<std::size_t>(face)];
    const auto& centroid = graph.centroids[static_cast<std::size_t>(face)];
    float out = 0;
    for (std::size_t i = 0; i < 3; ++i) out += normal[i] * (centroid[i] - 0.5F);
    EXPECT_NEAR(out, 0.5, 1e-6);
    EXPECT_NEAR(graph.areas[static_cast<std::size_t>(face)], 0.5, 1e-6);
  }
}

TEST(DualGraph, ThreadsDoNotMatterAndAStopIsWatched) {
  const io::TriangleMesh mesh = test::cube();
  Exec exec;
  exec.threads = 2;
  const DualGraph one = dual_graph(mesh, 3), two = dual_graph(mesh, 3, exec);
  ASSERT_EQ(one.arcs.size(), two.arcs.size());
  for (std::size_t i = 0; i < one.arcs.size(); ++i)
    EXPECT_EQ(one.arcs[i].angle, two.arcs[i].angle) << i;
  std::stop_source source;
  source.request_stop();
  exec.stop = source.get_token();
  EXPECT_THROW(dual_graph(mesh, 3, exec), Cancelled);
}

// Inside out, half of it turned: outwards all the same.
TEST(DualGraph, TurnsFacesOutwards) {
  const DualGraph right = dual_graph(test::cube());
  io::TriangleMesh mesh = test::cube();
  for (io::Triangle& face : mesh.faces) std::swap(face[0], face[1]);
  EXPECT_EQ(dual_graph(mesh).normals, right.normals);
  for (const std::size_t face : {0U, 3U, 4U, 7U, 11U})
    std::swap(mesh.faces[face][0], mesh.faces[face][1]);
  const DualGraph turned = dual_graph(mesh);
  for (std::size_t face = 0; face < 12; ++face)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(turned.normals[face][i], right.normals[face][i], 1e-6);
}

TEST(DualGraph, AngleAndValleyOfAFold) {
  for (const double bend : {0.5, 1.0, 2.0}) {
    // The wall rises from the floor by pi - bend.
    const DualGraph valley = dual_graph(test::fold(static_cast<float>(std::numbers::pi - bend)));
    const DualArc& arc = arc_between(valley, 1, 3);
    EXPECT_NEAR(arc.angle, bend, 1e-5);
    // Unfolded, the centroids lie at x = 1/3 and -1/3, y = 2/3 and 2/3.
    EXPECT_NEAR(arc.geodesic, 2.0 / 3, 1e-5);
    EXPECT_NEAR(arc.edge, 1, 1e-6);
  }
}

// A prism with an L for its base: one of its long edges is a valley, all others are ridges.
TEST(DualGraph, ValleyOfAnL) {
  io::TriangleMesh mesh;
  const float base[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (const float z : {0.0F, 1.0F})
    for (const auto& p : base) mesh.vertices.push_back({p[0], p[1], z});
  for (int i = 0; i < 6; ++i) {
    const int next = (i + 1) % 6;
    mesh.faces.push_back({i, next, next + 6});
    mesh.faces.push_back({i, next + 6, i + 6});
  }
  for (const io::Triangle& face : {io::Triangle{0, 1, 2}, io::Triangle{0, 2, 3},
                                   io::Triangle{0, 3, 5}, io::Triangle{3, 4, 5}}) {
    mesh.faces.push_back({face[0], face[2], face[1]});
    mesh.faces.push_back({face[0] + 6, face[1] + 6, face[2] + 6});
  }
  const MeshInfo info = mesh_info(mesh);
  EXPECT_TRUE(info.closed);
  EXPECT_NEAR(info.volume, 3, 1e-5);
  const DualGraph graph = dual_graph(mesh);
  int valleys = 0;
  for (const DualArc& arc : graph.arcs) {
    if (arc.angle < 1e-3F || !arc.concave) continue;
    ++valleys;
    EXPECT_NEAR(arc.angle, kRight, 1e-5);
    EXPECT_EQ(std::pair(arc.a / 2, arc.b / 2), std::pair(2, 3));
  }
  EXPECT_EQ(valleys, 1);
}

TEST(ArcCosts, AreThoseOfKatzAndTal) {
  const DualGraph graph = dual_graph(test::cube());
  double geodesics = 0;
  for (const DualArc& arc : graph.arcs) geodesics += static_cast<double>(arc.geodesic);
  const double angular = 12 * 0.1 / 18;  // 1 - cos of a right angle, on 12 of 18 arcs
  const std::vector<float> costs = arc_costs(graph, {.alpha = 0.3, .eta = 0.1});
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const DualArc& arc = graph.arcs[i];
    const double expected = 0.3 * static_cast<double>(arc.geodesic) / (geodesics / 18) +
                            (arc.angle > 1 ? 0.7 * 0.1 / angular : 0);
    EXPECT_NEAR(costs[i], expected, 1e-5);
  }
  const Graph paths = path_graph(graph);
  EXPECT_EQ(paths.nodes(), 12);
  EXPECT_EQ(paths.arcs(), 18);
}

// Without any angle there is nothing to divide by.
TEST(ArcCosts, FlatSheet) {
  const DualGraph graph = dual_graph(test::sheet(4));
  expect_finite(graph);
  double sum = 0;
  for (const float cost : arc_costs(graph)) sum += static_cast<double>(cost);
  EXPECT_NEAR(sum / static_cast<double>(graph.arcs.size()), 0.5, 1e-5);
}

TEST(DualGraph, ComponentsAreNumberedByTheirFirstFace) {
  const DualGraph graph = dual_graph(test::beside(test::sheet(1), test::cube(), 10));
  ASSERT_EQ(graph.components.size(), 14U);
  for (int face = 0; face < 14; ++face)
    EXPECT_EQ(graph.components[static_cast<std::size_t>(face)], face < 2 ? 0 : 1);
}

TEST(DualGraph, DegenerateAndDuplicateFacesAndEdgesOfMany) {
  io::TriangleMesh mesh = test::cube();
  mesh.faces.push_back({0, 0, 0});      // 12: a point, tied to nothing
  mesh.faces.push_back({1, 2, 2});      // 13: a line along an edge inside the bottom
  mesh.faces.push_back(mesh.faces[2]);  // 14
  const DualGraph graph = dual_graph(mesh, 3);
  expect_finite(graph);
  EXPECT_EQ(graph.areas[12], 0);
  EXPECT_EQ(graph.components[12], 1);
  EXPECT_EQ(arc_between(graph, 0, 13).angle, 0);
  EXPECT_EQ(arc_between(graph, 1, 13).angle, 0);
  EXPECT_NO_THROW(arc_between(graph, 0, 1));
  // Faces 2 and 14 share three edges.
  EXPECT_EQ(std::count_if(graph.arcs.begin(), graph.arcs.end(),
                          [](const DualArc& arc) { return arc.a == 2 && arc.b == 14; }),
            3);
}

TEST(DualGraph, MoebiusStrip) {
  const DualGraph graph = dual_graph(test::moebius(16), 2);
  EXPECT_EQ(graph.arcs.size(), 32U);
  expect_finite(graph);
}

TEST(DualGraph, SmoothingTakesAnglesAway) {
  const io::TriangleMesh mesh = test::star(3);
  const auto roughness = [&](int rounds) {
    double sum = 0;
    for (const DualArc& arc : dual_graph(mesh, rounds).arcs) sum += static_cast<double>(arc.angle);
    return sum;
  };
  EXPECT_LT(roughness(1), roughness(0));
  EXPECT_LT(roughness(5), roughness(1));
  EXPECT_EQ(message_of<InvalidArgument>([&] { dual_graph(mesh, -1); }),
            "dual_graph: -1 rounds of smoothing, expected 0 or more");
}

}  // namespace
}  // namespace fovea::mesh
