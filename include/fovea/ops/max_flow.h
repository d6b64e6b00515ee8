#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

struct CutArc {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double capacity = 0;  // in both directions; 0 or more
};
// A node that must lie on one side, or that prefers one.
struct CutTie {
  std::int32_t node = 0;
  double to_source = 0;  // what it costs to lie on the sink's side
  double to_sink = 0;    // what it costs to lie on the source's side
};
constexpr double kMustTie = 1e30;  // the cost of a tie that must hold

struct MinimumCut {
  std::vector<bool> source_side;  // one per node; a node without any tie lies on the sink's side
  double value = 0;               // the sum of the capacities that are cut
};

// The cheapest way to divide an undirected graph into a source side and a sink side, by the
// algorithm of Boykov and Kolmogorov. Capacities are rounded to multiples of 2^-40 of the greatest,
// so that the search ends. Throws InvalidArgument for nodes that do not exist and for capacities
// that are negative or not finite.
FOVEA_API MinimumCut minimum_cut(int nodes, std::span<const CutArc> arcs,
                                 std::span<const CutTie> ties);

}  // namespace fovea
