// Finds the first triangle that a ray meets, by a tree of boxes around triangles.
#pragma once
#include <fovea/io/mesh_io.h>

#include <cstdint>
#include <vector>

#include "mesh/graph/vector.h"

namespace fovea::mesh {

struct Ray {
  Vector from{};
  Vector towards{};       // need not have length 1; distances are multiples of it
  double least = 0;       // nearer triangles are not met
  std::int32_t but = -1;  // a face that is not met
};

struct RayHit {
  std::int32_t face = -1;  // -1 where nothing is met
  double distance = 0;
};

// Returns the distance at which a ray meets a triangle, or a negative number. A ray through an edge
// that two triangles share meets at least one of them (Möller and Trumbore 1997, with room for
// rounding at edges).
double meet(const Ray& ray, const Vector& a, const Vector& b, const Vector& c);

// The tree is divided where the expected number of boxes and triangles that a ray visits is least
// (the surface area heuristic, in 16 bins per axis).
class RayTree {
 public:
  explicit RayTree(const io::TriangleMesh& mesh);

  // Of triangles at the same distance the lowest face is met.
  RayHit first(const Ray& ray) const;

 private:
  struct Node {
    std::array<float, 3> low{};
    std::array<float, 3> high{};
    std::int32_t first = 0;  // its first triangle, or its second child; the first child follows it
    std::int32_t count = 0;  // its triangles; 0 where it has children
  };
  struct Corners {
    std::array<std::array<float, 3>, 3> at;
  };
  struct Build;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> faces_;  // in the order of the leaves
  std::vector<Corners> corners_;     // of faces_
};

}  // namespace fovea::mesh
