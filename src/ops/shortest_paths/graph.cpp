// Graphs as lists of neighbors, and half a matrix of distances.
#include <fovea/core/error.h>
#include <fovea/ops/shortest_paths.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

void check(int nodes, std::span<const GraphArc> arcs) {
  if (nodes < 0) throw InvalidArgument(fmt::format("Graph: {} nodes; expected 0 or more", nodes));
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const GraphArc& arc = arcs[i];
    for (const std::int32_t node : {arc.a, arc.b})
      if (node < 0 || node >= nodes)
        throw InvalidArgument(
            fmt::format("Graph: arc {} ends at node {}; there are {} nodes", i, node, nodes));
    if (!(arc.cost >= 0) || !std::isfinite(arc.cost))
      throw InvalidArgument(fmt::format(
          "Graph: arc {} costs {}; expected a finite number of 0 or more", i, arc.cost));
  }
}

struct End {
  std::int32_t node;
  float cost;
};

}  // namespace

Graph::Graph(int nodes, std::span<const GraphArc> arcs) : Graph(nodes, arcs, false) {}

Graph directed_graph(int nodes, std::span<const GraphArc> arcs) { return {nodes, arcs, true}; }

Graph::Graph(int nodes, std::span<const GraphArc> arcs, bool directed)
    : nodes_(nodes), directed_(directed) {
  check(nodes, arcs);
  std::vector<std::int64_t> first(static_cast<std::size_t>(nodes) + 1, 0);
  for (const GraphArc& arc : arcs) {
    if (arc.a == arc.b) continue;
    ++first[static_cast<std::size_t>(arc.a) + 1];
    if (!directed) ++first[static_cast<std::size_t>(arc.b) + 1];
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<End> ends(static_cast<std::size_t>(first.back()));
  std::vector<std::int64_t> next(first.begin(), first.end() - 1);
  for (const GraphArc& arc : arcs) {
    if (arc.a == arc.b) continue;
    const float cost = arc.cost + 0.F;  // turns minus zero into zero
    ends[static_cast<std::size_t>(next[static_cast<std::size_t>(arc.a)]++)] = {arc.b, cost};
    if (!directed)
      ends[static_cast<std::size_t>(next[static_cast<std::size_t>(arc.b)]++)] = {arc.a, cost};
  }
  first_.assign(1, 0);
  first_.reserve(first.size());
  neighbors_.reserve(ends.size());
  costs_.reserve(ends.size());
  for (std::size_t node = 0; node + 1 < first.size(); ++node) {
    const auto begin = ends.begin() + first[node], end = ends.begin() + first[node + 1];
    std::sort(begin, end, [](const End& a, const End& b) {
      return a.node != b.node ? a.node < b.node : a.cost < b.cost;
    });
    for (auto at = begin; at != end; ++at) {
      if (at != begin && at->node == (at - 1)->node) continue;  // the cheapest arc came first
      neighbors_.push_back(at->node);
      costs_.push_back(at->cost);
    }
    first_.push_back(static_cast<std::int64_t>(neighbors_.size()));
  }
}

DistanceMatrix::DistanceMatrix(int nodes) : nodes_(nodes) {
  if (nodes < 0)
    throw InvalidArgument(fmt::format("DistanceMatrix: {} nodes; expected 0 or more", nodes));
  const auto count = static_cast<std::size_t>(nodes);
  values_ = Array<float>(count * (count + 1) / 2);
}

void DistanceMatrix::row(int node, std::span<float> to) const {
  if (node < 0 || node >= nodes_ || to.size() != static_cast<std::size_t>(nodes_))
    throw InvalidArgument(fmt::format("DistanceMatrix: row {} into {} numbers; there are {} nodes",
                                      node, to.size(), nodes_));
  std::copy_n(values_.data() + index(node, 0), node + 1, to.begin());
  for (int b = node + 1; b < nodes_; ++b) to[static_cast<std::size_t>(b)] = at(b, node);
}

}  // namespace fovea
