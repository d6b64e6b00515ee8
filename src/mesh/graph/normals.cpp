#include "mesh/graph/normals.h"

#include <algorithm>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh {
namespace {

constexpr std::int64_t kNormalsPerTask = 4096;  // faces or arcs

Direction direction(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

std::vector<float> area_shares(const std::vector<float>& areas) {
  double sum = 0;
  for (const float area : areas) sum += static_cast<double>(area);
  const double by = sum > 0 ? static_cast<double>(areas.size()) / sum : 1;
  std::vector<float> shares(areas.size());
  std::transform(areas.begin(), areas.end(), shares.begin(),
                 [&](float area) { return static_cast<float>(by * static_cast<double>(area)); });
  return shares;
}

void measure(DualArc& arc, const DualGraph& graph) {
  const auto a = static_cast<std::size_t>(arc.a);
  const auto b = static_cast<std::size_t>(arc.b);
  Bend bend;
  if (graph.areas[a] > 0 && graph.areas[b] > 0)
    bend = bend_between(
        direction(graph.normals[a]), direction(graph.normals[b]),
        added(direction(graph.centroids[b]), weighted(-1, direction(graph.centroids[a]))));
  arc.angle = bend.angle;
  arc.concave = bend.concave;
}

}  // namespace

std::vector<float> smoothing_shares(double rounds) {
  std::vector<float> shares;
  for (double left = rounds; left > 1e-6; left -= 1)
    shares.push_back(static_cast<float>(std::min(left, 1.0)));
  return shares;
}

void smooth_and_measure(DualGraph& graph, const Adjacency& adjacency, double rounds,
                        const Exec& exec) {
  const std::vector<float> shares = area_shares(graph.areas);
  if (detail::on_cuda(exec)) cuda::smooth_and_measure(graph, adjacency, shares, rounds, exec);
  else cpu::smooth_and_measure(graph, adjacency, shares, rounds, exec);
}

void cpu::smooth_and_measure(DualGraph& graph, const Adjacency& adjacency,
                             std::span<const float> shares, double rounds, const Exec& exec) {
  const auto faces = static_cast<std::int64_t>(shares.size());
  std::vector<Direction> from(shares.size());  // normals times areas
  std::vector<Direction> to(shares.size());
  for (std::size_t face = 0; face < from.size(); ++face)
    from[face] = weighted(shares[face], direction(graph.normals[face]));
  for (const float share : smoothing_shares(rounds)) {
    parallel_for(exec, faces, kNormalsPerTask, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto face = static_cast<std::size_t>(i);
        Direction around;
        for (const Neighbor& next : adjacency.of(static_cast<std::int32_t>(i)))
          around = added(around, from[static_cast<std::size_t>(next.face)]);
        std::array<float, 3>& normal = graph.normals[face];
        const Direction now = smoothed(from[face], around, share, direction(normal));
        normal = {now.x, now.y, now.z};
        to[face] = weighted(shares[face], now);
      }
    });
    std::swap(from, to);
  }
  parallel_for(exec, static_cast<std::int64_t>(graph.arcs.size()), kNormalsPerTask,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i)
                   measure(graph.arcs[static_cast<std::size_t>(i)], graph);
               });
}

}  // namespace fovea::mesh
