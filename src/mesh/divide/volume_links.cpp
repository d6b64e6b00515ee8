// Superfaces stand for flat discs of the same area. A ray leaves the middle of each one inwards,
// and the nearest disc that it meets from within is opposite. There are some hundred discs, so that
// all of them are tried, which is quicker than a tree of boxes over all faces.
//
// A plate of area A and thickness t conducts in proportion to A / t across, and a strip of surface
// in proportion to its width over its length. With a further 1 / t the first is a number without a
// unit too, so that links do not depend on the size of the mesh.
#include "mesh/divide/volume_links.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "mesh/graph/vector.h"

namespace fovea::mesh {
namespace {

// The conductance of a plate as thick as it is wide, relative to a square of surface. Both of its
// sides send rays.
constexpr double kThrough = 0.015;
constexpr float kOpposite = 0.5F;  // the least cosine between a normal and the reverse of the other
constexpr float kReach = 1.2F;     // radii are stretched by this, so that discs leave no gaps
constexpr float kThinnest = 1e-3F;  // thinner walls count as this thick, relative to the root of
                                    // the area

// Axes are stored apart, so that the compiler tries several discs at once.
struct Discs {
  explicit Discs(std::size_t count)
      : x(count), y(count), z(count), nx(count), ny(count), nz(count), areas(count), met(count) {}
  std::size_t count() const { return areas.size(); }

  std::vector<float> x, y, z;     // centers
  std::vector<float> nx, ny, nz;  // unit normals; 0 for a disc without a direction
  std::vector<float> areas;
  std::vector<float> met;  // where a ray meets each disc
};

// Lengths are relative to the root of the whole area.
Discs make_discs(const DualGraph& graph, const Superfaces& superfaces, double root) {
  const auto count = static_cast<std::size_t>(superfaces.count());
  std::vector<Vector> centers(count), normals(count);
  std::vector<double> areas(count, 0);
  for (std::size_t face = 0; face < superfaces.of.size(); ++face) {
    const auto at = static_cast<std::size_t>(superfaces.of[face]);
    const auto area = static_cast<double>(graph.areas[face]);
    centers[at] = centers[at] + area * wide(graph.centroids[face]);
    normals[at] = normals[at] + area * wide(graph.normals[face]);
    areas[at] += area;
  }
  Discs discs(count);
  const Vector origin = wide(graph.centroids[0]);
  for (std::size_t i = 0; i < count; ++i) {
    const Vector center =
        areas[i] > 0 ? (1 / root) * ((1 / areas[i]) * centers[i] - origin) : Vector{};
    const std::array<float, 3> at = narrow(center);
    const std::array<float, 3> normal = narrow(unit(normals[i]));
    discs.x[i] = at[0];
    discs.y[i] = at[1];
    discs.z[i] = at[2];
    discs.nx[i] = normal[0];
    discs.ny[i] = normal[1];
    discs.nz[i] = normal[2];
    discs.areas[i] = static_cast<float>(areas[i] / root / root);
  }
  return discs;
}

// Finds the nearest disc that a ray from the middle of another one meets from within, and the
// distance to it, which is infinite if there is none. Of equals it is the first.
std::pair<std::size_t, float> opposite_of(Discs& discs, std::size_t from) {
  constexpr float kRadius = kReach * kReach / std::numbers::pi_v<float>;
  const float x = discs.x[from], y = discs.y[from], z = discs.z[from];
  const float nx = discs.nx[from], ny = discs.ny[from], nz = discs.nz[from];
  for (std::size_t i = 0; i < discs.count(); ++i) {
    const float facing = -(nx * discs.nx[i] + ny * discs.ny[i] + nz * discs.nz[i]);
    const float dx = discs.x[i] - x, dy = discs.y[i] - y, dz = discs.z[i] - z;
    const float along = dx * discs.nx[i] + dy * discs.ny[i] + dz * discs.nz[i];
    const float far = along / std::max(facing, kOpposite);  // where the ray meets the disc's plane
    const float bx = dx + far * nx, by = dy + far * ny, bz = dz + far * nz;
    const bool meets = (facing >= kOpposite) & (far > 0) &
                       (bx * bx + by * by + bz * bz <= kRadius * discs.areas[i]);
    discs.met[i] = meets ? far : std::numeric_limits<float>::infinity();
  }
  const auto nearest = std::min_element(discs.met.begin(), discs.met.end());
  return {static_cast<std::size_t>(nearest - discs.met.begin()), *nearest};
}

// Returns what a step over flat surface costs per length.
double flat_cost(const Part& part) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < part.costs.size(); ++i) {
    const auto step = static_cast<double>(part.graph.arcs[i].geodesic);
    if (step > 0) least = std::min(least, static_cast<double>(part.costs[i]) / step);
  }
  return least;
}

}  // namespace

bool add_volume_links(const Part& part, const Superfaces& superfaces, Network& network) {
  const double flat = flat_cost(part);
  double area = 0;
  for (const float one : part.graph.areas) area += static_cast<double>(one);
  if (!(flat > 0) || !std::isfinite(flat) || !(area > 0)) return false;
  Discs discs = make_discs(part.graph, superfaces, std::sqrt(area));
  for (std::size_t i = 0; i < discs.count(); ++i) {
    const auto [other, far] = opposite_of(discs, i);
    if (!std::isfinite(far)) continue;
    const auto thickness = static_cast<double>(std::max(far, kThinnest));
    const double value =
        kThrough * static_cast<double>(discs.areas[i]) / (thickness * thickness) / flat;
    const auto [low, high] = std::minmax(i, other);
    network.links.push_back(
        {static_cast<std::int32_t>(low), static_cast<std::int32_t>(high), value});
  }
  join_links(network);
  return true;
}

}  // namespace fovea::mesh
