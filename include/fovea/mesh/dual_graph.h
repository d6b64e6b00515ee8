#pragma once
#include <fovea/core/exec.h>
#include <fovea/io/mesh_io.h>
#include <fovea/ops/shortest_paths.h>

#include <array>
#include <cstdint>
#include <vector>

namespace fovea::mesh {

// What is worth knowing of a mesh before it is cut.
struct MeshInfo {
  std::int64_t vertices = 0;
  std::int64_t faces = 0;
  std::int64_t edges = 0;
  std::int64_t border_edges = 0;        // of one face
  std::int64_t non_manifold_edges = 0;  // of three faces or more
  std::int64_t flipped_edges = 0;       // both faces run along it the same way
  std::int64_t degenerate_faces = 0;    // without area
  std::int64_t duplicate_faces = 0;     // of the corners of another
  std::int64_t isolated_vertices = 0;
  int components = 0;  // of faces that hang together by edges
  double area = 0;
  double volume = 0;           // enclosed; of open meshes it means little
  bool closed = false;         // every edge has two faces
  std::array<float, 3> low{};  // of the box around it
  std::array<float, 3> high{};
};
FOVEA_API MeshInfo mesh_info(const io::TriangleMesh& mesh);

// One face beside another, over a shared edge.
struct DualArc {
  std::int32_t a = 0;
  std::int32_t b = 0;
  float geodesic = 0;    // between the centroids, over the edge, both faces unfolded into a plane
  float angle = 0;       // between the normals, radians
  bool concave = false;  // the edge is a valley, seen from outside
  float edge = 0;        // its length
};

// Faces as nodes, shared edges as arcs. An edge of several faces ties each two of them. A face
// without area has angle 0 to its neighbors, and its distance to them goes by the middles of the
// edges; nothing is ever NaN.
struct DualGraph {
  std::vector<DualArc> arcs;  // a < b, ordered
  std::vector<float> areas;   // of each face
  std::vector<std::array<float, 3>> centroids;
  std::vector<std::array<float, 3>> normals;  // of length 1 and outwards (0 of faces without area)
  std::vector<std::int32_t> components;       // of each face, numbered by its first one

  int faces() const { return static_cast<int>(areas.size()); }
};

// `smoothing` rounds of averaging normals with those of the neighbors, weighted by area, before
// angles are measured. Outwards is told for each component by the sign of its volume.
FOVEA_API DualGraph dual_graph(const io::TriangleMesh& mesh, int smoothing = 0);

// What a step from face to face costs (Katz and Tal, SIGGRAPH 2003):
//   alpha geodesic / mean(geodesic) + (1 - alpha) angular / mean(angular),
// angular = eta (1 - cos angle), with eta for convex edges and 1 for concave ones. A mesh without
// any angle has the first part only.
struct ArcCosts {
  double alpha = 0.5;  // share of the distance
  double eta = 0.1;    // of convex edges
};
FOVEA_API std::vector<float> arc_costs(const DualGraph& graph, const ArcCosts& costs = {});
FOVEA_API Graph path_graph(const DualGraph& graph, const ArcCosts& costs = {});

}  // namespace fovea::mesh
