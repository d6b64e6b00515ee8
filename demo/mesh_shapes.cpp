#include "demo/mesh_shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::cli {
namespace {

Place between(const Place& a, const Place& b, double t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}
double dot(const Place& a, const Place& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Place minus(const Place& a, const Place& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// A signed distance that is negative inside.
double height(const Limb& limb, const Place& at) {
  const Place along = minus(limb.to, limb.from), off = minus(at, limb.from);
  const double size = dot(along, along);
  const double t = size > 0 ? std::clamp(dot(along, off) / size, 0.0, 1.0) : 0;
  const Place rest = minus(at, between(limb.from, limb.to, t));
  return std::sqrt(dot(rest, rest)) - (limb.from_radius + t * (limb.to_radius - limb.from_radius));
}

double height(const Body& body, const Place& at) {
  double least = height(body.limbs.front(), at);
  for (std::size_t i = 1; i < body.limbs.size(); ++i) {
    const double other = height(body.limbs[i], at);
    // The smaller of both, with a rounded transition where they are nearly equal.
    const double near = std::max(body.blend - std::abs(least - other), 0.0) / body.blend;
    least = std::min(least, other) - near * near * body.blend / 4;
  }
  return least;
}

Place slope(const Body& body, const Place& at, double step) {
  Place result{};
  for (std::size_t i = 0; i < 3; ++i) {
    Place ahead = at, behind = at;
    ahead[i] += step;
    behind[i] -= step;
    result[i] = (height(body, ahead) - height(body, behind)) / (2 * step);
  }
  return result;
}

// The grid around a body, and the heights at its points.
struct Lattice {
  Place low{};
  double step = 1;
  std::array<int, 3> points{};
  std::vector<double> heights{};

  std::size_t index(const std::array<int, 3>& p) const {
    return (static_cast<std::size_t>(p[2]) * static_cast<std::size_t>(points[1]) +
            static_cast<std::size_t>(p[1])) *
               static_cast<std::size_t>(points[0]) +
           static_cast<std::size_t>(p[0]);
  }
  Place place(const std::array<int, 3>& p) const {
    return {low[0] + step * p[0], low[1] + step * p[1], low[2] + step * p[2]};
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (int z = 0; z < points[2]; ++z)
      for (int y = 0; y < points[1]; ++y)
        for (int x = 0; x < points[0]; ++x) visit(std::array<int, 3>{x, y, z});
  }
};

Lattice lattice_of(const Body& body, int cells) {
  Place low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  for (const Limb& limb : body.limbs) {
    const double reach = std::max(limb.from_radius, limb.to_radius) + body.blend;
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min({low[i], limb.from[i] - reach, limb.to[i] - reach});
      high[i] = std::max({high[i], limb.from[i] + reach, limb.to[i] + reach});
    }
  }
  const Place size = minus(high, low);
  Lattice lattice{.low = low, .step = std::max({size[0], size[1], size[2]}) / cells};
  for (std::size_t i = 0; i < 3; ++i)
    lattice.points[i] = static_cast<int>(std::ceil(size[i] / lattice.step)) + 2;
  lattice.each([&](const std::array<int, 3>& p) {
    lattice.heights.push_back(height(body, lattice.place(p)));
  });
  return lattice;
}

// The vertex of each cell that the surface passes through, -1 elsewhere.
std::vector<std::int32_t> place_vertices(const Body& body, const Lattice& lattice,
                                         io::TriangleMesh& mesh) {
  std::vector<std::int32_t> vertex(lattice.heights.size(), -1);
  lattice.each([&](const std::array<int, 3>& p) {
    for (std::size_t i = 0; i < 3; ++i)
      if (p[i] + 1 >= lattice.points[i]) return;
    int inside = 0;
    for (int corner = 0; corner < 8; ++corner)
      inside += lattice.heights[lattice.index(
                    {p[0] + (corner & 1), p[1] + (corner >> 1 & 1), p[2] + (corner >> 2)})] < 0;
    if (inside == 0 || inside == 8) return;
    Place at = lattice.place(p);
    for (double& x : at) x += lattice.step / 2;
    constexpr int kSteps = 4;  // steps toward height 0 along the gradient
    for (int i = 0; i < kSteps; ++i) {
      const Place up = slope(body, at, lattice.step / 8);
      const double size = std::max(dot(up, up), 1e-6), by = height(body, at) / size;
      for (std::size_t k = 0; k < 3; ++k) at[k] -= by * up[k];
    }
    vertex[lattice.index(p)] = static_cast<std::int32_t>(mesh.vertices.size());
    mesh.vertices.push_back(
        {static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2])});
  });
  return vertex;
}

}  // namespace

io::TriangleMesh demo_surface(const Body& body, int cells) {
  io::TriangleMesh mesh;
  const Lattice lattice = lattice_of(body, cells);
  const auto vertex = place_vertices(body, lattice, mesh);
  lattice.each([&](const std::array<int, 3>& p) {
    const bool inside = lattice.heights[lattice.index(p)] < 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::array<int, 3> next = p;
      ++next[axis];
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      if (next[axis] >= lattice.points[axis] || p[u] == 0 || p[v] == 0) continue;
      if (inside == (lattice.heights[lattice.index(next)] < 0)) continue;
      // The four cells around an edge that the surface crosses.
      std::array<std::int32_t, 4> corners{};
      for (int i = 0; i < 4; ++i) {
        std::array<int, 3> cell = p;
        cell[u] -= i == 0 || i == 3 ? 1 : 0;
        cell[v] -= i < 2 ? 1 : 0;
        corners[static_cast<std::size_t>(i)] = vertex[lattice.index(cell)];
      }
      if (!inside) std::swap(corners[1], corners[3]);
      mesh.faces.push_back({corners[0], corners[1], corners[2]});
      mesh.faces.push_back({corners[0], corners[2], corners[3]});
    }
  });
  return mesh;
}

Body demo_dog() {
  Body dog;
  dog.limbs = {{{-0.5, 0.62, 0}, {0.45, 0.66, 0}, 0.17, 0.22},      // trunk
               {{0.52, 0.74, 0}, {0.78, 1.06, 0}, 0.13, 0.10},      // neck
               {{0.80, 1.12, 0}, {0.86, 1.12, 0}, 0.17, 0.16},      // head
               {{0.95, 1.08, 0}, {1.20, 1.02, 0}, 0.095, 0.07},     // snout
               {{-0.60, 0.70, 0}, {-0.98, 1.02, 0}, 0.06, 0.035}};  // tail
  for (const double side : {-1.0, 1.0}) {
    dog.limbs.push_back({{0.74, 1.24, side * 0.12}, {0.70, 1.42, side * 0.17}, 0.06, 0.03});
    dog.limbs.push_back({{0.42, 0.48, side * 0.14}, {0.45, 0.06, side * 0.15}, 0.085, 0.06});
    dog.limbs.push_back({{-0.50, 0.48, side * 0.13}, {-0.56, 0.06, side * 0.15}, 0.095, 0.06});
  }
  return dog;
}

Body demo_hand() {
  Body hand;
  constexpr int kRods = 10;  // rods of the palm, so close that there are no valleys between them
  for (int i = 0; i < kRods; ++i) {
    const double x = -0.30 + 0.6 * i / (kRods - 1);
    hand.limbs.push_back({{0.8 * x, -0.34, 0}, {1.05 * x, 0.10, 0}, 0.13, 0.12});
  }
  constexpr std::array<double, 4> kLengths{0.44, 0.58, 0.62, 0.52};
  for (int i = 0; i < 4; ++i) {
    const double x = -0.34 + 0.225 * i;
    hand.limbs.push_back({{x, 0.24, 0},
                          {1.35 * x, 0.24 + kLengths[static_cast<std::size_t>(i)], 0.08},
                          0.088,
                          0.066});
  }
  hand.limbs.push_back({{0.36, -0.16, 0.04}, {0.70, 0.16, 0.16}, 0.10, 0.075});
  hand.limbs.push_back({{0, -0.45, 0}, {0, -0.85, 0}, 0.17, 0.17});
  return hand;
}

Body demo_teapot() {
  Body pot;
  pot.limbs = {{{0, 0.36, 0}, {0, 0.50, 0}, 0.42, 0.40},  // belly
               {{0, 0.93, 0}, {0, 0.98, 0}, 0.04, 0.09},  // knob of the lid
               {{0.44, 0.34, 0}, {0.66, 0.50, 0}, 0.12, 0.09},
               {{0.66, 0.50, 0}, {0.84, 0.80, 0}, 0.09, 0.055}};  // spout
  constexpr int kPieces = 8;                                      // pieces of the handle
  const auto handle = [](int i) -> Place {
    const double turn = std::numbers::pi * (0.5 + static_cast<double>(i) / kPieces);
    return {-0.36 + 0.40 * std::cos(turn), 0.48 + 0.24 * std::sin(turn), 0};
  };
  for (int i = 0; i < kPieces; ++i) pot.limbs.push_back({handle(i), handle(i + 1), 0.055, 0.055});
  return pot;
}

Body demo_pipe() {
  Body pipe;
  constexpr int kPieces = 12;  // pieces of the bend
  const auto bend = [](int i) -> Place {
    const double turn = std::numbers::pi * static_cast<double>(i) / kPieces;
    return {0.5 * std::cos(turn), 0.6 + 0.5 * std::sin(turn), 0};
  };
  pipe.limbs = {{{0.5, -0.3, 0}, bend(0), 0.14, 0.14},
                {{-0.5, -0.3, 0}, bend(kPieces), 0.14, 0.14}};
  for (int i = 0; i < kPieces; ++i) pipe.limbs.push_back({bend(i), bend(i + 1), 0.14, 0.14});
  return pipe;
}

}  // namespace fovea::cli
