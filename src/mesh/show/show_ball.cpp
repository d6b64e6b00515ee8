#include "mesh/show/show_ball.h"

#include <algorithm>
#include <limits>

namespace fovea::mesh {

ShowBall show_ball(const io::TriangleMesh& mesh) {
  Vector low{}, high{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  const auto corners = [&](const auto& visit) {
    for (std::size_t f = 0; f < mesh.faces.size(); ++f)
      for (std::size_t i = 0; i < 3; ++i) visit(corner(mesh, f, i));
  };
  corners([&](const Vector& at) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], at[i]);
      high[i] = std::max(high[i], at[i]);
    }
  });
  ShowBall ball;
  if (mesh.faces.empty()) return ball;
  ball.middle = 0.5 * (low + high);
  double farthest = 0;
  corners([&](const Vector& at) { farthest = std::max(farthest, length(at - ball.middle)); });
  if (farthest > 0) ball.radius = farthest;
  return ball;
}

}  // namespace fovea::mesh
