// What every view of a mesh turns around.
#pragma once
#include "mesh/graph/vector.h"

namespace fovea::mesh {

struct ShowBall {
  Vector middle{};
  double radius = 1;
};

// About the middle of the box around all faces, as wide as the corner farthest from it: seen alike
// from everywhere. A mesh of one place has radius 1. Vertices of no face do not count.
ShowBall show_ball(const io::TriangleMesh& mesh);

}  // namespace fovea::mesh
