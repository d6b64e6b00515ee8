// Meshes whose parts are known.
#pragma once
#include <fovea/core/random.h>
#include <fovea/io/mesh_io.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

namespace fovea::test {

// Twelve faces, edges of length 1, outwards.
inline io::TriangleMesh cube() {
  io::TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back({static_cast<float>(i & 1), static_cast<float>((i >> 1) & 1),
                             static_cast<float>((i >> 2) & 1)});
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Two squares of side 1 that share the edge from (0, 0, 0) to (0, 1, 0): the floor runs along x,
// the wall rises to z. Four faces, seen from where the two look towards each other.
inline io::TriangleMesh fold(float angle) {
  const float x = std::cos(angle);
  const float z = std::sin(angle);
  io::TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {x, 0, z}, {x, 1, z}};
  mesh.faces = {{0, 2, 3}, {0, 3, 1}, {0, 5, 4}, {0, 1, 5}};
  return mesh;
}

// A flat sheet of n x n squares of two faces each.
inline io::TriangleMesh sheet(int n) {
  io::TriangleMesh mesh;
  for (int y = 0; y <= n; ++y)
    for (int x = 0; x <= n; ++x)
      mesh.vertices.push_back({static_cast<float>(x), static_cast<float>(y), 0});
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const int a = y * (n + 1) + x;
      mesh.faces.push_back({a, a + 1, a + n + 2});
      mesh.faces.push_back({a, a + n + 2, a + n + 1});
    }
  }
  return mesh;
}

// A band of n squares with half a turn.
inline io::TriangleMesh moebius(int n) {
  io::TriangleMesh mesh;
  for (int i = 0; i < n; ++i) {
    const double around = 2 * std::numbers::pi * i / n;
    for (const double side : {-0.3, 0.3}) {
      const double radius = 1 + side * std::cos(around / 2);
      mesh.vertices.push_back({static_cast<float>(radius * std::cos(around)),
                               static_cast<float>(radius * std::sin(around)),
                               static_cast<float>(side * std::sin(around / 2))});
    }
  }
  for (int i = 0; i < n; ++i) {
    const int a = 2 * i;
    int b = 2 * (i + 1);
    int c = b + 1;
    if (i + 1 == n) std::tie(b, c) = std::pair(1, 0);
    mesh.faces.push_back({a, b, c});
    mesh.faces.push_back({a, c, a + 1});
  }
  return mesh;
}

// A surface around the z axis, radius by height; both ends are closed by a point.
inline io::TriangleMesh turned(const std::function<double(double)>& radius, double low, double high,
                               int rings, int around) {
  io::TriangleMesh mesh;
  mesh.vertices.push_back({0, 0, static_cast<float>(low)});
  for (int ring = 0; ring < rings; ++ring) {
    const double z = low + (high - low) * (ring + 1) / (rings + 1);
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * std::numbers::pi * (i + 0.5 * ring) / around;
      mesh.vertices.push_back({static_cast<float>(radius(z) * std::cos(angle)),
                               static_cast<float>(radius(z) * std::sin(angle)),
                               static_cast<float>(z)});
    }
  }
  mesh.vertices.push_back({0, 0, static_cast<float>(high)});
  const int top = static_cast<int>(mesh.vertices.size()) - 1;
  const auto at = [&](int ring, int i) { return 1 + ring * around + (i % around); };
  for (int i = 0; i < around; ++i) {
    mesh.faces.push_back({0, at(0, i + 1), at(0, i)});
    mesh.faces.push_back({top, at(rings - 1, i), at(rings - 1, i + 1)});
    for (int ring = 0; ring + 1 < rings; ++ring) {
      mesh.faces.push_back({at(ring, i), at(ring, i + 1), at(ring + 1, i)});
      mesh.faces.push_back({at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i)});
    }
  }
  return mesh;
}

// Two balls of radius 1 around z = -1.5 and 1.5, joined by a tube of radius 0.2.
inline io::TriangleMesh dumbbell(int rings = 60, int around = 24) {
  const auto radius = [](double z) {
    const double off = std::abs(z) - 1.5;
    const double ball = off * off < 1 ? std::sqrt(1 - off * off) : 0;
    return std::max(ball, std::abs(z) < 1.5 ? 0.2 : 0.0);
  };
  return turned(radius, -2.5, 2.5, rings, around);
}

// A sphere of 20 * 4^level faces.
inline io::TriangleMesh sphere(int level) {
  const auto t = static_cast<float>(std::numbers::phi);
  io::TriangleMesh mesh;
  mesh.vertices = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                   {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
  mesh.faces = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int i = 0; i < level; ++i) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [entry, fresh] =
          middles.emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (fresh) {
        const io::Vertex p = mesh.vertices[static_cast<std::size_t>(a)];
        const io::Vertex q = mesh.vertices[static_cast<std::size_t>(b)];
        mesh.vertices.push_back({(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2});
      }
      return entry->second;
    };
    std::vector<io::Triangle> finer;
    for (const io::Triangle& face : mesh.faces) {
      const int ab = middle(face[0], face[1]);
      const int bc = middle(face[1], face[2]);
      const int ca = middle(face[2], face[0]);
      finer.insert(finer.end(),
                   {{face[0], ab, ca}, {face[1], bc, ab}, {face[2], ca, bc}, {ab, bc, ca}});
    }
    mesh.faces = std::move(finer);
  }
  for (io::Vertex& v : mesh.vertices) {
    const float size = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (float& x : v) x /= size;
  }
  return mesh;
}

// A ball with four arms along x and y.
inline io::TriangleMesh star(int level = 4) {
  io::TriangleMesh mesh = sphere(level);
  for (io::Vertex& v : mesh.vertices) {
    const float towards = std::max(std::abs(v[0]), std::abs(v[1]));
    const float off = std::acos(std::min(towards, 1.0F)) / 0.35F;
    const float radius = 1 + 2.5F * std::exp(-off * off * off * off);
    for (float& x : v) x *= radius;
  }
  return mesh;
}

// A star whose surface is rough by chance.
inline io::TriangleMesh bumpy(int level, std::uint64_t seed = 5) {
  io::TriangleMesh mesh = star(level);
  Random random(seed);
  for (io::Vertex& v : mesh.vertices) {
    const float by = random.uniform(0.98F, 1.02F);
    for (float& x : v) x *= by;
  }
  return mesh;
}

// Both, apart from each other.
inline io::TriangleMesh beside(io::TriangleMesh a, const io::TriangleMesh& b, float shift) {
  const auto first = static_cast<std::int32_t>(a.vertices.size());
  for (const io::Vertex& v : b.vertices) a.vertices.push_back({v[0] + shift, v[1], v[2]});
  for (const io::Triangle& face : b.faces)
    a.faces.push_back({face[0] + first, face[1] + first, face[2] + first});
  return a;
}

}  // namespace fovea::test
