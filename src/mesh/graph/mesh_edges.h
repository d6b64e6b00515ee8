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
  bool forward = false;  // the face runs from the edge's lower vertex to its higher
};

// Edges ordered by their vertices, faces of an edge by number. A face that names a vertex twice has
// one edge less, and is at an edge once.
class MeshEdges {
 public:
  // InvalidArgument for corners that are no vertices.
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

// Numbers the components of a graph by their first node: arcs are pairs of nodes.
class Components {
 public:
  explicit Components(std::size_t nodes);
  void join(std::int32_t a, std::int32_t b);
  // Of each node, 0 and up; tells how many there are.
  int number(std::vector<std::int32_t>& components);

 private:
  std::int32_t root(std::int32_t node);
  std::vector<std::int32_t> parent_;
};

}  // namespace fovea::mesh
