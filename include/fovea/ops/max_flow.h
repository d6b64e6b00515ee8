#pragma once
#include <fovea/core/exec.h>

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

// The cheapest way to divide an undirected graph into a source side and a sink side: on the CPU by
// the algorithm of Boykov and Kolmogorov, on a GPU by push-relabel. Of several cheapest cuts it is
// the one with the fewest nodes on the source's side, which is the same on every device. Capacities
// are rounded to multiples of 2^-40 of the greatest (more coarsely above a million arcs and ties),
// so that the search ends. Throws InvalidArgument for nodes that do not exist and for capacities
// that are negative or not finite, and Cancelled after a request to stop.
FOVEA_API MinimumCut minimum_cut(int nodes, std::span<const CutArc> arcs,
                                 std::span<const CutTie> ties, const Exec& exec = {});

// A graph to divide. The lists belong to the caller.
struct CutProblem {
  int nodes = 0;
  std::span<const CutArc> arcs{};
  std::span<const CutTie> ties{};
};
// Divides many graphs, each as minimum_cut() does: on the CPU one per thread, on a GPU all small
// ones in one launch. A message names the first problem that is wrong.
FOVEA_API std::vector<MinimumCut> minimum_cuts(std::span<const CutProblem> problems,
                                               const Exec& exec = {});

}  // namespace fovea
