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

// Networks, by their numbers, that a GPU solves at the same time, each by one block of threads, or
// one network that the whole device solves.
struct FlowBatch {
  std::vector<std::size_t> networks;
  bool whole_device = false;

  friend bool operator==(const FlowBatch&, const FlowBatch&) = default;
};

// All networks that have nodes: large ones alone, and the others together, up to a number of arcs.
// Throws InvalidArgument where a network has more arcs than a 32-bit number counts.
std::vector<FlowBatch> flow_batches(std::span<const CutNetwork> networks);

}  // namespace fovea::detail
