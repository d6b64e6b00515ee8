// Networks of minimum cuts as arrays, one network behind the other, in the form in which a GPU
// solves them, and which of them it solves together.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/max_flow/backend.h"

namespace fovea::detail {

// The flow runs from the sink of a network to its source.
struct FlowArrays {
  std::vector<std::int32_t> nodes{0};  // where each network's nodes begin, and where the last end
  std::vector<std::int32_t> first{0};  // where each node's arcs begin, and where the last end
  // One per arc. An edge is an arc in both directions, each of which is the reverse of the other.
  std::vector<std::int32_t> to, reverse;
  std::vector<std::int64_t> residual;
  std::vector<std::int64_t> excess;  // one per node: what enters from the sink
  std::vector<std::int64_t> room;    // one per node: what it may give to the source

  std::size_t networks() const { return nodes.size() - 1; }
};

FlowArrays make_flow_arrays(std::span<const CutNetwork> networks,
                            std::span<const std::size_t> which);

// Whether one block of threads solves the network.
bool is_small_flow(const CutNetwork& network);

// The networks that are solved together, by their numbers: large ones alone, and small ones up to a
// number of arcs. Networks without nodes are left out. Throws InvalidArgument where a network has
// more arcs than a 32-bit number counts.
std::vector<std::vector<std::size_t>> flow_batches(std::span<const CutNetwork> networks);

}  // namespace fovea::detail
