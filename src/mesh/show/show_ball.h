// The ball that every view of a mesh turns around.
#pragma once
#include "mesh/graph/vector.h"

namespace fovea::mesh {

struct ShowBall {
  Vector middle{};
  double radius = 1;
};

// Its center is the middle of the box around all faces, and its radius is the distance to the
// farthest corner, so that it looks the same from all sides. If all corners coincide, the radius is
// 1. Vertices without a face do not count.
ShowBall show_ball(const io::TriangleMesh& mesh);

}  // namespace fovea::mesh
