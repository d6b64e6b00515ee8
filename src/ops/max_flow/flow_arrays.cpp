#include "ops/max_flow/flow_arrays.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <utility>

namespace fovea::detail {
namespace {

constexpr int kSmallNodes = 1 << 13;   // the most nodes that one block always solves
constexpr int kLargeNodes = 1 << 15;   // the most nodes that one block solves beside others
constexpr std::ptrdiff_t kBeside = 4;  // as many networks of a middle size are solved together
constexpr std::size_t kTogether = std::size_t{1} << 26U;  // nodes and edges of a batch
constexpr std::size_t kMostEdges = (std::size_t{1} << 30U) - 1;

void add_network(const CutNetwork& network, FlowArrays& arrays) {
  const std::int32_t base = arrays.nodes.back();
  const std::size_t nodes = network.from_source.size(), arcs = arrays.to.size();
  std::vector<std::int32_t> place(nodes, 0);
  for (const CutEdge& edge : network.edges) {
    ++place[static_cast<std::size_t>(edge.a)];
    ++place[static_cast<std::size_t>(edge.b)];
  }
  for (std::int32_t& degree : place) {
    const std::int32_t begin = arrays.first.back();
    arrays.first.push_back(begin + degree);
    degree = begin;
  }
  arrays.to.resize(arcs + 2 * network.edges.size());
  arrays.reverse.resize(arrays.to.size());
  arrays.residual.resize(arrays.to.size());
  for (const CutEdge& edge : network.edges) {
    const std::int32_t there = place[static_cast<std::size_t>(edge.a)]++;
    const std::int32_t back = place[static_cast<std::size_t>(edge.b)]++;
    const auto put = [&](std::int32_t arc, std::int32_t to, std::int32_t reverse) {
      arrays.to[static_cast<std::size_t>(arc)] = base + to;
      arrays.reverse[static_cast<std::size_t>(arc)] = reverse;
      arrays.residual[static_cast<std::size_t>(arc)] = edge.capacity;
    };
    put(there, edge.b, back);
    put(back, edge.a, there);
  }
  arrays.excess.insert(arrays.excess.end(), network.to_sink.begin(), network.to_sink.end());
  arrays.room.insert(arrays.room.end(), network.from_source.begin(), network.from_source.end());
  arrays.nodes.push_back(base + network.nodes());
}

}  // namespace

FlowArrays make_flow_arrays(std::span<const CutNetwork> networks,
                            std::span<const std::size_t> which) {
  FlowArrays arrays;
  std::size_t nodes = 0, edges = 0;
  for (const std::size_t i : which) {
    nodes += networks[i].from_source.size();
    edges += networks[i].edges.size();
  }
  arrays.nodes.reserve(which.size() + 1);
  arrays.first.reserve(nodes + 1);
  arrays.excess.reserve(nodes);
  arrays.room.reserve(nodes);
  for (std::vector<std::int32_t>* list : {&arrays.to, &arrays.reverse}) list->reserve(2 * edges);
  arrays.residual.reserve(2 * edges);
  for (const std::size_t i : which) add_network(networks[i], arrays);
  return arrays;
}

std::vector<FlowBatch> flow_batches(std::span<const CutNetwork> networks) {
  const auto above = std::ranges::count_if(
      networks, [](const CutNetwork& network) { return network.nodes() > kSmallNodes; });
  const int most = above < kBeside ? kSmallNodes : kLargeNodes;
  std::vector<FlowBatch> batches;
  FlowBatch small;
  std::size_t together = 0;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const CutNetwork& network = networks[i];
    if (network.edges.size() > kMostEdges)
      throw InvalidArgument(fmt::format(
          "minimum cut: {} arcs are too many for a GPU, expected at most {}; use device cpu",
          network.edges.size(), kMostEdges));
    if (network.nodes() == 0) continue;
    if (network.nodes() > most) {
      batches.push_back({{i}, true});
      continue;
    }
    const std::size_t size = network.from_source.size() + network.edges.size();
    if (!small.networks.empty() && together + size > kTogether) {
      batches.push_back(std::exchange(small, {}));
      together = 0;
    }
    small.networks.push_back(i);
    together += size;
  }
  if (!small.networks.empty()) batches.push_back(std::move(small));
  return batches;
}

}  // namespace fovea::detail
