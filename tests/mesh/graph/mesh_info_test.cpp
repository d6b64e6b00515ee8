// Covers: mesh_edges
#include <fovea/core/error.h>
#include <fovea/mesh/dual_graph.h>

#include "mesh/shapes.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using test::message_of;

TEST(MeshInfo, Cube) {
  const MeshInfo info = mesh_info(test::cube());
  EXPECT_EQ(info.vertices, 8);
  EXPECT_EQ(info.faces, 12);
  EXPECT_EQ(info.edges, 18);
  EXPECT_EQ(info.border_edges + info.non_manifold_edges + info.flipped_edges, 0);
  EXPECT_EQ(info.degenerate_faces + info.duplicate_faces + info.isolated_vertices, 0);
  EXPECT_EQ(info.components, 1);
  EXPECT_NEAR(info.area, 6, 1e-6);
  EXPECT_NEAR(info.volume, 1, 1e-6);
  EXPECT_TRUE(info.closed);
  EXPECT_EQ(info.low, (std::array<float, 3>{0, 0, 0}));
  EXPECT_EQ(info.high, (std::array<float, 3>{1, 1, 1}));
}

TEST(MeshInfo, CountsWhatIsUnusual) {
  io::TriangleMesh mesh = test::cube();
  mesh.vertices.push_back({5, 5, 5});  // isolated
  mesh.faces.push_back({2, 1, 0});     // duplicate, which makes three edges of three faces
  mesh.faces.push_back({3, 3, 7});     // degenerate, and a third face at the edge 3-7
  std::swap(mesh.faces[2][0], mesh.faces[2][1]);  // flipped
  const MeshInfo info = mesh_info(mesh);
  EXPECT_EQ(info.isolated_vertices, 1);
  EXPECT_EQ(info.duplicate_faces, 1);
  EXPECT_EQ(info.degenerate_faces, 1);
  EXPECT_EQ(info.non_manifold_edges, 4);
  EXPECT_EQ(info.flipped_edges, 3);
  EXPECT_FALSE(info.closed);
  EXPECT_EQ(info.components, 1);
}

TEST(MeshInfo, BordersAndComponents) {
  const MeshInfo info = mesh_info(test::beside(test::sheet(3), test::cube(), 10));
  EXPECT_EQ(info.border_edges, 12);
  EXPECT_EQ(info.components, 2);
  EXPECT_FALSE(info.closed);
  const MeshInfo strip = mesh_info(test::moebius(12));
  EXPECT_EQ(strip.border_edges, 24);
  EXPECT_EQ(strip.flipped_edges, 1);
}

TEST(MeshInfo, RefusesVerticesThatAreNotThere) {
  io::TriangleMesh mesh = test::cube();
  mesh.faces[3] = {0, 8, 1};
  EXPECT_EQ(message_of<InvalidArgument>([&] { mesh_info(mesh); }),
            "mesh: face 3 names vertex 8, expected 0 to 7");
}

}  // namespace
}  // namespace fovea::mesh
