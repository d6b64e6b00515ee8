// LEMON's network simplex in its fastest setting here: graph and solver are made once per ground
// distance, masses are 64-bit integers, and the pivot rule is the best one for graphs this small.
#include "rivals/lemon.h"

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

using Graph = lemon::SmartDigraph;
using Simplex = lemon::NetworkSimplex<Graph, long, long>;

class Transport {
 public:
  explicit Transport(const FoveaRivalShape& shape)
      : rows_(shape.width),
        columns_(shape.to_width > 0 ? shape.to_width : rows_),
        problems_(shape.height),
        first_(shape.pixels, shape.pixels + rows_ * problems_),
        second_(shape.second, shape.second + columns_ * problems_),
        found_(static_cast<std::size_t>(problems_)) {
    for (int i = 0; i < rows_ + columns_; ++i) graph_.addNode();
    supply_ = std::make_unique<Graph::NodeMap<long>>(graph_);
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) graph_.addArc(Graph::nodeFromId(i), column(j));
    Graph::ArcMap<long> costs(graph_);
    for (int k = 0; k < rows_ * columns_; ++k)
      costs[Graph::arcFromId(k)] = static_cast<long>(shape.ground[k]);
    simplex_ = std::make_unique<Simplex>(graph_);
    simplex_->costMap(costs);
  }

  void run() {
    const unsigned char *first = first_.data(), *second = second_.data();
    for (int k = 0; k < problems_; ++k, first += rows_, second += columns_) {
      long out = 0, in = 0;
      for (int i = 0; i < rows_; ++i) out += (*supply_)[Graph::nodeFromId(i)] = first[i];
      for (int j = 0; j < columns_; ++j) {
        in += second[j];
        (*supply_)[column(j)] = -static_cast<long>(second[j]);
      }
      // All of the lighter side's mass is moved.
      simplex_->supplyMap(*supply_).supplyType(out > in ? Simplex::LEQ : Simplex::GEQ);
      const bool solved = simplex_->run(Simplex::BEST_ELIGIBLE) == Simplex::OPTIMAL;
      const auto moved = static_cast<double>(std::max(1L, std::min(out, in)));
      found_[static_cast<std::size_t>(k)] =
          solved ? static_cast<float>(static_cast<double>(simplex_->totalCost<long>()) / moved)
                 : -1;
    }
  }
  const float* found() const { return found_.data(); }

 private:
  Graph::Node column(int j) const { return Graph::nodeFromId(rows_ + j); }

  int rows_, columns_, problems_;
  std::vector<unsigned char> first_, second_;
  std::vector<float> found_;
  Graph graph_{};
  std::unique_ptr<Graph::NodeMap<long>> supply_{};
  std::unique_ptr<Simplex> simplex_{};
};

}  // namespace

FoveaRivalWork fovea_lemon_emd(const FoveaRivalShape* shape, int) {
  try {
    auto work = std::make_unique<Transport>(*shape);
    work->run();
    FoveaRivalWork ready{};
    ready.run = [](void* state) { static_cast<Transport*>(state)->run(); };
    ready.end = [](void* state) { delete static_cast<Transport*>(state); };
    ready.result = [](void* state) { return static_cast<Transport*>(state)->found(); };
    ready.state = work.release();
    return ready;
  } catch (const std::exception&) {
    return {};
  }
}
