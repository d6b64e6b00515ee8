// The engines of shortest paths and their twins. `lower` is that of a DistanceMatrix: pairs (a, b)
// with b <= a, row after row, on the host. Engines read only exec, cutoff and memory of the
// options, and only dijkstra and the twins on a GPU read the cutoff. floyd-warshall and partitioned
// give the same bits on both devices: min_plus.h and path_plan.h say which sums are computed.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <span>

#include "core/parallel.h"
#include "ops/shortest_paths/device_layout.h"

namespace fovea::detail {
using TakeRows = FunctionRef<void(const DistanceRows&)>;

// Rows of the whole square that are computed and handed on at a time.
inline int rows_at_a_time(int nodes) {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  const std::int64_t rows = kBytes / (static_cast<std::int64_t>(sizeof(float)) * (nodes + 1));
  return static_cast<int>(rows < 64 ? 64 : rows > 4096 ? 4096 : rows);
}
}  // namespace fovea::detail

namespace fovea::cpu {
void floyd_warshall(const Graph& graph, const PathOptions& options, std::span<float> lower);
// Rows of the whole square of a directed graph.
void floyd_warshall_directed(const Graph& graph, const PathOptions& options, detail::TakeRows take);
void partitioned(const detail::PathPlan& plan, const PathOptions& options, std::span<float> lower);
void partitioned_rows(const detail::PathPlan& plan, const PathOptions& options,
                      detail::TakeRows take);

// From every node; there is no twin, because a GPU has better ways.
void dijkstra(const Graph& graph, const PathOptions& options, std::span<float> lower);
// From some nodes, with one row per source, and to the nearest of them.
void dijkstra_rows(const Graph& graph, std::span<const std::int32_t> sources,
                   const PathOptions& options, ImageView<float> rows);
void nearest(const Graph& graph, std::span<const std::int32_t> sources, const PathOptions& options,
             NearestSource& found);
}  // namespace fovea::cpu

namespace fovea::cuda {
// `square` lies on the device and is filled completely, both halves and within the cutoff. Its
// stride is square_side(nodes), and it has as many rows. The calls return when the work is
// complete. Floyd-warshall takes directed graphs too.
void floyd_warshall(const Graph& graph, const PathOptions& options, ImageView<float> square);
void partitioned(const detail::PathPlan& plan, const PathOptions& options, ImageView<float> square);

// In half of a square on the device, with the result in host memory, within the cutoff.
void floyd_warshall_half(const Graph& graph, const PathOptions& options, std::span<float> lower);
void floyd_warshall_half_rows(const Graph& graph, const PathOptions& options,
                              detail::TakeRows take);
// In host memory, from where tiles of `each` panels (detail::tiled_panels()) visit the device. The
// cutoff is not applied.
FOVEA_API void floyd_warshall_tiles(const Graph& graph, const PathOptions& options, int each,
                                    std::span<float> lower);

// The twins of dijkstra_rows() and nearest(). At most `most` sources are searched from at a time.
void search_rows(const Graph& graph, std::span<const std::int32_t> sources,
                 const PathOptions& options, int most, ImageView<float> rows);
void search_nearest(const Graph& graph, std::span<const std::int32_t> sources,
                    const PathOptions& options, NearestSource& found);

// Rows of the whole square, within the cutoff, through two buffers of pinned memory.
void partitioned_rows(const detail::PathPlan& plan, const PathOptions& options,
                      detail::TakeRows take);
void square_rows(ImageView<const float> square, const Exec& exec, detail::TakeRows take);
// The lower half of a square, as a DistanceMatrix stores it.
void square_lower(ImageView<const float> square, const Exec& exec, std::span<float> lower);
}  // namespace fovea::cuda
