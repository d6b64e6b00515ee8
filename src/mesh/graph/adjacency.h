// Neighbors of each face, with the arc that leads there.
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

  // Where each face's neighbors begin in the list of all, and where that ends.
  std::span<const std::int64_t> first() const { return first_; }
  std::span<const Neighbor> list() const { return list_; }

 private:
  std::vector<std::int64_t> first_{0};
  std::vector<Neighbor> list_;
};

// A mesh's dual graph but for the angles of its arcs, which are 0.
DualGraph dual_graph_unbent(const io::TriangleMesh& mesh, const Exec& exec);

// A connected component: `faces` ascending, all of it. The time grows with the component, not with
// the graph. `places` has room for every face of the graph and needs no values.
DualGraph component_of(const DualGraph& graph, const Adjacency& adjacency,
                       std::span<const std::int32_t> faces, std::vector<std::int32_t>& places);

// The part of a graph between some faces (ascending), which are numbered anew in their order.
// `kept`, where given, is filled with the arcs' numbers in the whole graph.
DualGraph part_of(const DualGraph& graph, std::span<const std::int32_t> faces,
                  std::vector<std::int32_t>* kept = nullptr);

}  // namespace fovea::mesh
