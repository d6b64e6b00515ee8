// Seeds are placed in rounds: faces that are farther from all seeds than their neighbors, and far
// from each other, become seeds until there are enough. A round is a few sweeps over all faces,
// which suit a GPU; placing one seed after the other would take hundreds.
#include "mesh/divide/superfaces.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/dispatch.h"
#include "mesh/divide/patch_engine.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh {
namespace {

// One in this many seeds, the first ones, are spread by straight distances, which is much cheaper:
// each of the first seeds would reach the whole mesh.
constexpr int kSeedsInSpace = 24;
// A round takes peaks with at least this share of the greatest distance, whose distance from each
// other is at least kApart times their own.
constexpr float kPeakShare = 0.7F;
constexpr float kApart = 0.9F;
constexpr double kLengthShare = 0.6;
constexpr float kConvexShare = 0.2F;
// A step is never free, so that no path is endless.
constexpr float kLeastCost = 1e-5F;

// A step costs its length and its bend, or the caller's cost in place of the bend. Sets `by_length`
// to the cost of a unit of length.
std::vector<float> patch_costs(const Part& part, double& by_length) {
  const DualGraph& graph = part.graph;
  const auto bend = [&](std::size_t i) {
    const DualArc& arc = graph.arcs[i];
    if (part.own_costs) return static_cast<double>(part.costs[i]);
    return static_cast<double>(arc.concave ? arc.angle : kConvexShare * arc.angle);
  };
  double lengths = 0;
  double bends = 0;
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    lengths += static_cast<double>(graph.arcs[i].geodesic);
    bends += bend(i);
  }
  const auto count = static_cast<double>(graph.arcs.size());
  by_length = lengths > 0 ? kLengthShare * count / lengths : 0;
  const double by_bend = bends > 1e-6 * count ? (1 - kLengthShare) * count / bends : 0;
  std::vector<float> costs(graph.arcs.size());
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] = static_cast<float>(by_length * static_cast<double>(graph.arcs[i].geodesic) +
                                  by_bend * bend(i)) +
               kLeastCost;
  return costs;
}

PatchSteps patch_steps(const Part& part, const std::vector<float>& costs) {
  PatchSteps result;
  result.first.reserve(part.faces() + 1);
  result.steps.reserve(2 * costs.size());
  for (std::size_t face = 0; face < part.faces(); ++face) {
    for (const Neighbor& next : part.adjacency.of(static_cast<std::int32_t>(face))) {
      const auto arc = static_cast<std::size_t>(next.arc);
      result.steps.push_back({next.face, costs[arc], part.costs[arc] + kLeastCost});
    }
    result.first.push_back(static_cast<std::int32_t>(result.steps.size()));
  }
  return result;
}

// Returns the peaks that are far from each other, beginning with those farthest from all seeds. The
// straight distance, which is quick to compute, is never longer than the distance along the mesh.
std::vector<std::int32_t> apart(std::vector<PatchPeak> peaks, const DualGraph& graph, float scale,
                                std::size_t most) {
  std::ranges::sort(peaks, [](const PatchPeak& a, const PatchPeak& b) {
    return std::tie(b.far, a.face) < std::tie(a.far, b.face);
  });
  std::vector<std::int32_t> taken;
  for (const PatchPeak& peak : peaks) {
    if (taken.size() == most) break;
    const std::array<float, 3>& here = graph.centroids[static_cast<std::size_t>(peak.face)];
    const float reach = kApart * peak.far;
    const bool free = std::ranges::all_of(taken, [&](std::int32_t face) {
      const std::array<float, 3>& there = graph.centroids[static_cast<std::size_t>(face)];
      const float off = squared_length(there[0] - here[0], there[1] - here[1], there[2] - here[2]);
      return scale * off >= reach * reach;
    });
    if (free) taken.push_back(peak.face);
  }
  return taken;
}

}  // namespace

Superfaces make_superfaces(const Part& part, int count, const Exec& exec) {
  double by_length = 0;
  const std::vector<float> costs = patch_costs(part, by_length);
  const PatchSteps steps = patch_steps(part, costs);
  const std::unique_ptr<PatchEngine> engine = detail::on_cuda(exec)
                                                  ? cuda::make_patch_engine(steps, exec)
                                                  : cpu::make_patch_engine(steps, exec);
  Superfaces result;
  std::vector<std::int32_t> fresh =
      engine->spread_in_space(part.graph.centroids, std::max(1, count / kSeedsInSpace));
  for (;;) {
    engine->add(fresh);
    result.seeds.insert(result.seeds.end(), fresh.begin(), fresh.end());
    if (result.count() >= count) break;
    fresh = apart(engine->peaks(kPeakShare), part.graph, static_cast<float>(by_length * by_length),
                  static_cast<std::size_t>(count - result.count()));
  }
  engine->finish(result.of, result.inner);
  return result;
}

void join_links(Network& network) {
  std::stable_sort(network.links.begin(), network.links.end(),
                   [](const Conductance& x, const Conductance& y) {
                     return std::pair(x.a, x.b) < std::pair(y.a, y.b);
                   });
  std::size_t kept = 0;
  for (const Conductance& link : network.links) {
    if (kept > 0 && network.links[kept - 1].a == link.a && network.links[kept - 1].b == link.b)
      network.links[kept - 1].value += link.value;
    else network.links[kept++] = link;
  }
  network.links.resize(kept);
}

Network make_network(const Part& part, const Superfaces& superfaces) {
  const DualGraph& graph = part.graph;
  const std::vector<float>& inner = superfaces.inner;
  Network network;
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    const DualArc& arc = graph.arcs[i];
    const auto a = static_cast<std::size_t>(arc.a);
    const auto b = static_cast<std::size_t>(arc.b);
    const auto [low, high] = std::minmax(superfaces.of[a], superfaces.of[b]);
    if (low == high) continue;
    const double resistance = static_cast<double>(inner[a]) + static_cast<double>(inner[b]) +
                              static_cast<double>(part.costs[i] + kLeastCost);
    network.links.push_back({low, high, static_cast<double>(arc.edge) / resistance});
  }
  join_links(network);

  network.masses.assign(superfaces.seeds.size(), 0);
  double area = 0;
  for (std::size_t face = 0; face < graph.areas.size(); ++face) {
    network.masses[static_cast<std::size_t>(superfaces.of[face])] +=
        static_cast<double>(graph.areas[face]);
    area += static_cast<double>(graph.areas[face]);
  }
  // Superfaces without area get a very small mass.
  const double mean = area > 0 ? area / superfaces.count() : 1;
  for (double& mass : network.masses) mass = std::max(1e-6, mass / mean);
  return network;
}

}  // namespace fovea::mesh
