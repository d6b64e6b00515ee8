// The graph of the faces of a sphere, for tests and benchmarks: an icosahedron whose triangles are
// divided into four again and again, with one node per face and one arc per edge. Costs are those
// of a bumpy mesh: the distance between the centers of faces, and a random angle.
#pragma once
#include <fovea/core/random.h>
#include <fovea/ops/shortest_paths.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace fovea::detail {

class Sphere {
 public:
  explicit Sphere(int divisions) {
    const double g = (1 + std::sqrt(5.0)) / 2;
    for (const double s : {-1.0, 1.0})
      for (const double t : {-g, g})
        for (int axis = 0; axis < 3; ++axis) {
          Point p{};
          p[static_cast<std::size_t>(axis)] = s;
          p[static_cast<std::size_t>((axis + 1) % 3)] = t;
          points_.push_back(unit(p));
        }
    // Faces are the triples of points that are nearest to each other.
    const auto near = [&](int a, int b) { return distance(point(a), point(b)) < 1.1; };
    for (int a = 0; a < 12; ++a)
      for (int b = a + 1; b < 12; ++b)
        for (int c = b + 1; c < 12; ++c)
          if (near(a, b) && near(b, c) && near(a, c)) faces_.push_back({a, b, c});
    for (int i = 0; i < divisions; ++i) divide();
  }

  Graph graph(std::uint64_t seed) const {
    std::map<std::pair<int, int>, int> first;  // first face at each edge
    std::vector<GraphArc> arcs;
    Random random(seed);
    double sum = 0;
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f)
      for (int k = 0; k < 3; ++k) {
        const auto [found, added] = first.try_emplace(edge(f, k), f);
        if (added) continue;
        const double way = distance(center(f), center(found->second));
        sum += way;
        arcs.push_back({f, found->second, static_cast<float>(way)});
      }
    const double mean = sum / static_cast<double>(arcs.size());
    for (GraphArc& arc : arcs)
      arc.cost = static_cast<float>(0.5 * static_cast<double>(arc.cost) / mean) + random.uniform();
    return {static_cast<int>(faces_.size()), arcs};
  }

 private:
  using Point = std::array<double, 3>;

  static Point unit(Point p) {
    const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    return {p[0] / length, p[1] / length, p[2] / length};
  }
  static double distance(const Point& a, const Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }
  const Point& point(int i) const { return points_[static_cast<std::size_t>(i)]; }
  Point center(int f) const {
    const auto& face = faces_[static_cast<std::size_t>(f)];
    Point sum{};
    for (const int corner : face)
      for (std::size_t i = 0; i < 3; ++i) sum[i] += point(corner)[i] / 3;
    return sum;
  }
  std::pair<int, int> edge(int f, int k) const {
    const auto& face = faces_[static_cast<std::size_t>(f)];
    const int a = face[static_cast<std::size_t>(k)],
              b = face[static_cast<std::size_t>((k + 1) % 3)];
    return {a < b ? a : b, a < b ? b : a};
  }
  void divide() {
    std::map<std::pair<int, int>, int> middles;
    std::vector<std::array<int, 3>> faces;
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
      std::array<int, 3> middle{};
      for (int k = 0; k < 3; ++k) {
        const auto [a, b] = edge(f, k);
        const auto [found, added] = middles.try_emplace({a, b}, static_cast<int>(points_.size()));
        if (added)
          points_.push_back(unit(
              {point(a)[0] + point(b)[0], point(a)[1] + point(b)[1], point(a)[2] + point(b)[2]}));
        middle[static_cast<std::size_t>(k)] = found->second;
      }
      const auto face = faces_[static_cast<std::size_t>(f)];
      for (std::size_t k = 0; k < 3; ++k)
        faces.push_back({face[k], middle[k], middle[(k + 2) % 3]});
      faces.push_back(middle);
    }
    faces_ = std::move(faces);
  }

  std::vector<Point> points_;
  std::vector<std::array<int, 3>> faces_;
};

// The graph has 20 * 4^divisions nodes with 3 arcs each.
inline Graph sphere_graph(int divisions, std::uint64_t seed = 1) {
  return Sphere(divisions).graph(seed);
}

}  // namespace fovea::detail
