#include "mesh/graph/ray_tree.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace fovea::mesh {
namespace {

constexpr int kBins = 16;
constexpr std::int32_t kLeafFaces = 4;  // a box with no more triangles is not divided
constexpr int kMostDepth = 60;          // below it boxes are divided in the middle of their list
constexpr double kLeastStride = 1e-100;
constexpr double kEdgeRoom = 1e-9;  // barycentric; closes cracks between triangles

struct Box {
  std::array<float, 3> low{std::numeric_limits<float>::max(), std::numeric_limits<float>::max(),
                           std::numeric_limits<float>::max()};
  std::array<float, 3> high{std::numeric_limits<float>::lowest(),
                            std::numeric_limits<float>::lowest(),
                            std::numeric_limits<float>::lowest()};

  void add(const std::array<float, 3>& point) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], point[i]);
      high[i] = std::max(high[i], point[i]);
    }
  }
  void add(const Box& box) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], box.low[i]);
      high[i] = std::max(high[i], box.high[i]);
    }
  }
  double side(std::size_t axis) const {
    return static_cast<double>(high[axis]) - static_cast<double>(low[axis]);
  }
  double surface() const {
    const double x = side(0), y = side(1), z = side(2);
    return x < 0 ? 0 : x * y + y * z + z * x;
  }
};

// Where a ray enters a box; infinity where it passes by.
double enters(const std::array<float, 3>& low, const std::array<float, 3>& high, const Vector& from,
              const Vector& inverse, double most) {
  double near = 0;
  double far = most;
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = (static_cast<double>(low[i]) - from[i]) * inverse[i];
    const double b = (static_cast<double>(high[i]) - from[i]) * inverse[i];
    near = std::max(near, std::min(a, b));
    far = std::min(far, std::max(a, b));
  }
  return near <= far ? near : std::numeric_limits<double>::infinity();
}

}  // namespace

double meet(const Ray& ray, const Vector& a, const Vector& b, const Vector& c) {
  const Vector ab = b - a;
  const Vector ac = c - a;
  const Vector p = cross(ray.towards, ac);
  const double volume = dot(ab, p);
  if (volume == 0) return -1;
  const double inverse = 1 / volume;
  const Vector off = ray.from - a;
  const double u = dot(off, p) * inverse;
  if (!(u >= -kEdgeRoom && u <= 1 + kEdgeRoom)) return -1;
  const Vector q = cross(off, ab);
  const double v = dot(ray.towards, q) * inverse;
  if (!(v >= -kEdgeRoom && u + v <= 1 + kEdgeRoom)) return -1;
  const double distance = dot(ac, q) * inverse;
  return distance > ray.least && distance < std::numeric_limits<double>::infinity() ? distance : -1;
}

struct RayTree::Build {
  RayTree& tree;
  std::vector<Box> boxes;                     // one per face
  std::vector<std::array<float, 3>> middles;  // one per face

  struct Split {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t axis = 0;
    int bin = 0;
  };

  static int bin_of(float at, const Box& around, std::size_t axis) {
    const double share =
        (static_cast<double>(at) - static_cast<double>(around.low[axis])) / around.side(axis);
    return std::clamp(static_cast<int>(share * kBins), 0, kBins - 1);
  }

  Split best_split(std::span<const std::int32_t> faces, const Box& around) const {
    Split best;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!(around.side(axis) > 0)) continue;
      std::array<Box, kBins> bins;
      std::array<double, kBins> counts{};
      for (const std::int32_t face : faces) {
        const auto at = static_cast<std::size_t>(face);
        const auto bin = static_cast<std::size_t>(bin_of(middles[at][axis], around, axis));
        bins[bin].add(boxes[at]);
        counts[bin] += 1;
      }
      std::array<double, kBins> above{};  // the cost of all bins from here on
      Box box;
      double count = 0;
      for (std::size_t bin = kBins - 1; bin > 0; --bin) {
        box.add(bins[bin]);
        count += counts[bin];
        above[bin] = count * box.surface();
      }
      box = {};
      count = 0;
      for (std::size_t bin = 0; bin + 1 < kBins; ++bin) {
        box.add(bins[bin]);
        count += counts[bin];
        const double cost = count * box.surface() + above[bin + 1];
        if (count > 0 && count < static_cast<double>(faces.size()) && cost < best.cost)
          best = {cost, axis, static_cast<int>(bin)};
      }
    }
    return best;
  }

  void divide(std::int32_t first, std::int32_t count, int depth) {
    Box box, around;
    const std::span<std::int32_t> faces(tree.faces_.data() + first,
                                        static_cast<std::size_t>(count));
    for (const std::int32_t face : faces) {
      box.add(boxes[static_cast<std::size_t>(face)]);
      around.add(middles[static_cast<std::size_t>(face)]);
    }
    const std::size_t node = tree.nodes_.size();
    tree.nodes_.push_back({box.low, box.high, first, count});
    if (count <= kLeafFaces) return;
    std::int32_t lower = count / 2;
    if (depth < kMostDepth) {
      const Split split = best_split(faces, around);
      if (split.cost < std::numeric_limits<double>::infinity())
        lower = static_cast<std::int32_t>(
            std::stable_partition(faces.begin(), faces.end(),
                                  [&](std::int32_t face) {
                                    return bin_of(
                                               middles[static_cast<std::size_t>(face)][split.axis],
                                               around, split.axis) <= split.bin;
                                  }) -
            faces.begin());
    }
    tree.nodes_[node].count = 0;
    divide(first, lower, depth + 1);
    tree.nodes_[node].first = static_cast<std::int32_t>(tree.nodes_.size());
    divide(first + lower, count - lower, depth + 1);
  }
};

RayTree::RayTree(const io::TriangleMesh& mesh) : faces_(mesh.faces.size()) {
  std::iota(faces_.begin(), faces_.end(), 0);
  if (faces_.empty()) return;
  Build build{*this, std::vector<Box>(faces_.size()),
              std::vector<std::array<float, 3>>(faces_.size())};
  for (std::size_t face = 0; face < faces_.size(); ++face) {
    for (const std::int32_t corner : mesh.faces[face])
      build.boxes[face].add(mesh.vertices[static_cast<std::size_t>(corner)]);
    for (std::size_t i = 0; i < 3; ++i)
      build.middles[face][i] = 0.5F * build.boxes[face].low[i] + 0.5F * build.boxes[face].high[i];
  }
  nodes_.reserve(faces_.size());
  build.divide(0, static_cast<std::int32_t>(faces_.size()), 0);
  corners_.reserve(faces_.size());
  for (const std::int32_t face : faces_) {
    const io::Triangle& at = mesh.faces[static_cast<std::size_t>(face)];
    corners_.push_back({{mesh.vertices[static_cast<std::size_t>(at[0])],
                         mesh.vertices[static_cast<std::size_t>(at[1])],
                         mesh.vertices[static_cast<std::size_t>(at[2])]}});
  }
}

RayHit RayTree::first(const Ray& ray) const {
  RayHit hit;
  if (nodes_.empty()) return hit;
  Vector inverse;
  for (std::size_t i = 0; i < 3; ++i) {
    // Never infinite, because 0 times infinity has no value for a ray along a side of a box.
    const double step = ray.towards[i];
    inverse[i] = 1 / (std::abs(step) < kLeastStride ? std::copysign(kLeastStride, step) : step);
  }
  double most = std::numeric_limits<double>::infinity();
  // Boxes that are still to be visited. Each level leaves one behind; lists that are divided in
  // the middle add at most 31 levels.
  std::array<std::pair<double, std::int32_t>, kMostDepth + 40> waiting;
  std::size_t left = 0;
  waiting[left++] = {0, 0};
  const auto look = [&](std::int32_t node) {
    const Node& at = nodes_[static_cast<std::size_t>(node)];
    return enters(at.low, at.high, ray.from, inverse, most);
  };
  while (left > 0) {
    const auto [near, number] = waiting[--left];
    if (near > most) continue;
    const Node& node = nodes_[static_cast<std::size_t>(number)];
    if (node.count == 0) {
      std::pair<double, std::int32_t> a{look(number + 1), number + 1};
      std::pair<double, std::int32_t> b{look(node.first), node.first};
      if (b.first < a.first) std::swap(a, b);
      if (b.first <= most && b.first < std::numeric_limits<double>::infinity()) waiting[left++] = b;
      if (a.first <= most && a.first < std::numeric_limits<double>::infinity()) waiting[left++] = a;
      continue;
    }
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      const std::int32_t face = faces_[static_cast<std::size_t>(i)];
      if (face == ray.but) continue;
      const auto& corners = corners_[static_cast<std::size_t>(i)].at;
      const double at = meet(ray, wide(corners[0]), wide(corners[1]), wide(corners[2]));
      if (at < 0 || at > most || (at == most && face > hit.face)) continue;
      most = at;
      hit = {face, at};
    }
  }
  return hit;
}

}  // namespace fovea::mesh
