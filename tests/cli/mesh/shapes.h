// Small meshes that verbs of fovea mesh are tried on.
#pragma once
#include <fovea/io/mesh_io.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace fovea::cli {

// Two balls on a thin rod: a surface of revolution along x with `around` x `along` quads.
inline io::TriangleMesh dumbbell(int around = 16, int along = 48) {
  io::TriangleMesh mesh;
  const auto radius = [](double t) {
    const double left = 0.16 - (t - 0.2) * (t - 0.2), right = 0.16 - (t - 0.8) * (t - 0.8);
    const double ball = std::sqrt(std::max({left * 0.25, right * 0.25, 0.0}));
    return std::max(ball, 0.03);
  };
  for (int i = 0; i <= along; ++i) {
    const double t = static_cast<double>(i) / along;
    const double r = i == 0 || i == along ? 0.001 : radius(t);
    for (int j = 0; j < around; ++j) {
      const double a = 2 * std::numbers::pi * j / around;
      mesh.vertices.push_back({static_cast<float>(2 * t), static_cast<float>(r * std::cos(a)),
                               static_cast<float>(r * std::sin(a))});
    }
  }
  for (int i = 0; i < along; ++i) {
    for (int j = 0; j < around; ++j) {
      const int a = i * around + j, b = i * around + (j + 1) % around;
      mesh.faces.push_back({a, b, a + around});
      mesh.faces.push_back({b, b + around, a + around});
    }
  }
  return mesh;
}

}  // namespace fovea::cli
