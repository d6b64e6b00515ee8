#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

struct CutArc {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double capacity = 0;  // both ways; 0 or more
};
// Nodes that must lie on a side, or would rather.
struct CutTie {
  std::int32_t node = 0;
  double to_source = 0;  // what it costs to lie on the sink's side
  double to_sink = 0;    // what it costs to lie on the source's side
};
constexpr double kMustTie = 1e30;  // of a tie: whatever it costs

struct MinimumCut {
  std::vector<bool> source_side;  // of each node; what neither side ties lies on the sink's
  double value = 0;               // what is cut
};

// The cheapest way to divide an undirected graph into a source's and a sink's side (Boykov and
// Kolmogorov's algorithm). Capacities are brought to whole numbers of 2^-40 of the greatest, so
// that the search ends. InvalidArgument for nodes that are not there and capacities that are
// negative or not finite.
FOVEA_API MinimumCut minimum_cut(int nodes, std::span<const CutArc> arcs,
                                 std::span<const CutTie> ties);

}  // namespace fovea
