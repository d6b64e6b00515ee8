// Minimum cuts by the algorithm of Boykov and Kolmogorov (PAMI 2004), as implemented in
// Boost.Graph. Capacities are converted to whole numbers, because with floats its search may
// augment by rounding errors forever. The sides are read from the residual graph and not from the
// algorithm's trees, which need not be complete.
#include <fovea/core/error.h>
#include <fovea/ops/max_flow.h>

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cmath>
#include <numeric>

namespace fovea {
namespace {

constexpr int kBits = 40;      // bits of the greatest capacity
constexpr int kMustBits = 60;  // bits of the capacity of arcs that must not be cut
constexpr std::int64_t kMust = std::int64_t{1} << kMustBits;

void check(int nodes, std::span<const CutArc> arcs, std::span<const CutTie> ties) {
  if (nodes < 0)
    throw InvalidArgument(fmt::format("minimum_cut: {} nodes; expected 0 or more", nodes));
  const auto check_node = [&](const char* what, std::size_t i, std::int32_t node) {
    if (node < 0 || node >= nodes)
      throw InvalidArgument(fmt::format("minimum_cut: {} {} is of node {}; there are {} nodes",
                                        what, i, node, nodes));
  };
  const auto check_capacity = [&](const char* what, std::size_t i, double capacity) {
    if (!(capacity >= 0) || !std::isfinite(capacity))
      throw InvalidArgument(
          fmt::format("minimum_cut: {} {} has capacity {}; expected a finite number of 0 or more",
                      what, i, capacity));
  };
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    check_node("arc", i, arcs[i].a);
    check_node("arc", i, arcs[i].b);
    check_capacity("arc", i, arcs[i].capacity);
  }
  for (std::size_t i = 0; i < ties.size(); ++i) {
    check_node("tie", i, ties[i].node);
    check_capacity("tie", i, ties[i].to_source);
    check_capacity("tie", i, ties[i].to_sink);
  }
}

// One direction of an arc; its reverse carries the flow back.
struct Half {
  std::int32_t from;
  std::int32_t to;
  std::int64_t capacity;
  std::size_t reverse;
};

class Network {
 public:
  Network(int nodes, std::span<const CutArc> arcs, std::span<const CutTie> ties);
  std::vector<bool> solve();

 private:
  std::int64_t whole(double capacity) const { return std::llround(capacity * scale_); }
  void add(std::int32_t a, std::int32_t b, std::int64_t there, std::int64_t back) {
    if (there == 0 && back == 0) return;
    const std::size_t first = halves_.size();
    halves_.push_back({a, b, there, first + 1});
    halves_.push_back({b, a, back, first});
  }
  std::int32_t source() const { return nodes_; }
  std::int32_t sink() const { return nodes_ + 1; }

  int nodes_;
  double scale_ = 1;
  std::vector<Half> halves_;
};

Network::Network(int nodes, std::span<const CutArc> arcs, std::span<const CutTie> ties)
    : nodes_(nodes) {
  double greatest = 0, count = 2;
  const auto see = [&](double capacity) {
    greatest = std::max(greatest, capacity);
    ++count;
  };
  for (const CutArc& arc : arcs) see(arc.capacity);
  for (const CutTie& tie : ties)
    for (const double capacity : {tie.to_source, tie.to_sink})
      if (capacity < kMustTie) see(capacity);
  // The sum of all capacities stays below the capacity of arcs that must not be cut.
  const int room = kMustBits - static_cast<int>(std::ceil(std::log2(count)));
  if (greatest > 0) scale_ = std::ldexp(1 / greatest, std::min(kBits, room));
  for (const CutArc& arc : arcs)
    if (arc.a != arc.b) add(arc.a, arc.b, whole(arc.capacity), whole(arc.capacity));
  std::vector<std::int64_t> to_source(static_cast<std::size_t>(nodes), 0), to_sink(to_source);
  const auto sum = [&](std::int64_t& all, double capacity) {
    all = capacity >= kMustTie ? kMust : std::min(kMust, all + whole(capacity));
  };
  for (const CutTie& tie : ties) {
    sum(to_source[static_cast<std::size_t>(tie.node)], tie.to_source);
    sum(to_sink[static_cast<std::size_t>(tie.node)], tie.to_sink);
  }
  for (std::int32_t node = 0; node < nodes; ++node) {
    // The smaller of a node's two capacities is cut in any case, so both are reduced by it.
    const std::int64_t both = std::min(to_source[static_cast<std::size_t>(node)],
                                       to_sink[static_cast<std::size_t>(node)]);
    add(source(), node, to_source[static_cast<std::size_t>(node)] - both, 0);
    add(node, sink(), to_sink[static_cast<std::size_t>(node)] - both, 0);
  }
}

std::vector<bool> Network::solve() {
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::uint32_t>;
  using Edge = boost::graph_traits<Graph>::edge_descriptor;
  const auto vertices = static_cast<std::size_t>(nodes_) + 2;
  // Boost's graph keeps arcs sorted by their start node.
  std::vector<std::size_t> order(halves_.size()), place(halves_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return halves_[a].from < halves_[b].from; });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    ends[i] = {static_cast<std::uint32_t>(halves_[order[i]].from),
               static_cast<std::uint32_t>(halves_[order[i]].to)};
  }
  const Graph graph(boost::edges_are_sorted, ends.begin(), ends.end(),
                    static_cast<std::uint32_t>(vertices));
  std::vector<std::int64_t> capacity(order.size()), residual(order.size());
  std::vector<Edge> edges(order.size()), reverse(order.size());
  for (auto [edge, end] = boost::edges(graph); edge != end; ++edge)
    edges[boost::get(boost::edge_index, graph, *edge)] = *edge;
  for (std::size_t i = 0; i < order.size(); ++i) {
    capacity[i] = halves_[order[i]].capacity;
    reverse[i] = edges[place[halves_[order[i]].reverse]];
  }
  std::vector<Edge> predecessor(vertices);
  std::vector<boost::default_color_type> color(vertices);
  std::vector<std::int64_t> distance(vertices);
  const auto edge_index = boost::get(boost::edge_index, graph);
  const auto vertex_index = boost::get(boost::vertex_index, graph);
  const auto of_edges = [&](auto& values) {
    return boost::make_iterator_property_map(values.begin(), edge_index);
  };
  const auto of_vertices = [&](auto& values) {
    return boost::make_iterator_property_map(values.begin(), vertex_index);
  };
  boost::boykov_kolmogorov_max_flow(
      graph, of_edges(capacity), of_edges(residual), of_edges(reverse), of_vertices(predecessor),
      of_vertices(color), of_vertices(distance), vertex_index, static_cast<std::uint32_t>(source()),
      static_cast<std::uint32_t>(sink()));

  std::vector<bool> reached(vertices, false);
  std::vector<std::uint32_t> front{static_cast<std::uint32_t>(source())};
  reached[front[0]] = true;
  while (!front.empty()) {
    const std::uint32_t node = front.back();
    front.pop_back();
    for (auto [edge, end] = boost::out_edges(node, graph); edge != end; ++edge) {
      const std::uint32_t to = boost::target(*edge, graph);
      if (reached[to] || residual[boost::get(boost::edge_index, graph, *edge)] <= 0) continue;
      reached[to] = true;
      front.push_back(to);
    }
  }
  reached.resize(static_cast<std::size_t>(nodes_));
  return reached;
}

}  // namespace

MinimumCut minimum_cut(int nodes, std::span<const CutArc> arcs, std::span<const CutTie> ties) {
  check(nodes, arcs, ties);
  MinimumCut cut;
  cut.source_side = Network(nodes, arcs, ties).solve();
  const auto side = [&](std::int32_t node) {
    return cut.source_side[static_cast<std::size_t>(node)];
  };
  for (const CutArc& arc : arcs)
    if (side(arc.a) != side(arc.b)) cut.value += arc.capacity;
  for (const CutTie& tie : ties) cut.value += side(tie.node) ? tie.to_sink : tie.to_source;
  return cut;
}

}  // namespace fovea
