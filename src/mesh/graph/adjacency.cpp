#include "mesh/graph/adjacency.h"

#include <numeric>

namespace fovea::mesh {

Adjacency::Adjacency(std::size_t faces, std::span<const DualArc> arcs) : first_(faces + 1, 0) {
  for (const DualArc& arc : arcs) {
    ++first_[static_cast<std::size_t>(arc.a) + 1];
    ++first_[static_cast<std::size_t>(arc.b) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  list_.resize(2 * arcs.size());
  std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const DualArc& arc = arcs[i];
    const auto number = static_cast<std::int32_t>(i);
    list_[static_cast<std::size_t>(next[static_cast<std::size_t>(arc.a)]++)] = {arc.b, number};
    list_[static_cast<std::size_t>(next[static_cast<std::size_t>(arc.b)]++)] = {arc.a, number};
  }
}

DualGraph component_of(const DualGraph& graph, const Adjacency& adjacency,
                       std::span<const std::int32_t> faces, std::vector<std::int32_t>& places,
                       std::vector<std::int32_t>* kept) {
  DualGraph part;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const auto face = static_cast<std::size_t>(faces[i]);
    places[face] = static_cast<std::int32_t>(i);
    part.areas.push_back(graph.areas[face]);
    part.centroids.push_back(graph.centroids[face]);
    part.normals.push_back(graph.normals[face]);
    if (!graph.diameters.empty()) part.diameters.push_back(graph.diameters[face]);
  }
  part.components.assign(faces.size(), 0);
  // Arcs are sorted by their lower face, and the neighbors of a face are in the order of the arcs.
  for (const std::int32_t face : faces) {
    for (const Neighbor& next : adjacency.of(face)) {
      DualArc arc = graph.arcs[static_cast<std::size_t>(next.arc)];
      if (arc.a != face) continue;
      arc.a = places[static_cast<std::size_t>(arc.a)];
      arc.b = places[static_cast<std::size_t>(arc.b)];
      part.arcs.push_back(arc);
      if (kept != nullptr) kept->push_back(next.arc);
    }
  }
  return part;
}

DualGraph part_of(const DualGraph& graph, std::span<const std::int32_t> faces,
                  std::vector<std::int32_t>* kept) {
  DualGraph part;
  std::vector<std::int32_t> place(graph.areas.size(), -1);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const auto face = static_cast<std::size_t>(faces[i]);
    place[face] = static_cast<std::int32_t>(i);
    part.areas.push_back(graph.areas[face]);
    part.centroids.push_back(graph.centroids[face]);
    part.normals.push_back(graph.normals[face]);
    if (!graph.diameters.empty()) part.diameters.push_back(graph.diameters[face]);
  }
  part.components.assign(faces.size(), 0);
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    DualArc arc = graph.arcs[i];
    arc.a = place[static_cast<std::size_t>(arc.a)];
    arc.b = place[static_cast<std::size_t>(arc.b)];
    if (arc.a < 0 || arc.b < 0) continue;
    part.arcs.push_back(arc);
    if (kept != nullptr) kept->push_back(static_cast<std::int32_t>(i));
  }
  return part;
}

}  // namespace fovea::mesh
