// Floyd-Warshall of a whole graph on the device: in a square, with N^3 / 2 steps, 4 N^2 bytes and
// some rows; in half of it, with as many steps and 2 N^2 bytes (Marras et al., Eurographics Italy
// 2010); or, where arcs lead one way, in a square with N^3 steps.
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/gpu/directed_square.cuh"
#include "ops/shortest_paths/gpu/graph_lists.cuh"
#include "ops/shortest_paths/gpu/half_copy.cuh"
#include "ops/shortest_paths/min_plus_tile.cuh"
#include "ops/shortest_paths/squares.cuh"

namespace fovea::cuda {
namespace {

using detail::kPanel;

// The arcs of a node to the nodes of its own tile and of those before it; in a square of rows, to
// all nodes.
__global__ void arcs_kernel(Lists lists, Square square) {
  const auto node = static_cast<int>(blockIdx.x);
  const int row = node / kPanel;
  for (std::int64_t i = lists.first[node] + threadIdx.x; i < lists.first[node + 1];
       i += blockDim.x) {
    const int other = lists.neighbors[i];
    if (square.layout != SquareLayout::kRows && other / kPanel > row) continue;
    square.tile(row, other / kPanel)[node % kPanel * square.pitch() + other % kPanel] =
        lists.costs[i];
  }
}

void set_arcs(const Lists& lists, const Square& square, cudaStream_t stream) {
  constexpr unsigned kThreads = 32;
  launch(arcs_kernel,
         {dim3(static_cast<unsigned>(lists.nodes)), kThreads, 0, stream, "arcs of a graph"}, lists,
         square);
}

void close_directed(const Graph& graph, const PathOptions& options, ImageView<float> square,
                    cudaStream_t stream) {
  const GraphLists lists(graph, stream);
  const int panels = detail::panels_of(graph.nodes());
  const std::size_t floats = detail::pivot_floats(graph.nodes());
  DeviceBuffer<float> pivots(2 * floats, stream);
  DeviceBuffer<Square> on_device(1, stream);
  const Square all{square.data, pivots.data(), panels};
  on_device.fill(&all);
  clear_squares({{&all, 1}, on_device.data()}, stream);
  set_arcs(lists.view(), all, stream);
  const DirectedSquare both{square.data, pivots.data(), pivots.data() + floats, panels};
  close_directed_square(both, options.exec, stream);
  cut_directed_square(both, options.cutoff, stream);
}

// Distances in half a square on the device.
class HalfOnDevice {
 public:
  HalfOnDevice(const Graph& graph, const Exec& exec, cudaStream_t stream)
      : distances_(detail::half_floats(graph.nodes()), stream),
        half_{.distances = distances_.data(),
              .panels = detail::panels_of(graph.nodes()),
              .layout = SquareLayout::kHalf} {
    const GraphLists lists(graph, stream);
    DeviceBuffer<float> pivots(detail::pivot_floats(graph.nodes()), stream);
    DeviceBuffer<Square> on_device(1, stream);
    Square all = half_;
    all.pivots = pivots.data();
    on_device.fill(&all);
    clear_half(all, stream);
    set_arcs(lists.view(), all, stream);
    close_squares({{&all, 1}, on_device.data()}, exec, stream);
  }
  const Square& square() const { return half_; }

 private:
  DeviceBuffer<float> distances_;
  Square half_;
};

}  // namespace

void floyd_warshall(const Graph& graph, const PathOptions& options, ImageView<float> square) {
  Session session(options.exec);
  cudaStream_t stream = session.stream();
  if (graph.directed()) {
    close_directed(graph, options, square, stream);
  } else {
    const GraphLists lists(graph, stream);
    DeviceBuffer<float> pivots(detail::pivot_floats(graph.nodes()), stream);
    DeviceBuffer<Square> on_device(1, stream);
    const Square all{square.data, pivots.data(), detail::panels_of(graph.nodes())};
    on_device.fill(&all);
    const Squares squares{{&all, 1}, on_device.data()};
    clear_squares(squares, stream);
    set_arcs(lists.view(), all, stream);
    close_squares(squares, options.exec, stream);
    mirror_squares(squares, options.cutoff, stream);
  }
  session.must_wait();
  session.finish("floyd-warshall");
}

void floyd_warshall_half(const Graph& graph, const PathOptions& options, std::span<float> lower) {
  Session session(options.exec);
  const HalfOnDevice half(graph, options.exec, session.stream());
  half_lower({half.square(), graph.nodes(), options.cutoff}, options.exec, session.stream(), lower);
  session.must_wait();
  session.finish("floyd-warshall");
}

void floyd_warshall_half_rows(const Graph& graph, const PathOptions& options,
                              detail::TakeRows take) {
  Session session(options.exec);
  const HalfOnDevice half(graph, options.exec, session.stream());
  half_rows({half.square(), graph.nodes(), options.cutoff}, options.exec, session.stream(), take);
  session.must_wait();
  session.finish("floyd-warshall");
}

}  // namespace fovea::cuda
