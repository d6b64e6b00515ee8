// The nearest of some sources by Dijkstra's algorithm, in one search from all of them. A node hands
// on its own nearest source; of several at the same distance, it takes the first.
#include <queue>

#include "ops/shortest_paths/backend.h"

namespace fovea::cpu {
namespace {

struct Front {
  float distance;
  std::int32_t place;
  std::int32_t node;
  bool operator>(const Front& other) const {
    return distance != other.distance ? distance > other.distance : place > other.place;
  }
};

}  // namespace

void nearest(const Graph& graph, std::span<const std::int32_t> sources, const PathOptions& options,
             NearestSource& found) {
  std::priority_queue<Front, std::vector<Front>, std::greater<>> fronts;
  const auto reach = [&](std::int32_t node, float distance, std::int32_t place) {
    const auto n = static_cast<std::size_t>(node);
    const bool nearer =
        distance < found.distance[n] || (distance == found.distance[n] && place < found.source[n]);
    if (!nearer || distance > options.cutoff) return;
    found.distance[n] = distance;
    found.source[n] = place;
    fronts.push({distance, place, node});
  };
  for (std::size_t i = 0; i < sources.size(); ++i)
    reach(sources[i], 0, static_cast<std::int32_t>(i));
  while (!fronts.empty()) {
    const Front front = fronts.top();
    fronts.pop();
    const auto n = static_cast<std::size_t>(front.node);
    if (front.distance != found.distance[n] || front.place != found.source[n]) continue;
    const auto neighbors = graph.neighbors(front.node);
    const auto costs = graph.costs(front.node);
    for (std::size_t i = 0; i < neighbors.size(); ++i)
      reach(neighbors[i], front.distance + costs[i], front.place);
  }
}

}  // namespace fovea::cpu
