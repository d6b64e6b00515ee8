#include "mesh/graph/adjacency.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "mesh/shapes.h"

namespace fovea::mesh {
namespace {

// A sheet and a cube, whose faces alternate as far as both have some.
io::TriangleMesh mixed() {
  io::TriangleMesh mesh = test::beside(test::sheet(2), test::cube(), 10);
  const std::vector<io::Triangle> faces = mesh.faces;
  for (std::size_t i = 0; i < faces.size(); ++i)
    mesh.faces[i] = i % 2 == 0 ? faces[i / 2] : faces[faces.size() - 1 - i / 2];
  return mesh;
}

std::vector<std::int32_t> faces_of(const DualGraph& graph, std::int32_t component) {
  std::vector<std::int32_t> faces;
  for (std::int32_t face = 0; face < graph.faces(); ++face)
    if (graph.components[static_cast<std::size_t>(face)] == component) faces.push_back(face);
  return faces;
}

// `part` has the faces of `graph` in this order, and of its arcs exactly those in `arcs`.
void expect_part(const DualGraph& part, const DualGraph& graph,
                 const std::vector<std::int32_t>& faces, const std::vector<std::size_t>& arcs) {
  ASSERT_EQ(part.areas.size(), faces.size());
  ASSERT_EQ(part.components, std::vector<std::int32_t>(faces.size(), 0));
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const auto face = static_cast<std::size_t>(faces[i]);
    EXPECT_EQ(part.areas[i], graph.areas[face]);
    EXPECT_EQ(part.centroids[i], graph.centroids[face]);
    EXPECT_EQ(part.normals[i], graph.normals[face]);
  }
  ASSERT_EQ(part.arcs.size(), arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const DualArc &arc = part.arcs[i], &expected = graph.arcs[arcs[i]];
    EXPECT_EQ(faces[static_cast<std::size_t>(arc.a)], expected.a);
    EXPECT_EQ(faces[static_cast<std::size_t>(arc.b)], expected.b);
    EXPECT_EQ(arc.angle, expected.angle);
    EXPECT_EQ(arc.geodesic, expected.geodesic);
  }
}

TEST(Adjacency, ListsTheNeighborsOfEachFaceWithTheirArcs) {
  const DualGraph graph = dual_graph(test::cube());
  const Adjacency adjacency(graph.areas.size(), graph.arcs);
  EXPECT_EQ(adjacency.first().size(), 13U);
  EXPECT_EQ(adjacency.list().size(), 36U);
  for (std::int32_t face = 0; face < 12; ++face) {
    ASSERT_EQ(adjacency.of(face).size(), 3U);
    std::int32_t before = -1;
    for (const Neighbor& next : adjacency.of(face)) {
      const DualArc& arc = graph.arcs.at(static_cast<std::size_t>(next.arc));
      EXPECT_TRUE((arc.a == face && arc.b == next.face) || (arc.b == face && arc.a == next.face));
      EXPECT_GT(next.arc, before);
      before = next.arc;
    }
  }
}

TEST(Adjacency, AComponentIsCutOutWithAllItsArcs) {
  const DualGraph graph = dual_graph(mixed());
  const Adjacency adjacency(graph.areas.size(), graph.arcs);
  std::vector<std::int32_t> places(graph.areas.size(), 77);
  for (const std::int32_t component : {1, 0}) {
    const std::vector<std::int32_t> faces = faces_of(graph, component);
    std::vector<std::size_t> arcs;
    for (std::size_t i = 0; i < graph.arcs.size(); ++i)
      if (graph.components[static_cast<std::size_t>(graph.arcs[i].a)] == component)
        arcs.push_back(i);
    EXPECT_EQ(faces.size(), component == 0 ? 8U : 12U);
    EXPECT_EQ(arcs.size(), component == 0 ? 8U : 18U);
    expect_part(component_of(graph, adjacency, faces, places), graph, faces, arcs);
  }
}

TEST(Adjacency, APartHasTheArcsBetweenItsFaces) {
  const DualGraph graph = dual_graph(test::star(2));
  std::vector<std::int32_t> faces;
  for (std::int32_t face = 3; face < graph.faces(); face += face % 5 == 0 ? 3 : 1)
    faces.push_back(face);
  const std::set<std::int32_t> inside(faces.begin(), faces.end());
  std::vector<std::size_t> arcs;
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < graph.arcs.size(); ++i)
    if (inside.contains(graph.arcs[i].a) && inside.contains(graph.arcs[i].b)) {
      arcs.push_back(i);
      numbers.push_back(static_cast<std::int32_t>(i));
    }
  ASSERT_FALSE(arcs.empty());
  ASSERT_LT(arcs.size(), graph.arcs.size());
  std::vector<std::int32_t> kept;
  expect_part(part_of(graph, faces, &kept), graph, faces, arcs);
  EXPECT_EQ(kept, numbers);
  EXPECT_EQ(part_of(graph, faces).arcs.size(), arcs.size());
}

}  // namespace
}  // namespace fovea::mesh
