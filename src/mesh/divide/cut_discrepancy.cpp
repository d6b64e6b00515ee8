#include "mesh/divide/cut_discrepancy.h"

#include <cmath>

#include "mesh/graph/vector.h"

namespace fovea::mesh {
namespace {

double mean_radius(const io::TriangleMesh& mesh) {
  Vector middle{};
  double area = 0;
  std::vector<double> areas(mesh.faces.size());
  std::vector<Vector> centroids(mesh.faces.size());
  for (std::size_t face = 0; face < areas.size(); ++face) {
    const Vector a = corner(mesh, face, 0);
    const Vector b = corner(mesh, face, 1);
    const Vector c = corner(mesh, face, 2);
    areas[face] = length(cross(b - a, c - a)) / 2;
    centroids[face] = (1.0 / 3) * (a + b + c);
    middle = middle + areas[face] * centroids[face];
    area += areas[face];
  }
  if (!(area > 0)) return 0;
  middle = (1 / area) * middle;
  double sum = 0;
  for (std::size_t face = 0; face < areas.size(); ++face)
    sum += areas[face] * length(centroids[face] - middle);
  return sum / area;
}

}  // namespace

CutDiscrepancy::CutDiscrepancy(const io::TriangleMesh& mesh)
    : edges_(mesh), radius_(mean_radius(mesh)) {
  std::vector<GraphArc> arcs(edges_.count());
  lengths_.resize(edges_.count());
  for (std::size_t edge = 0; edge < edges_.count(); ++edge) {
    const Vector low = wide(mesh.vertices[static_cast<std::size_t>(edges_.low(edge))]);
    const Vector high = wide(mesh.vertices[static_cast<std::size_t>(edges_.high(edge))]);
    lengths_[edge] = static_cast<float>(length(high - low));
    arcs[edge] = {edges_.low(edge), edges_.high(edge), lengths_[edge]};
  }
  graph_ = Graph(static_cast<int>(mesh.vertices.size()), arcs);
}

CutDiscrepancy::Cut CutDiscrepancy::cut_of(std::span<const std::int32_t> labels) const {
  Cut cut;
  std::vector<bool> on(static_cast<std::size_t>(graph_.nodes()), false);
  for (std::size_t edge = 0; edge < edges_.count(); ++edge) {
    const auto faces = edges_.faces(edge);
    bool differs = false;
    for (const EdgeFace& face : faces)
      differs |= labels[static_cast<std::size_t>(face.face)] !=
                 labels[static_cast<std::size_t>(faces[0].face)];
    if (!differs) continue;
    cut.edges.push_back(edge);
    on[static_cast<std::size_t>(edges_.low(edge))] = true;
    on[static_cast<std::size_t>(edges_.high(edge))] = true;
  }
  std::vector<std::int32_t> sources;
  for (std::size_t vertex = 0; vertex < on.size(); ++vertex)
    if (on[vertex]) sources.push_back(static_cast<std::int32_t>(vertex));
  if (!sources.empty()) cut.distance = nearest_source(graph_, sources).distance;
  return cut;
}

double CutDiscrepancy::one_way(const Cut& from, const Cut& to) const {
  const auto far = [&](std::int32_t vertex) {
    const double distance =
        to.distance.empty() ? static_cast<double>(kUnreachable)
                            : static_cast<double>(to.distance[static_cast<std::size_t>(vertex)]);
    return std::isfinite(distance) && radius_ > 0 ? distance / radius_ : 1;
  };
  double sum = 0;
  double whole = 0;
  for (const std::size_t edge : from.edges) {
    const auto size = static_cast<double>(lengths_[edge]);
    sum += size * (far(edges_.low(edge)) + far(edges_.high(edge))) / 2;
    whole += size;
  }
  return whole > 0 ? sum / whole : 0;
}

double CutDiscrepancy::between(const Cut& a, const Cut& b) const {
  if (a.edges.empty() != b.edges.empty()) return 1;
  return (one_way(a, b) + one_way(b, a)) / 2;
}

}  // namespace fovea::mesh
