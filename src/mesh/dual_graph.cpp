// Faces as nodes, shared edges as arcs: geometry of faces, then of the arcs over each edge.
#include <fovea/mesh/dual_graph.h>

#include <fmt/format.h>
#include <fovea/error.h>

#include <algorithm>
#include <tuple>

#include "mesh/dual_orient.h"
#include "mesh/mesh_edges.h"
#include "mesh/normals.h"
#include "mesh/vector.h"

namespace fovea::mesh {
namespace {

// Between centroids over the edge from p to q, both faces turned about it into one plane.
double unfolded(const Vector& p, const Vector& q, const Vector& a, const Vector& b) {
  const Vector along = unit(q - p);
  const double at_a = dot(a - p, along);
  const double at_b = dot(b - p, along);
  const double height = length((a - p) - at_a * along) + length((b - p) - at_b * along);
  return std::hypot(at_a - at_b, height);
}

DualArc make_arc(const io::TriangleMesh& mesh, const DualGraph& graph, const MeshEdges& edges,
                 std::size_t edge, std::int32_t a, std::int32_t b) {
  const Vector p = wide(mesh.vertices[static_cast<std::size_t>(edges.low(edge))]);
  const Vector q = wide(mesh.vertices[static_cast<std::size_t>(edges.high(edge))]);
  const auto first = static_cast<std::size_t>(a);
  const auto second = static_cast<std::size_t>(b);
  const Vector from = wide(graph.centroids[first]);
  const Vector to = wide(graph.centroids[second]);
  DualArc arc;
  arc.a = a;
  arc.b = b;
  arc.edge = static_cast<float>(length(q - p));
  if (graph.areas[first] > 0 && graph.areas[second] > 0) {
    arc.geodesic = static_cast<float>(unfolded(p, q, from, to));
  } else {
    const Vector middle = 0.5 * (p + q);
    arc.geodesic = static_cast<float>(length(from - middle) + length(to - middle));
  }
  return arc;
}

std::vector<Vector> measure_faces(const io::TriangleMesh& mesh, DualGraph& graph) {
  const std::size_t faces = mesh.faces.size();
  graph.areas.resize(faces);
  graph.centroids.resize(faces);
  std::vector<Vector> normals(faces);
  for (std::size_t face = 0; face < faces; ++face) {
    const Vector a = corner(mesh, face, 0);
    const Vector b = corner(mesh, face, 1);
    const Vector c = corner(mesh, face, 2);
    const Vector across = cross(b - a, c - a);
    graph.areas[face] = static_cast<float>(length(across) / 2);
    graph.centroids[face] = narrow((1.0 / 3) * (a + b + c));
    if (graph.areas[face] > 0) normals[face] = unit(across);
  }
  return normals;
}

}  // namespace

DualGraph dual_graph(const io::TriangleMesh& mesh, int smoothing) {
  if (smoothing < 0)
    throw InvalidArgument(
        fmt::format("dual_graph: {} rounds of smoothing, expected 0 or more", smoothing));
  const MeshEdges edges(mesh);
  Exec alone;
  alone.threads = 1;
  DualGraph graph;
  std::vector<Vector> normals = measure_faces(mesh, graph);

  graph.arcs.reserve(mesh.faces.size() * 3 / 2);
  Components components(mesh.faces.size());
  for (std::size_t edge = 0; edge < edges.count(); ++edge) {
    const auto faces = edges.faces(edge);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      for (std::size_t j = i + 1; j < faces.size(); ++j) {
        graph.arcs.push_back(make_arc(mesh, graph, edges, edge, faces[i].face, faces[j].face));
        components.join(faces[i].face, faces[j].face);
      }
    }
  }
  std::stable_sort(graph.arcs.begin(), graph.arcs.end(), [](const DualArc& a, const DualArc& b) {
    return std::tie(a.a, a.b) < std::tie(b.a, b.b);
  });
  components.number(graph.components);

  turn_outwards(mesh, edges, graph.components, normals);
  graph.normals.resize(normals.size());
  std::transform(normals.begin(), normals.end(), graph.normals.begin(), narrow);
  if (smoothing > 0)
    graph.normals =
        smoothed_normals(graph, Adjacency(graph.areas.size(), graph.arcs), smoothing, alone);
  measure_angles(graph, alone);
  return graph;
}

}  // namespace fovea::mesh
