// Whole segmentations, from the mesh in host memory to labels there.
#include "cli/bench_mesh_segment.h"

#include <fovea/mesh/segment.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <utility>

namespace fovea::cli {
namespace {

constexpr int kParts = 6;  // the ball and five limbs

// Corners and sides of an icosahedron.
io::TriangleMesh icosahedron() {
  const auto t = static_cast<float>(std::numbers::phi);
  io::TriangleMesh mesh;
  for (const float a : {-1.0F, 1.0F})
    for (const float b : {-t, t})
      mesh.vertices.insert(mesh.vertices.end(), {{0, a, b}, {a, b, 0}, {b, 0, a}});
  const auto near = [&](int a, int b) {
    float sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float off = mesh.vertices[static_cast<std::size_t>(a)][axis] -
                        mesh.vertices[static_cast<std::size_t>(b)][axis];
      sum += off * off;
    }
    return sum < 4.1F;  // sides are of length 2
  };
  const auto outwards = [&](int a, int b, int c) -> io::Triangle {
    const io::Vertex& p = mesh.vertices[static_cast<std::size_t>(a)];
    const io::Vertex& q = mesh.vertices[static_cast<std::size_t>(b)];
    const io::Vertex& r = mesh.vertices[static_cast<std::size_t>(c)];
    const float volume = p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                         p[2] * (q[0] * r[1] - q[1] * r[0]);
    if (volume > 0) return {a, b, c};
    return {a, c, b};
  };
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (int c = b + 1; c < 12; ++c)
        if (near(a, b) && near(b, c) && near(a, c)) mesh.faces.push_back(outwards(a, b, c));
  return mesh;
}

io::TriangleMesh divided(const io::TriangleMesh& coarse) {
  io::TriangleMesh mesh;
  mesh.vertices = coarse.vertices;
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
  for (const io::Triangle& face : coarse.faces) {
    const int ab = middle(face[0], face[1]);
    const int bc = middle(face[1], face[2]);
    const int ca = middle(face[2], face[0]);
    mesh.faces.insert(mesh.faces.end(),
                      {{face[0], ab, ca}, {face[1], bc, ab}, {face[2], ca, bc}, {ab, bc, ca}});
  }
  return mesh;
}

// Limbs along five directions; waves over all of it, as scanned surfaces have them.
io::TriangleMesh limbed_ball(int divisions) {
  constexpr std::array<std::array<float, 3>, kParts - 1> kLimbs = {
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -0.6F, 0.8F}, {0, -0.6F, -0.8F}}};
  io::TriangleMesh mesh = icosahedron();
  for (int i = 0; i < divisions; ++i) mesh = divided(mesh);
  for (io::Vertex& v : mesh.vertices) {
    const float size = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (float& x : v) x /= size;
    float radius = 1;
    for (const auto& limb : kLimbs) {
      const float along = v[0] * limb[0] + v[1] * limb[1] + v[2] * limb[2];
      const float off = std::acos(std::clamp(along, -1.0F, 1.0F)) / 0.35F;
      radius += 2.5F * std::exp(-off * off * off * off);
    }
    radius *= 1 + 0.01F * std::sin(23 * v[0]) * std::sin(19 * v[1]) * std::sin(29 * v[2]);
    for (float& x : v) x *= radius;
  }
  return mesh;
}

BenchCase segment_case(const std::shared_ptr<const io::TriangleMesh>& mesh, mesh::Method method) {
  const auto faces = static_cast<int>(mesh->faces.size());
  return {.name = method == mesh::Method::kFuzzy ? "segment_fuzzy" : "segment_resistance",
          .shape = {.width = faces, .height = 1},
          .bytes = static_cast<double>(mesh->vertices.size() * sizeof(io::Vertex) +
                                       mesh->faces.size() * sizeof(io::Triangle)),
          .prepare = [=](Memory) -> BenchWork {
            return [=](const Exec& exec) {
              mesh::SegmentOptions options;
              options.segments = kParts;
              options.method = method;
              options.exec = exec;
              options.exec.stream = nullptr;
              mesh::segment(*mesh, options);
            };
          }};
}

}  // namespace

std::vector<BenchCase> mesh_segment_cases() {
  std::vector<BenchCase> cases;
  for (const int divisions : {4, 5}) {
    const auto mesh = std::make_shared<const io::TriangleMesh>(limbed_ball(divisions));
    for (const mesh::Method method : {mesh::Method::kResistance, mesh::Method::kFuzzy})
      cases.push_back(segment_case(mesh, method));
  }
  return cases;
}

}  // namespace fovea::cli
