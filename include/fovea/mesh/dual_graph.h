#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/record_fwd.h>
#include <fovea/io/mesh_io.h>
#include <fovea/ops/shortest_paths.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fovea::mesh {

// What is worth knowing about a mesh before it is segmented.
struct MeshInfo {
  std::string format{};  // of the file: "OFF"
  std::int64_t vertices = 0;
  std::int64_t faces = 0;
  std::int64_t edges = 0;
  std::int64_t file_faces = 0;          // faces of the file, whose polygons were cut into triangles
  std::int64_t border_edges = 0;        // edges with one face
  std::int64_t non_manifold_edges = 0;  // edges with three faces or more
  std::int64_t flipped_edges = 0;       // edges along which both faces run the same way
  std::int64_t degenerate_faces = 0;    // faces without area
  std::int64_t duplicate_faces = 0;     // faces with the corners of an earlier face
  std::int64_t isolated_vertices = 0;   // vertices that no face uses
  int components = 0;                   // groups of faces that are connected by edges
  double area = 0;
  double volume = 0;           // the volume inside a closed mesh; it means little for an open one
  bool closed = false;         // every edge has two faces
  std::array<float, 3> low{};  // the corners of the bounding box
  std::array<float, 3> high{};
};
FOVEA_API void describe(FieldVisitor& visit, MeshInfo& info);
FOVEA_API MeshInfo mesh_info(const io::TriangleMesh& mesh);

// Two faces that share an edge.
struct DualArc {
  std::int32_t a = 0;
  std::int32_t b = 0;
  float geodesic = 0;     // the distance between the centroids across the edge, with both faces
                          // unfolded into a plane
  float angle = 0;        // the angle between the normals in radians
  bool concave = false;   // the edge is a valley, seen from outside
  float edge = 0;         // the length of the edge
  std::int32_t low = -1;  // the two vertices of the edge, the lower number first
  std::int32_t high = -1;
};

// The graph whose nodes are the faces of a mesh and whose arcs are shared edges. An edge with
// several faces connects every two of them; an edge with more than 64 faces connects each face with
// the next one only. A face without area has an angle of 0 to its neighbors, and its distance to
// them runs through the midpoints of edges, so that no value is ever NaN.
struct DualGraph {
  std::vector<DualArc> arcs;  // a < b, in ascending order
  std::vector<float> areas;   // one per face
  std::vector<std::array<float, 3>> centroids;
  std::vector<std::array<float, 3>> normals;  // unit vectors that point outward; 0 for faces
                                              // without area
  std::vector<std::int32_t> components;       // one per face: its connected component, from 0
  std::vector<float> diameters{};             // one per face (shape_diameters()) where a cost needs
                                              // them; empty otherwise

  int faces() const { return static_cast<int>(areas.size()); }
};

// Before angles are measured, normals are averaged `smoothing` times with those of their neighbors,
// weighted by area. The sign of a component's volume decides which side of it is outside. Without
// `exec` one thread does the work; with it, its threads do, on the CPU, and its stop is watched.
FOVEA_API DualGraph dual_graph(const io::TriangleMesh& mesh, int smoothing = 0);
FOVEA_API DualGraph dual_graph(const io::TriangleMesh& mesh, int smoothing, const Exec& exec);

}  // namespace fovea::mesh
