// Faces as nodes, shared edges as arcs: first the geometry of faces, then that of the arcs over
// each edge.
#include <fovea/mesh/dual_graph.h>

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "mesh/graph/dual_orient.h"
#include "mesh/graph/mesh_edges.h"
#include "mesh/graph/normals.h"
#include "mesh/graph/vector.h"

namespace fovea::mesh {
namespace {

constexpr std::int64_t kAtOnce = 4096;  // faces or arcs
// The number of pairs grows with the square of an edge's faces: if there are more faces than this,
// each is paired only with the next.
constexpr std::size_t kMostPaired = 64;

// Returns the distance of centroids a and b over the edge from p to q, with both faces rotated
// around it into one plane.
double unfolded(const Vector& p, const Vector& q, const Vector& a, const Vector& b) {
  const Vector along = unit(q - p);
  const double at_a = dot(a - p, along);
  const double at_b = dot(b - p, along);
  const double height = length((a - p) - at_a * along) + length((b - p) - at_b * along);
  return std::sqrt((at_a - at_b) * (at_a - at_b) + height * height);
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
  arc.low = edges.low(edge);
  arc.high = edges.high(edge);
  arc.edge = static_cast<float>(length(q - p));
  if (graph.areas[first] > 0 && graph.areas[second] > 0) {
    arc.geodesic = static_cast<float>(unfolded(p, q, from, to));
  } else {
    const Vector middle = 0.5 * (p + q);
    arc.geodesic = static_cast<float>(length(from - middle) + length(to - middle));
  }
  return arc;
}

std::vector<Vector> measure_faces(const io::TriangleMesh& mesh, DualGraph& graph,
                                  const Exec& exec) {
  const std::size_t faces = mesh.faces.size();
  graph.areas.resize(faces);
  graph.centroids.resize(faces);
  std::vector<Vector> normals(faces);
  parallel_for(exec, static_cast<std::int64_t>(faces), kAtOnce,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto face = static_cast<std::size_t>(begin);
                      face < static_cast<std::size_t>(end); ++face) {
                   const Vector a = corner(mesh, face, 0);
                   const Vector b = corner(mesh, face, 1);
                   const Vector c = corner(mesh, face, 2);
                   const Vector across = cross(b - a, c - a);
                   graph.areas[face] = static_cast<float>(length(across) / 2);
                   graph.centroids[face] = narrow((1.0 / 3) * (a + b + c));
                   if (graph.areas[face] > 0) normals[face] = unit(across);
                 }
               });
  return normals;
}

struct FacePair {
  std::size_t edge;
  std::int32_t a, b;
};

// Returns pairs of faces that share an edge, sorted by both faces: by the first in buckets, by the
// second within them. Edges are sorted already, and edges between the same faces keep their order.
std::vector<FacePair> face_pairs(const MeshEdges& edges, std::size_t faces) {
  std::vector<std::int64_t> first(faces + 1, 0);
  const auto each = [&](auto&& take) {
    for (std::size_t edge = 0; edge < edges.count(); ++edge) {
      const auto at = edges.faces(edge);
      for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = i + 1;
             j < (at.size() > kMostPaired ? std::min(i + 2, at.size()) : at.size()); ++j)
          take(FacePair{edge, at[i].face, at[j].face});
    }
  };
  each([&](const FacePair& pair) { ++first[static_cast<std::size_t>(pair.a) + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<FacePair> pairs(static_cast<std::size_t>(first.back()));
  std::vector<std::int64_t> next(first.begin(), first.end() - 1);
  each([&](const FacePair& pair) {
    pairs[static_cast<std::size_t>(next[static_cast<std::size_t>(pair.a)]++)] = pair;
  });
  for (std::size_t face = 0; face < faces; ++face)
    std::stable_sort(pairs.begin() + first[face], pairs.begin() + first[face + 1],
                     [](const FacePair& x, const FacePair& y) { return x.b < y.b; });
  return pairs;
}

}  // namespace

DualGraph dual_graph_unbent(const io::TriangleMesh& mesh, const Exec& exec) {
  const MeshEdges edges(mesh);
  DualGraph graph;
  std::vector<Vector> normals = measure_faces(mesh, graph, exec);
  const std::vector<FacePair> pairs = face_pairs(edges, mesh.faces.size());
  graph.arcs.resize(pairs.size());
  parallel_for(
      exec, static_cast<std::int64_t>(pairs.size()), kAtOnce,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          graph.arcs[i] = make_arc(mesh, graph, edges, pairs[i].edge, pairs[i].a, pairs[i].b);
      });
  Components components(mesh.faces.size());
  for (const FacePair& pair : pairs) components.join(pair.a, pair.b);
  components.number(graph.components);

  turn_outwards(mesh, edges, graph.components, normals);
  graph.normals.resize(normals.size());
  std::transform(normals.begin(), normals.end(), graph.normals.begin(), narrow);
  return graph;
}

DualGraph dual_graph(const io::TriangleMesh& mesh, int smoothing) {
  Exec alone;
  alone.threads = 1;
  return dual_graph(mesh, smoothing, alone);
}

DualGraph dual_graph(const io::TriangleMesh& mesh, int smoothing, const Exec& exec) {
  if (smoothing < 0)
    throw InvalidArgument(
        fmt::format("dual_graph: {} rounds of smoothing, expected 0 or more", smoothing));
  Exec here = exec;
  here.device = Device::cpu();
  DualGraph graph = dual_graph_unbent(mesh, here);
  smooth_and_measure(graph, Adjacency(graph.areas.size(), graph.arcs), smoothing, here);
  return graph;
}

}  // namespace fovea::mesh
