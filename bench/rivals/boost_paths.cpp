// Boost's dijkstra_shortest_paths from every node of a compressed graph, its fastest form here,
// with the nodes distributed over threads. It discards the distances of each source, which ours
// keeps.
#include "rivals/boost_paths.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace {

struct Arc {
  float cost;
};
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Arc,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;

class Paths {
 public:
  // One node out of `every` is a source.
  Paths(const FoveaRivalGraph& given, int threads, int every)
      : nodes_(static_cast<std::uint32_t>(given.nodes)), threads_(threads), every_(every) {
    struct End {
      std::uint32_t from, to;
      float cost;
    };
    std::vector<End> ends;
    for (int i = 0; i < given.arc_count; ++i) {
      const FoveaRivalArc& arc = given.arcs[i];
      const auto a = static_cast<std::uint32_t>(arc.from), b = static_cast<std::uint32_t>(arc.to);
      ends.push_back({a, b, arc.cost});
      ends.push_back({b, a, arc.cost});
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [](const End& a, const End& b) { return a.from < b.from; });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<Arc> arcs;
    for (const End& end : ends) {
      pairs.emplace_back(end.from, end.to);
      arcs.push_back({end.cost});
    }
    graph_ = Graph(boost::edges_are_sorted, pairs.begin(), pairs.end(), arcs.begin(), nodes_);
  }

  void run() {
    std::vector<std::thread> others;
    for (int t = 1; t < threads_; ++t) others.emplace_back([this, t] { share(t); });
    share(0);
    for (std::thread& other : others) other.join();
  }

 private:
  void share(int thread) {
    std::vector<float> distance(nodes_);
    std::vector<std::uint32_t> before(nodes_);
    const auto step = static_cast<std::uint32_t>(every_ * threads_);
    for (auto source = static_cast<std::uint32_t>(every_ * thread); source < nodes_; source += step)
      boost::dijkstra_shortest_paths(
          graph_, source,
          boost::weight_map(boost::get(&Arc::cost, graph_))
              .distance_map(boost::make_iterator_property_map(
                  distance.begin(), boost::get(boost::vertex_index, graph_)))
              .predecessor_map(boost::make_iterator_property_map(
                  before.begin(), boost::get(boost::vertex_index, graph_))));
  }

  std::uint32_t nodes_;
  int threads_;
  int every_;
  Graph graph_{};
};

FoveaRivalWork prepared(const FoveaRivalShape* shape, int threads, int every) {
  if (shape->graph == nullptr) return {};
  FoveaRivalWork work{};
  work.state = std::make_unique<Paths>(*shape->graph, threads, every).release();
  work.run = [](void* state) { static_cast<Paths*>(state)->run(); };
  work.end = [](void* state) { delete static_cast<Paths*>(state); };
  return work;
}

}  // namespace

FoveaRivalWork fovea_boost_paths(const FoveaRivalShape* shape, int threads) {
  return prepared(shape, threads, 1);
}
FoveaRivalWork fovea_boost_sampled_paths(const FoveaRivalShape* shape, int threads) {
  return prepared(shape, threads, 64);
}
