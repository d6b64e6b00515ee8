// The edges of a mesh and the faces that meet in each.
#pragma once
#include <fovea/io/mesh_io.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::mesh {

struct EdgeFace {
  std::int32_t face = 0;
  bool forward = false;  // the face passes from the edge's lower vertex to its higher one
};

// Edges are sorted by their vertices, the faces of an edge by index. A face that contains a vertex
// twice has one edge less and is listed once at that edge.
class MeshEdges {
 public:
  // Throws InvalidArgument if a corner is not a vertex.
  explicit MeshEdges(const io::TriangleMesh& mesh);

  std::size_t count() const { return first_.size() - 1; }
  std::span<const EdgeFace> faces(std::size_t edge) const {
    return {faces_.data() + first_[edge],
            static_cast<std::size_t>(first_[edge + 1] - first_[edge])};
  }
  std::int32_t low(std::size_t edge) const { return low_[edge]; }
  std::int32_t high(std::size_t edge) const { return high_[edge]; }

 private:
  std::vector<std::int64_t> first_{0};
  std::vector<EdgeFace> faces_;
  std::vector<std::int32_t> low_;
  std::vector<std::int32_t> high_;
};

// Numbers the components of a graph by their first node; arcs are pairs of nodes.
class Components {
 public:
  explicit Components(std::size_t nodes);
  void join(std::int32_t a, std::int32_t b);
  // Writes the component of each node, from 0, and returns the number of components.
  int number(std::vector<std::int32_t>& components);

 private:
  std::int32_t root(std::int32_t node);
  std::vector<std::int32_t> parent_;
};

}  // namespace fovea::mesh
