// Points and directions of a mesh in double precision.
#pragma once
#include <fovea/io/mesh_io.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace fovea::mesh {

using Vector = std::array<double, 3>;

inline Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }
// Returns a vector of length 1; 0 stays 0.
inline Vector unit(const Vector& a) {
  const double size = length(a);
  return size > 0 ? (1 / size) * a : Vector{};
}

inline Vector wide(const std::array<float, 3>& a) {
  return {static_cast<double>(a[0]), static_cast<double>(a[1]), static_cast<double>(a[2])};
}
inline std::array<float, 3> narrow(const Vector& a) {
  return {static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2])};
}

// Returns a corner of a face.
inline Vector corner(const io::TriangleMesh& mesh, std::size_t face, std::size_t which) {
  return wide(mesh.vertices[static_cast<std::size_t>(mesh.faces[face][which])]);
}

}  // namespace fovea::mesh
