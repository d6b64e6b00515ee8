// Minimum cuts by the algorithm of Boykov and Kolmogorov (PAMI 2004), as implemented in
// Boost.Graph. The sides are read from the residual graph and not from the algorithm's trees, which
// need not be complete.
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <numeric>

#include "ops/max_flow/backend.h"

namespace fovea::cpu {
namespace {

using CutGraph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;
using CutGraphEdge = boost::graph_traits<CutGraph>::edge_descriptor;

// Residual capacities as a property map. Boost's search has no hook for a request to stop, but it
// writes residual capacities whenever it has found a path, so that this map looks for one then.
class WatchedResiduals {
 public:
  using key_type = CutGraphEdge;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::read_write_property_map_tag;

  // What copies of the map share.
  struct State {
    std::vector<std::int64_t> residual;
    const Exec& exec;
    unsigned writes = 0;
  };
  WatchedResiduals(State& state, const CutGraph& graph) : state_(&state), graph_(&graph) {}

  friend std::int64_t get(const WatchedResiduals& map, const CutGraphEdge& edge) {
    return map.state_->residual[boost::get(boost::edge_index, *map.graph_, edge)];
  }
  friend void put(const WatchedResiduals& map, const CutGraphEdge& edge, std::int64_t residual) {
    constexpr unsigned kWrites = 1U << 12U;  // writes between two looks
    if (++map.state_->writes % kWrites == 0) throw_if_stopped(map.state_->exec);
    map.state_->residual[boost::get(boost::edge_index, *map.graph_, edge)] = residual;
  }

 private:
  State* state_;
  const CutGraph* graph_;
};

// One direction of an arc; its reverse carries the flow back.
struct CutHalf {
  std::int32_t from;
  std::int32_t to;
  std::int64_t capacity;
  std::size_t reverse;
};

// The two directions of every arc, those of terminals included.
std::vector<CutHalf> halves_of(const detail::CutNetwork& network) {
  std::vector<CutHalf> halves;
  halves.reserve(2 * network.edges.size() + 2 * network.from_source.size());
  const auto add = [&](std::int32_t a, std::int32_t b, std::int64_t there, std::int64_t back) {
    if (there == 0 && back == 0) return;
    const std::size_t first = halves.size();
    halves.push_back({a, b, there, first + 1});
    halves.push_back({b, a, back, first});
  };
  for (const detail::CutEdge& edge : network.edges)
    add(edge.a, edge.b, edge.capacity, edge.capacity);
  const std::int32_t source = network.nodes(), sink = source + 1;
  for (std::int32_t node = 0; node < network.nodes(); ++node) {
    add(source, node, network.from_source[static_cast<std::size_t>(node)], 0);
    add(node, sink, network.to_sink[static_cast<std::size_t>(node)], 0);
  }
  return halves;
}

// The graph in Boost's form, with arcs sorted by their start node.
class CutSearch {
 public:
  CutSearch(const detail::CutNetwork& network, const Exec& exec);
  void run();
  // The nodes that the source reaches through arcs that are not full.
  detail::CutSides reached() const;

 private:
  auto vertices() const { return static_cast<std::size_t>(nodes_) + 2; }
  auto source() const { return static_cast<std::uint32_t>(nodes_); }

  std::int32_t nodes_;
  CutGraph graph_;
  std::vector<std::int64_t> capacity_;
  std::vector<CutGraphEdge> reverse_;
  WatchedResiduals::State state_;
};

CutSearch::CutSearch(const detail::CutNetwork& network, const Exec& exec)
    : nodes_(network.nodes()), state_{{}, exec} {
  const std::vector<CutHalf> halves = halves_of(network);
  std::vector<std::size_t> order(halves.size()), place(halves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return halves[a].from < halves[b].from; });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    ends[i] = {static_cast<std::uint32_t>(halves[order[i]].from),
               static_cast<std::uint32_t>(halves[order[i]].to)};
  }
  graph_ = CutGraph(boost::edges_are_sorted, ends.begin(), ends.end(),
                    static_cast<std::uint32_t>(vertices()));
  std::vector<CutGraphEdge> edges(order.size());
  for (auto [edge, end] = boost::edges(graph_); edge != end; ++edge)
    edges[boost::get(boost::edge_index, graph_, *edge)] = *edge;
  capacity_.resize(order.size());
  reverse_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    capacity_[i] = halves[order[i]].capacity;
    reverse_[i] = edges[place[halves[order[i]].reverse]];
  }
  state_.residual.resize(order.size());
}

void CutSearch::run() {
  std::vector<CutGraphEdge> predecessor(vertices());
  std::vector<boost::default_color_type> color(vertices());
  std::vector<std::int64_t> distance(vertices());
  const auto edge_index = boost::get(boost::edge_index, std::as_const(graph_));
  const auto vertex_index = boost::get(boost::vertex_index, std::as_const(graph_));
  const auto of_edges = [&](auto& values) {
    return boost::make_iterator_property_map(values.begin(), edge_index);
  };
  const auto of_vertices = [&](auto& values) {
    return boost::make_iterator_property_map(values.begin(), vertex_index);
  };
  boost::boykov_kolmogorov_max_flow(std::as_const(graph_), of_edges(capacity_),
                                    WatchedResiduals(state_, graph_), of_edges(reverse_),
                                    of_vertices(predecessor), of_vertices(color),
                                    of_vertices(distance), vertex_index, source(), source() + 1);
}

detail::CutSides CutSearch::reached() const {
  detail::CutSides reached(vertices(), 0);
  std::vector<std::uint32_t> front{source()};
  reached[front[0]] = 1;
  while (!front.empty()) {
    const std::uint32_t node = front.back();
    front.pop_back();
    for (auto [edge, end] = boost::out_edges(node, graph_); edge != end; ++edge) {
      const std::uint32_t to = boost::target(*edge, graph_);
      if (reached[to] != 0 || state_.residual[boost::get(boost::edge_index, graph_, *edge)] <= 0)
        continue;
      reached[to] = 1;
      front.push_back(to);
    }
  }
  reached.resize(static_cast<std::size_t>(nodes_));
  return reached;
}

}  // namespace

detail::CutSides source_side(const detail::CutNetwork& network, const Exec& exec) {
  throw_if_stopped(exec);
  CutSearch search(network, exec);
  search.run();
  return search.reached();
}

}  // namespace fovea::cpu
