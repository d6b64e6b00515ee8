// Floyd-Warshall of a whole graph in a square on the device: it takes N^3 / 2 steps, 4 N^2 bytes
// and some rows.
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/min_plus_tile.cuh"
#include "ops/shortest_paths/squares.cuh"

namespace fovea::cuda {
namespace {

constexpr unsigned kThreads = 256;

// The neighbors of each node, stored next to each other.
struct Lists {
  const std::int64_t* first;
  const std::int32_t* neighbors;
  const float* costs;
};

__global__ void arcs_kernel(Lists lists, ImageView<float> square) {
  const auto node = static_cast<int>(blockIdx.x);
  for (std::int64_t i = lists.first[node] + threadIdx.x; i < lists.first[node + 1]; i += blockDim.x)
    square.at(lists.neighbors[i], node) = lists.costs[i];
}

}  // namespace

void floyd_warshall(const Graph& graph, const PathOptions& options, ImageView<float> square) {
  Session session(options.exec);
  cudaStream_t stream = session.stream();
  const int nodes = graph.nodes();
  std::vector<std::int64_t> first(static_cast<std::size_t>(nodes) + 1, 0);
  for (int node = 0; node < nodes; ++node)
    first[static_cast<std::size_t>(node) + 1] =
        first[static_cast<std::size_t>(node)] + static_cast<std::int64_t>(graph.degree(node));
  const auto ends = static_cast<std::size_t>(first.back());
  DeviceBuffer<std::int64_t> firsts(first.size(), stream);
  DeviceBuffer<std::int32_t> neighbors(ends, stream);
  DeviceBuffer<float> costs(ends, stream);
  firsts.fill(first.data());
  if (ends > 0) {  // the lists of all nodes are stored one after the other
    neighbors.fill(graph.neighbors(0).data());
    costs.fill(graph.costs(0).data());
  }
  DeviceBuffer<float> pivots(detail::pivot_floats(nodes), stream);
  DeviceBuffer<Square> on_device(1, stream);
  const Square all{square.data, pivots.data(), detail::panels_of(nodes)};
  on_device.fill(&all);
  const Squares squares{{&all, 1}, on_device.data()};
  clear_squares(squares, stream);
  launch(arcs_kernel,
         {dim3(static_cast<unsigned>(nodes)), kThreads / 8, 0, stream, "arcs of a graph"},
         Lists{firsts.data(), neighbors.data(), costs.data()}, square);
  close_squares(squares, options.exec, stream);
  mirror_squares(squares, options.cutoff, stream);
  session.must_wait();
  session.finish("floyd-warshall");
}

}  // namespace fovea::cuda
