#include "mesh/normals.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "mesh/vector.h"

namespace fovea::mesh {
namespace {

constexpr std::int64_t kFacesAtOnce = 16384;

// Areas as shares of their mean, so that squares neither vanish nor overflow.
std::vector<float> area_shares(const std::vector<float>& areas) {
  double sum = 0;
  for (const float area : areas) sum += static_cast<double>(area);
  const double by = sum > 0 ? static_cast<double>(areas.size()) / sum : 1;
  std::vector<float> shares(areas.size());
  std::transform(areas.begin(), areas.end(), shares.begin(),
                 [&](float area) { return static_cast<float>(by * static_cast<double>(area)); });
  return shares;
}

}  // namespace

std::vector<std::array<float, 3>> smoothed_normals(const DualGraph& graph,
                                                   const Adjacency& adjacency, double rounds,
                                                   const Exec& exec) {
  const auto faces = static_cast<std::int64_t>(graph.areas.size());
  const std::vector<float> shares = area_shares(graph.areas);
  std::vector<std::array<float, 3>> normals = graph.normals;
  std::vector<std::array<float, 3>> weighted(normals.size());
  for (double left = rounds; left > 1e-6; left -= 1) {
    const auto part = static_cast<float>(std::min(left, 1.0));
    for (std::size_t face = 0; face < normals.size(); ++face)
      for (std::size_t axis = 0; axis < 3; ++axis)
        weighted[face][axis] = shares[face] * normals[face][axis];
    parallel_for(exec, faces, kFacesAtOnce, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto face = static_cast<std::size_t>(i);
        float x = 0;
        float y = 0;
        float z = 0;
        for (const Neighbour& next : adjacency.of(static_cast<std::int32_t>(i))) {
          const std::array<float, 3>& other = weighted[static_cast<std::size_t>(next.face)];
          x += other[0];
          y += other[1];
          z += other[2];
        }
        x = weighted[face][0] + part * x;
        y = weighted[face][1] + part * y;
        z = weighted[face][2] + part * z;
        const float size = std::sqrt(x * x + y * y + z * z);
        if (size > 0) normals[face] = {x / size, y / size, z / size};
      }
    });
  }
  return normals;
}

void measure_angles(DualGraph& graph, const Exec& exec) {
  const auto arcs = static_cast<std::int64_t>(graph.arcs.size());
  parallel_for(exec, arcs, kFacesAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      DualArc& arc = graph.arcs[static_cast<std::size_t>(i)];
      const auto a = static_cast<std::size_t>(arc.a);
      const auto b = static_cast<std::size_t>(arc.b);
      arc.angle = 0;
      arc.concave = false;
      if (!(graph.areas[a] > 0) || !(graph.areas[b] > 0)) continue;
      const Vector na = wide(graph.normals[a]);
      const Vector nb = wide(graph.normals[b]);
      arc.angle = static_cast<float>(std::atan2(length(cross(na, nb)), dot(na, nb)));
      arc.concave = dot(wide(graph.centroids[b]) - wide(graph.centroids[a]), nb - na) < 0;
    }
  });
}

}  // namespace fovea::mesh
