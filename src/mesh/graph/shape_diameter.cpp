// Rays from every face into the body, their robust mean, and an average over similar neighbors.
#include <fovea/mesh/shape_diameter.h>

#include <fovea/core/options.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "mesh/graph/adjacency.h"
#include "mesh/graph/ray_tree.h"

namespace fovea::mesh {
namespace {

constexpr std::int64_t kFacesAtOnce = 64;
constexpr double kTouch = 1e-7;    // nearer hits, as a share of the diagonal, are the face itself
constexpr double kSimilar = 0.25;  // the relative difference at which smoothing weights fall to
                                   // e^-1/2
constexpr float kUnknown = -1;

struct ConeRay {
  double x, y, z;  // z runs along the middle of the cone
  double weight;
};

// Spreads rays evenly over the cone, on a spiral by the golden angle.
std::vector<ConeRay> cone_rays(int count, double degrees) {
  const double least = std::cos(degrees / 360 * std::numbers::pi);
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  std::vector<ConeRay> rays;
  rays.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const double z = count == 1 ? 1 : 1 - (i + 0.5) / count * (1 - least);
    const double across = std::sqrt(std::max(0.0, 1 - z * z));
    const double angle = std::max(std::acos(std::min(z, 1.0)), 1e-3);
    rays.push_back({across * std::cos(golden * i), across * std::sin(golden * i), z, 1 / angle});
  }
  return rays;
}

// Completes a unit vector to a frame (Duff et al. 2017).
void frame_around(const Vector& n, Vector& a, Vector& b) {
  const double sign = std::copysign(1.0, n[2]);
  const double s = -1 / (sign + n[2]);
  const double t = n[0] * n[1] * s;
  a = {1 + sign * n[0] * n[0] * s, sign * t, -sign * n[0]};
  b = {t, sign + n[1] * n[1] * s, -n[1]};
}

struct Length {
  double length, weight;
};

double robust_mean(std::vector<Length>& found) {
  if (found.empty()) return static_cast<double>(kUnknown);
  const auto shorter = [](const Length& x, const Length& y) { return x.length < y.length; };
  std::stable_sort(found.begin(), found.end(), shorter);
  const std::size_t half = found.size() / 2;
  const double median = found.size() % 2 == 1 ? found[half].length
                                              : (found[half - 1].length + found[half].length) / 2;
  double sum = 0;
  for (const Length& one : found) sum += one.length;
  const double mean = sum / static_cast<double>(found.size());
  double square = 0;
  for (const Length& one : found) square += (one.length - mean) * (one.length - mean);
  const double deviation = std::sqrt(square / static_cast<double>(found.size()));
  double weights = 0, weighted = 0;
  for (const Length& one : found) {
    if (std::abs(one.length - median) > deviation * (1 + 1e-9) + 1e-12 * median) continue;
    weights += one.weight;
    weighted += one.weight * one.length;
  }
  return weights > 0 ? weighted / weights : median;
}

// Faces without a value get the mean of their neighbors, ring after ring.
void fill_unknown(const Adjacency& adjacency, std::vector<float>& values) {
  std::vector<std::int32_t> open;
  for (std::size_t face = 0; face < values.size(); ++face)
    if (values[face] < 0) open.push_back(static_cast<std::int32_t>(face));
  while (!open.empty()) {
    std::vector<std::pair<std::int32_t, float>> found;
    std::vector<std::int32_t> still;
    for (const std::int32_t face : open) {
      double sum = 0;
      int count = 0;
      for (const Neighbor& next : adjacency.of(face)) {
        const float value = values[static_cast<std::size_t>(next.face)];
        if (value < 0) continue;
        sum += static_cast<double>(value);
        ++count;
      }
      if (count > 0) found.emplace_back(face, static_cast<float>(sum / count));
      else still.push_back(face);
    }
    if (found.empty()) break;
    for (const auto& [face, value] : found) values[static_cast<std::size_t>(face)] = value;
    open = std::move(still);
  }
  for (float& value : values) value = std::max(value, 0.0F);
}

void smooth(const Adjacency& adjacency, const Exec& exec, std::vector<float>& values) {
  const std::vector<float> before = values;
  parallel_for(exec, static_cast<std::int64_t>(values.size()), 4096,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto face = static_cast<std::int32_t>(begin); face < end; ++face) {
                   const auto own = static_cast<double>(before[static_cast<std::size_t>(face)]);
                   double sum = own, weights = 1;
                   for (const Neighbor& next : adjacency.of(face)) {
                     const auto other =
                         static_cast<double>(before[static_cast<std::size_t>(next.face)]);
                     const double scale = kSimilar * (own + other) / 2;
                     if (!(scale > 0)) continue;
                     const double off = (own - other) / scale;
                     const double weight = std::exp(-off * off / 2);
                     sum += weight * other;
                     weights += weight;
                   }
                   values[static_cast<std::size_t>(face)] = static_cast<float>(sum / weights);
                 }
               });
}

double diagonal_of(const io::TriangleMesh& mesh) {
  Vector low{}, high{};
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto x = static_cast<double>(mesh.vertices[i][axis]);
      low[axis] = i == 0 ? x : std::min(low[axis], x);
      high[axis] = i == 0 ? x : std::max(high[axis], x);
    }
  return length(high - low);
}

}  // namespace

void describe(OptionVisitor& visit, ShapeDiameterOptions& options) {
  visit("rays", options.rays, "how many rays leave each face to measure the shape diameter", 1,
        1000);
  visit("cone", options.cone, "the opening of the cone of these rays, in degrees", 1, 179);
  visit("smoothing", options.smoothing,
        "how often shape diameters are averaged with similar ones next to them", 0, 100);
}

std::vector<float> shape_diameters(const io::TriangleMesh& mesh,
                                   const ShapeDiameterOptions& options) {
  check_options(options);
  Exec exec = options.exec;
  exec.device = Device::cpu();
  const DualGraph graph = dual_graph_unbent(mesh, exec);
  const RayTree tree(mesh);
  const std::vector<ConeRay> cone = cone_rays(options.rays, options.cone);
  const double least = kTouch * diagonal_of(mesh);
  std::vector<float> result(mesh.faces.size(), kUnknown);
  parallel_for(exec, static_cast<std::int64_t>(result.size()), kFacesAtOnce,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<Length> found;
                 for (auto face = static_cast<std::size_t>(begin);
                      face < static_cast<std::size_t>(end); ++face) {
                   if (!(graph.areas[face] > 0)) continue;
                   const Vector normal = wide(graph.normals[face]);
                   const Vector inward = -1.0 * unit(normal);
                   Vector a, b;
                   frame_around(inward, a, b);
                   found.clear();
                   for (const ConeRay& ray : cone) {
                     const Ray at{wide(graph.centroids[face]),
                                  ray.x * a + ray.y * b + ray.z * inward, least,
                                  static_cast<std::int32_t>(face)};
                     const RayHit hit = tree.first(at);
                     // The far side is met from within; a hit whose normal looks the same way is
                     // outside.
                     if (hit.face < 0 ||
                         dot(wide(graph.normals[static_cast<std::size_t>(hit.face)]), normal) >= 0)
                       continue;
                     found.push_back({hit.distance, ray.weight});
                   }
                   result[face] = static_cast<float>(robust_mean(found));
                 }
               });
  throw_if_stopped(exec);
  const Adjacency adjacency(graph.areas.size(), graph.arcs);
  fill_unknown(adjacency, result);
  for (int round = 0; round < options.smoothing; ++round) smooth(adjacency, exec, result);
  return result;
}

std::vector<float> normalized_diameters(std::span<const float> diameters) {
  constexpr double kCurve = 4;  // the paper's alpha
  std::vector<float> result(diameters.size(), 0);
  if (diameters.empty()) return result;
  const auto [low, high] = std::minmax_element(diameters.begin(), diameters.end());
  const double range = static_cast<double>(*high) - static_cast<double>(*low);
  if (!(range > 0)) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double share = (static_cast<double>(diameters[i]) - static_cast<double>(*low)) / range;
    result[i] = static_cast<float>(std::log(share * kCurve + 1) / std::log(kCurve + 1));
  }
  return result;
}

}  // namespace fovea::mesh
