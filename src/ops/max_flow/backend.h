// A graph with whole capacities, and the two twins that find its smallest source side of least
// cost. That set is the same for every greatest flow, so that the twins agree although their flows
// differ.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/ops/max_flow.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::detail {

struct CutEdge {
  std::int32_t a;
  std::int32_t b;             // never a
  std::int64_t capacity = 0;  // in both directions; above 0
};
// All capacities but those of terminals together are less than 2^60, and the capacity of a terminal
// is at most 2^60, so that what flows into a node fits into 62 bits.
struct CutNetwork {
  std::vector<CutEdge> edges;
  // One per node. The smaller of the two is cut in any case, so that it was taken off both: at
  // least one of them is 0.
  std::vector<std::int64_t> from_source, to_sink;

  int nodes() const { return static_cast<int>(from_source.size()); }
};

// Rounds the capacities of a checked problem.
CutNetwork make_cut_network(const CutProblem& problem);

// One byte per node: 1 on the source's side.
using CutSides = std::vector<std::uint8_t>;

}  // namespace fovea::detail

namespace fovea::cpu {
detail::CutSides source_side(const detail::CutNetwork& network, const Exec& exec);
}
namespace fovea::cuda {
std::vector<detail::CutSides> source_sides(std::span<const detail::CutNetwork> networks,
                                           const Exec& exec);
}
