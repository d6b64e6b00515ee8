// Measures how far the borders of two segmentations are apart along the mesh.
#pragma once
#include <fovea/io/mesh_io.h>
#include <fovea/ops/shortest_paths.h>

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/graph/mesh_edges.h"

namespace fovea::mesh {

class CutDiscrepancy {
 public:
  explicit CutDiscrepancy(const io::TriangleMesh& mesh);

  // The edges between faces with different labels, and the distance of every vertex to them.
  struct Cut {
    std::vector<std::size_t> edges;
    std::vector<float> distance;
  };
  Cut cut_of(std::span<const std::int32_t> labels) const;

  // Returns the mean over both directions of the distance from a point of one cut to the nearest
  // point of the other, divided by the mean distance of the surface to its centroid (Chen,
  // Golovinskiy and Funkhouser 2009). Points are weighted by the lengths of their edges. A point
  // that cannot reach the other cut counts 1, where the paper leaves the measure undefined.
  double between(const Cut& a, const Cut& b) const;

 private:
  double one_way(const Cut& from, const Cut& to) const;

  MeshEdges edges_;
  Graph graph_;  // its nodes are the vertices
  std::vector<float> lengths_;
  double radius_ = 0;
};

}  // namespace fovea::mesh
