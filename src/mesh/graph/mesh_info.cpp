// Counts what is unusual about a mesh.
#include <fovea/mesh/dual_graph.h>

#include <algorithm>
#include <array>

#include "mesh/graph/mesh_edges.h"
#include "mesh/graph/vector.h"

namespace fovea::mesh {
namespace {

void count_edges(const MeshEdges& edges, MeshInfo& info) {
  info.edges = static_cast<std::int64_t>(edges.count());
  for (std::size_t edge = 0; edge < edges.count(); ++edge) {
    const auto faces = edges.faces(edge);
    if (faces.size() == 1) ++info.border_edges;
    if (faces.size() > 2) ++info.non_manifold_edges;
    if (faces.size() == 2 && faces[0].forward == faces[1].forward) ++info.flipped_edges;
  }
  info.closed = info.edges > 0 && info.border_edges == 0 && info.non_manifold_edges == 0;
}

int count_components(const MeshEdges& edges, std::size_t faces) {
  Components components(faces);
  for (std::size_t edge = 0; edge < edges.count(); ++edge)
    for (const EdgeFace& face : edges.faces(edge))
      components.join(edges.faces(edge)[0].face, face.face);
  std::vector<std::int32_t> numbers;
  return components.number(numbers);
}

std::int64_t count_duplicates(const io::TriangleMesh& mesh) {
  std::vector<io::Triangle> faces = mesh.faces;
  for (io::Triangle& face : faces) std::sort(face.begin(), face.end());
  std::sort(faces.begin(), faces.end());
  return faces.end() - std::unique(faces.begin(), faces.end());
}

void measure(const io::TriangleMesh& mesh, MeshInfo& info) {
  if (mesh.vertices.empty()) return;
  info.low = info.high = mesh.vertices[0];
  for (const io::Vertex& vertex : mesh.vertices) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      info.low[axis] = std::min(info.low[axis], vertex[axis]);
      info.high[axis] = std::max(info.high[axis], vertex[axis]);
    }
  }
  // Volumes are measured from the middle of the box, where less is lost by cancellation.
  const Vector middle = 0.5 * (wide(info.low) + wide(info.high));
  for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
    const Vector a = corner(mesh, face, 0) - middle;
    const Vector b = corner(mesh, face, 1) - middle;
    const Vector c = corner(mesh, face, 2) - middle;
    const double area = length(cross(b - a, c - a)) / 2;
    if (!(area > 0)) ++info.degenerate_faces;
    info.area += area;
    info.volume += dot(a, cross(b, c)) / 6;
  }
}

}  // namespace

MeshInfo mesh_info(const io::TriangleMesh& mesh) {
  const MeshEdges edges(mesh);
  MeshInfo info{.format = io::to_string(mesh.format), .file_faces = mesh.file_faces()};
  info.vertices = static_cast<std::int64_t>(mesh.vertices.size());
  info.faces = static_cast<std::int64_t>(mesh.faces.size());
  count_edges(edges, info);
  info.components = count_components(edges, mesh.faces.size());
  info.duplicate_faces = count_duplicates(mesh);
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const io::Triangle& face : mesh.faces)
    for (const std::int32_t vertex : face) used[static_cast<std::size_t>(vertex)] = true;
  info.isolated_vertices = std::count(used.begin(), used.end(), false);
  measure(mesh, info);
  return info;
}

}  // namespace fovea::mesh
