// The arithmetic over faces and arcs on which the CPU and CUDA must agree. Functions of the C
// library differ between the two in their last bits, so that angles are computed by our own series.
#pragma once
#include <fovea/core/api.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace fovea::mesh {

struct Direction {
  float x = 0, y = 0, z = 0;
};

FOVEA_HD inline Direction weighted(float weight, const Direction& n) {
  return {weight * n.x, weight * n.y, weight * n.z};
}
FOVEA_HD inline Direction added(const Direction& a, const Direction& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
// Adds a normal and the sum of its neighbors' normals, all multiplied by their faces' areas, and
// the latter by `share`; returns `old` if they cancel out.
FOVEA_HD inline Direction smoothed(const Direction& own, const Direction& around, float share,
                                   const Direction& old) {
  const Direction sum = added(own, weighted(share, around));
  const float size = std::sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
  return size > 0 ? Direction{sum.x / size, sum.y / size, sum.z / size} : old;
}

// atan for 0 to 1, with an error of at most 1e-9.
FOVEA_HD inline double arc_tangent(double t) {
  constexpr double kQuarter = 0.78539816339744830962;  // pi / 4
  const bool steep = t > 0.41421356237309505;
  const double u = steep ? (t - 1) / (t + 1) : t;
  const double square = u * u;
  double sum = 0;
  for (int term = 10; term >= 0; --term)
    sum = (term % 2 == 0 ? 1.0 : -1.0) / (2 * term + 1) + square * sum;
  return (steep ? kQuarter : 0.0) + u * sum;
}

struct Bend {
  float angle = 0;
  bool concave = false;
};
// Returns the angle in radians between two normals of length 1. The edge is concave if the second
// face, at `off` from the first, rises in front of it. Kahan's formula is accurate for small angles
// and for angles near pi.
FOVEA_HD inline Bend bend_between(const Direction& a, const Direction& b, const Direction& off) {
  const auto d = [](float from, float to) {
    return static_cast<double>(to) - static_cast<double>(from);
  };
  const double x = d(a.x, b.x), y = d(a.y, b.y), z = d(a.z, b.z);
  const double across = std::sqrt(x * x + y * y + z * z);
  const double sx = d(-a.x, b.x), sy = d(-a.y, b.y), sz = d(-a.z, b.z);
  const double along = std::sqrt(sx * sx + sy * sy + sz * sz);
  Bend result;
  constexpr double kHalf = 1.57079632679489661923;  // pi / 2
  if (across > along) {
    result.angle = static_cast<float>(2 * (kHalf - arc_tangent(along / across)));
  } else if (along > 0) {
    result.angle = static_cast<float>(2 * arc_tangent(across / along));
  }
  result.concave = static_cast<double>(off.x) * x + static_cast<double>(off.y) * y +
                       static_cast<double>(off.z) * z <
                   0;
  return result;
}

// Returns 1 - cos for 0 to pi as 2 sin^2 of half the angle, so that no digits are lost if it is
// small.
FOVEA_HD inline double one_minus_cosine(float angle) {
  const double half = 0.5 * static_cast<double>(angle);
  const double square = half * half;
  double sum = 1;
  for (int term = 8; term >= 1; --term)
    sum = 1 - square * (1 / ((2.0 * term) * (2.0 * term + 1))) * sum;
  const double sine = half * sum;
  return 2 * sine * sine;
}

// Adds a step to a path. The result is always greater, however small the cost is relative to the
// path, so that the face before the last is always nearer to the start of the path. From an
// infinite distance it returns NaN, which is neither less than nor equal to anything.
FOVEA_HD inline float path_step(float far, float cost) {
  const float sum = far + cost;
  return sum > far ? sum : std::bit_cast<float>(std::bit_cast<std::int32_t>(far) + 1);
}

FOVEA_HD inline float squared_length(float x, float y, float z) { return x * x + y * y + z * z; }

}  // namespace fovea::mesh
