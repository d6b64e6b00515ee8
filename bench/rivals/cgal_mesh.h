// CGAL's segmentation by shape diameters as a rival of mesh segmentation.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "operations/rivals/rival_table.h"

namespace rivals {

// Calls sdf_values() and segmentation_from_sdf_values() with CGAL's own defaults (25 rays, 5
// levels, lambda 0.26), which determine the number of parts. Faces that its mesh refuses, because
// an edge has more than two faces or faces have opposite orientations, get the part of the face
// before.
class CgalMesh {
 public:
  CgalMesh(const std::vector<std::array<double, 3>>& vertices,
           const std::vector<std::array<int, 3>>& faces);
  ~CgalMesh();
  CgalMesh(const CgalMesh&) = delete;
  CgalMesh& operator=(const CgalMesh&) = delete;

  // The part of each face.
  const std::vector<int>& run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rivals

FoveaRivalWork fovea_cgal_segments(const FoveaRivalShape* shape, int threads);
