// The textbook's minimum cut: shortest augmenting paths (Edmonds and Karp 1972) over a matrix of
// capacities, and the nodes that the source still reaches.
#pragma once
#include <fovea/ops/max_flow.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fovea::reference {

struct WholeCut {
  std::vector<bool> source_side;  // the fewest nodes of all cheapest cuts
  std::int64_t flow = 0;
};

// Capacities must be whole numbers. A tie that must hold counts as 10^15.
inline WholeCut minimum_cut(const CutProblem& problem) {
  const auto nodes = static_cast<std::size_t>(problem.nodes), source = nodes, sink = nodes + 1;
  std::vector<std::vector<std::int64_t>> residual(nodes + 2,
                                                  std::vector<std::int64_t>(nodes + 2, 0));
  const auto whole = [](double capacity) {
    return static_cast<std::int64_t>(std::min(capacity, 1e15));
  };
  const auto at = [](std::int32_t node) { return static_cast<std::size_t>(node); };
  for (const CutArc& arc : problem.arcs) {
    if (arc.a == arc.b) continue;
    residual[at(arc.a)][at(arc.b)] += whole(arc.capacity);
    residual[at(arc.b)][at(arc.a)] += whole(arc.capacity);
  }
  for (const CutTie& tie : problem.ties) {
    residual[source][at(tie.node)] += whole(tie.to_source);
    residual[at(tie.node)][sink] += whole(tie.to_sink);
  }
  WholeCut cut;
  for (;;) {
    constexpr auto kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> before(nodes + 2, kNone), queue{source};
    before[source] = source;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (std::size_t next = 0; next < nodes + 2; ++next)
        if (before[next] == kNone && residual[queue[i]][next] > 0) {
          before[next] = queue[i];
          queue.push_back(next);
        }
    if (before[sink] == kNone) {
      for (std::size_t node = 0; node < nodes; ++node)
        cut.source_side.push_back(before[node] != kNone);
      return cut;
    }
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (std::size_t node = sink; node != source; node = before[node])
      most = std::min(most, residual[before[node]][node]);
    for (std::size_t node = sink; node != source; node = before[node]) {
      residual[before[node]][node] -= most;
      residual[node][before[node]] += most;
    }
    cut.flow += most;
  }
}

}  // namespace fovea::reference
