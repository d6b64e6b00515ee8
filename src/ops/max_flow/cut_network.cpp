// Capacities become whole numbers, because with floats a search may augment by rounding errors
// forever, and because sums of whole numbers do not depend on their order.
#include <algorithm>
#include <cmath>

#include "ops/max_flow/backend.h"

namespace fovea::detail {
namespace {

constexpr int kBits = 40;      // bits of the greatest capacity
constexpr int kMustBits = 60;  // bits of the capacity of arcs that must not be cut
constexpr std::int64_t kMust = std::int64_t{1} << kMustBits;

class CapacityRounding {
 public:
  explicit CapacityRounding(const CutProblem& problem) {
    double greatest = 0, count = 2;
    const auto see = [&](double capacity) {
      greatest = std::max(greatest, capacity);
      ++count;
    };
    for (const CutArc& arc : problem.arcs) see(arc.capacity);
    for (const CutTie& tie : problem.ties)
      for (const double capacity : {tie.to_source, tie.to_sink})
        if (capacity < kMustTie) see(capacity);
    // The sum of all capacities stays below the capacity of arcs that must not be cut.
    const int room = kMustBits - static_cast<int>(std::ceil(std::log2(count)));
    if (!(greatest > 0)) return;
    constexpr double kTiny = 1e-280;  // below it, 1 / greatest comes near to infinity
    if (greatest < kTiny) unit_ = 0x1p200;
    scale_ = std::ldexp(1 / (greatest * unit_), std::min(kBits, room));
  }
  std::int64_t operator()(double capacity) const { return std::llround(capacity * unit_ * scale_); }

 private:
  double unit_ = 1;
  double scale_ = 1;
};

}  // namespace

CutNetwork make_cut_network(const CutProblem& problem) {
  const CapacityRounding whole(problem);
  const auto nodes = static_cast<std::size_t>(problem.nodes);
  CutNetwork network;
  network.edges.reserve(problem.arcs.size());
  for (const CutArc& arc : problem.arcs)
    if (const std::int64_t capacity = whole(arc.capacity); arc.a != arc.b && capacity > 0)
      network.edges.push_back({arc.a, arc.b, capacity});
  network.from_source.assign(nodes, 0);
  network.to_sink.assign(nodes, 0);
  const auto add = [&](std::int64_t& all, double capacity) {
    all = capacity >= kMustTie ? kMust : std::min(kMust, all + whole(capacity));
  };
  for (const CutTie& tie : problem.ties) {
    add(network.from_source[static_cast<std::size_t>(tie.node)], tie.to_source);
    add(network.to_sink[static_cast<std::size_t>(tie.node)], tie.to_sink);
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::int64_t both = std::min(network.from_source[node], network.to_sink[node]);
    network.from_source[node] -= both;
    network.to_sink[node] -= both;
  }
  return network;
}

}  // namespace fovea::detail
