// The neighbors of each face, with the arcs that lead to them.
#pragma once
#include <fovea/mesh/dual_graph.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::mesh {

struct Neighbor {
  std::int32_t face = 0;
  std::int32_t arc = 0;
};

class Adjacency {
 public:
  Adjacency() = default;
  Adjacency(std::size_t faces, std::span<const DualArc> arcs);
  std::span<const Neighbor> of(std::int32_t face) const {
    const auto at = static_cast<std::size_t>(face);
    return {list_.data() + first_[at], static_cast<std::size_t>(first_[at + 1] - first_[at])};
  }

  // Returns where the neighbors of each face begin in the list of all neighbors, followed by its
  // end.
  std::span<const std::int64_t> first() const { return first_; }
  std::span<const Neighbor> list() const { return list_; }

 private:
  std::vector<std::int64_t> first_{0};
  std::vector<Neighbor> list_;
};

// Returns a mesh's dual graph with the angles of all arcs set to 0.
DualGraph dual_graph_unbent(const io::TriangleMesh& mesh, const Exec& exec);

// Extracts a connected component; `faces` are all of its faces, ascending. The time grows with the
// component, not with the graph. `places` has room for every face of the graph and needs no initial
// values. If `kept` is given, it is filled with the indices of the arcs in the whole graph.
DualGraph component_of(const DualGraph& graph, const Adjacency& adjacency,
                       std::span<const std::int32_t> faces, std::vector<std::int32_t>& places,
                       std::vector<std::int32_t>* kept = nullptr);

// Extracts the part of a graph between some faces (ascending), which are renumbered in their order.
// If `kept` is given, it is filled with the indices of the arcs in the whole graph.
DualGraph part_of(const DualGraph& graph, std::span<const std::int32_t> faces,
                  std::vector<std::int32_t>* kept = nullptr);

}  // namespace fovea::mesh
