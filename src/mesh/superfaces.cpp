#include "mesh/superfaces.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace fovea::mesh {
namespace {

using Waiting = std::pair<float, std::int32_t>;
using NearestFirst = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;
using LargestFirst = std::priority_queue<Waiting, std::vector<Waiting>, std::less<>>;

// One in so many seeds, the first ones, are spread in space, which is much cheaper: each of the
// first seeds would reach the whole mesh.
constexpr int kSeedsInSpace = 24;
constexpr double kLengthShare = 0.6;
constexpr float kConvexShare = 0.2F;
// A step is never free, so that every path has an end.
constexpr float kLeastCost = 1e-5F;

std::vector<float> patch_costs(const DualGraph& graph) {
  const auto bend = [](const DualArc& arc) {
    return static_cast<double>(arc.concave ? arc.angle : kConvexShare * arc.angle);
  };
  double lengths = 0;
  double bends = 0;
  for (const DualArc& arc : graph.arcs) {
    lengths += static_cast<double>(arc.geodesic);
    bends += bend(arc);
  }
  const auto count = static_cast<double>(graph.arcs.size());
  const double by_length = lengths > 0 ? kLengthShare * count / lengths : 0;
  const double by_bend = bends > 1e-6 * count ? (1 - kLengthShare) * count / bends : 0;
  std::vector<float> costs(graph.arcs.size());
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] = static_cast<float>(by_length * static_cast<double>(graph.arcs[i].geodesic) +
                                  by_bend * bend(graph.arcs[i])) +
               kLeastCost;
  return costs;
}

// Faces each farthest from those before it, through the air; the first is farthest from face 0.
std::vector<std::int32_t> spread_in_space(const std::vector<std::array<float, 3>>& points,
                                          int count) {
  const auto squared = [&](std::size_t a, std::size_t b) {
    float sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float off = points[a][axis] - points[b][axis];
      sum += off * off;
    }
    return sum;
  };
  std::vector<float> nearest(points.size(), std::numeric_limits<float>::infinity());
  std::vector<std::int32_t> seeds;
  std::size_t latest = 0;
  for (int i = 0; i <= count; ++i) {
    std::size_t farthest = 0;
    for (std::size_t face = 0; face < points.size(); ++face) {
      nearest[face] = std::min(nearest[face], squared(face, latest));
      if (nearest[face] > nearest[farthest]) farthest = face;
    }
    if (i == 0) std::fill(nearest.begin(), nearest.end(), std::numeric_limits<float>::infinity());
    // Where all lie at places that are taken, the rest is up to the search along the mesh.
    if (i > 1 && !(nearest[farthest] > 0)) break;
    if (i > 0) seeds.push_back(static_cast<std::int32_t>(latest));
    latest = farthest;
  }
  return seeds;
}

// Distances to the seeds so far; a new seed touches only what it is nearest to.
class FarthestFirst {
 public:
  FarthestFirst(const Adjacency& adjacency, const std::vector<float>& costs, std::size_t faces)
      : adjacency_(adjacency),
        costs_(costs),
        distance_(faces, std::numeric_limits<float>::infinity()),
        of_(faces, -1) {}

  void start(const std::vector<std::int32_t>& seeds) {
    heap_.clear();
    for (std::size_t i = 0; i < seeds.size(); ++i) put(seeds[i], static_cast<std::int32_t>(i));
    spread();
  }
  void add(std::int32_t seed, std::int32_t number) {
    heap_.clear();
    put(seed, number);
    spread();
  }

  // Distances only fall: what the queue says of a face is right or too much.
  std::int32_t farthest() {
    if (queue_.empty()) {
      std::vector<Waiting> all(distance_.size());
      for (std::size_t face = 0; face < all.size(); ++face)
        all[face] = {distance_[face], -static_cast<std::int32_t>(face)};
      queue_ = LargestFirst(std::less<>(), std::move(all));
    }
    for (;;) {
      const auto [far, negative] = queue_.top();
      const float now = distance_[static_cast<std::size_t>(-negative)];
      if (now == far) return -negative;
      queue_.pop();
      queue_.emplace(now, negative);
    }
  }
  std::vector<std::int32_t> take() { return std::move(of_); }

 private:
  void put(std::int32_t seed, std::int32_t number) {
    distance_[static_cast<std::size_t>(seed)] = 0;
    of_[static_cast<std::size_t>(seed)] = number;
    heap_.emplace_back(0.0F, seed);
  }
  void spread() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const auto [far, face] = heap_.back();
      heap_.pop_back();
      if (far > distance_[static_cast<std::size_t>(face)]) continue;
      for (const Neighbour& next : adjacency_.of(face)) {
        const auto at = static_cast<std::size_t>(next.face);
        const float there = far + costs_[static_cast<std::size_t>(next.arc)];
        if (there >= distance_[at]) continue;
        distance_[at] = there;
        of_[at] = of_[static_cast<std::size_t>(face)];
        heap_.emplace_back(there, next.face);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      }
    }
  }

  const Adjacency& adjacency_;
  const std::vector<float>& costs_;
  std::vector<float> distance_;
  std::vector<std::int32_t> of_;
  std::vector<Waiting> heap_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::less<>>
      queue_;  // the lower face first among equals
};

// What it takes to get to each face from its superface's seed, without leaving that.
std::vector<float> inner_costs(const Adjacency& adjacency, const std::vector<float>& costs,
                               const Superfaces& superfaces) {
  std::vector<float> inner(superfaces.of.size(), std::numeric_limits<float>::infinity());
  NearestFirst queue;
  for (const std::int32_t seed : superfaces.seeds) {
    inner[static_cast<std::size_t>(seed)] = 0;
    queue.emplace(0.0F, seed);
    while (!queue.empty()) {
      const auto [far, face] = queue.top();
      queue.pop();
      if (far > inner[static_cast<std::size_t>(face)]) continue;
      for (const Neighbour& next : adjacency.of(face)) {
        const auto at = static_cast<std::size_t>(next.face);
        if (superfaces.of[at] != superfaces.of[static_cast<std::size_t>(face)]) continue;
        const float there = far + costs[static_cast<std::size_t>(next.arc)] + kLeastCost;
        if (there >= inner[at]) continue;
        inner[at] = there;
        queue.emplace(there, next.face);
      }
    }
  }
  return inner;
}

}  // namespace

Superfaces make_superfaces(const DualGraph& graph, const Adjacency& adjacency, int count) {
  const std::vector<float> costs = patch_costs(graph);
  Superfaces result;
  result.seeds = spread_in_space(graph.centroids, std::max(1, count / kSeedsInSpace));
  FarthestFirst search(adjacency, costs, graph.areas.size());
  search.start(result.seeds);
  while (result.count() < count) {
    result.seeds.push_back(search.farthest());
    search.add(result.seeds.back(), result.count() - 1);
  }
  result.of = search.take();
  return result;
}

Network make_network(const DualGraph& graph, const Adjacency& adjacency,
                     const std::vector<float>& costs, const Superfaces& superfaces) {
  const std::vector<float> inner = inner_costs(adjacency, costs, superfaces);
  Network network;
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    const DualArc& arc = graph.arcs[i];
    const auto a = static_cast<std::size_t>(arc.a);
    const auto b = static_cast<std::size_t>(arc.b);
    const auto [low, high] = std::minmax(superfaces.of[a], superfaces.of[b]);
    if (low == high) continue;
    const double resistance = static_cast<double>(inner[a]) + static_cast<double>(inner[b]) +
                              static_cast<double>(costs[i] + kLeastCost);
    network.links.push_back({low, high, static_cast<double>(arc.edge) / resistance});
  }
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

  network.masses.assign(superfaces.seeds.size(), 0);
  double area = 0;
  for (std::size_t face = 0; face < graph.areas.size(); ++face) {
    network.masses[static_cast<std::size_t>(superfaces.of[face])] +=
        static_cast<double>(graph.areas[face]);
    area += static_cast<double>(graph.areas[face]);
  }
  // Superfaces without area weigh next to nothing.
  const double mean = area > 0 ? area / superfaces.count() : 1;
  for (double& mass : network.masses) mass = std::max(mass / mean, 1e-6);
  return network;
}

}  // namespace fovea::mesh
