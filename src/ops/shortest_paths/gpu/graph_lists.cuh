// A graph on the device: the neighbors of each node, stored next to each other.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <vector>

#include "core/on_device.cuh"

namespace fovea::cuda {

// As kernels read it.
struct Lists {
  int nodes;
  const std::int64_t* first;
  const std::int32_t* neighbors;
  const float* costs;
};

class GraphLists {
 public:
  GraphLists(const Graph& graph, cudaStream_t stream) : GraphLists(graph, starts(graph), stream) {}

  Lists view() const { return {nodes_, first_.data(), neighbors_.data(), costs_.data()}; }

 private:
  GraphLists(const Graph& graph, const std::vector<std::int64_t>& first, cudaStream_t stream)
      : nodes_(graph.nodes()),
        first_(first.size(), stream),
        neighbors_(static_cast<std::size_t>(first.back()), stream),
        costs_(static_cast<std::size_t>(first.back()), stream) {
    first_.fill(first.data());
    if (first.back() == 0) return;
    neighbors_.fill(graph.neighbors(0).data());  // the lists of all nodes follow each other
    costs_.fill(graph.costs(0).data());
  }
  static std::vector<std::int64_t> starts(const Graph& graph) {
    std::vector<std::int64_t> first(static_cast<std::size_t>(graph.nodes()) + 1, 0);
    for (int node = 0; node < graph.nodes(); ++node)
      first[static_cast<std::size_t>(node) + 1] =
          first[static_cast<std::size_t>(node)] + static_cast<std::int64_t>(graph.degree(node));
    return first;
  }

  int nodes_;
  DeviceBuffer<std::int64_t> first_;
  DeviceBuffer<std::int32_t> neighbors_;
  DeviceBuffer<float> costs_;
};

}  // namespace fovea::cuda
