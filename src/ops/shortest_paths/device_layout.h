// How much memory the CUDA twins need on the device, so that an engine can be chosen before any
// memory is allocated.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/shortest_paths/close_squares_math.h"
#include "ops/shortest_paths/path_plan.h"

namespace fovea::detail {

// The width and height of a square, in nodes.
inline std::size_t square_side(int nodes) {
  return static_cast<std::size_t>(panels_of(nodes)) * kPanel;
}
inline std::size_t square_floats(int nodes) { return square_side(nodes) * square_side(nodes); }
inline std::uint64_t square_bytes(int nodes) { return sizeof(float) * square_floats(nodes); }
// Scratch memory of close_squares() besides the square.
inline std::size_t pivot_floats(int nodes) { return kPivotGroups * kPivots * square_side(nodes); }

// Half of a square: its tiles on and below the diagonal.
inline std::size_t half_floats(int nodes) {
  const auto panels = static_cast<std::size_t>(panels_of(nodes));
  return panels * (panels + 1) / 2 * kPanelTile;
}

// The length of a row from a gate to the columns of all parts, including what a tile reads beyond
// the last column.
inline std::size_t far_pitch(const PathPlan& plan) {
  return (static_cast<std::size_t>(plan.columns) + 2 * kPanel - 1) / kPanel * kPanel;
}

// Rows that go to the host at a time. Two pieces of pinned memory are allocated first, which takes
// longer the larger they are.
inline int piped_rows(int nodes) {
  constexpr std::int64_t kBytes = std::int64_t{16} << 20;
  const std::int64_t rows = kBytes / (static_cast<std::int64_t>(sizeof(float)) * (nodes + 1));
  return static_cast<int>(std::min<std::int64_t>(nodes, std::clamp<std::int64_t>(rows, 64, 4096)));
}
// The same from half a square, where rows are put together 32 at a time; little beside the half.
inline constexpr int kHalfRows = 32;
inline int half_piped_rows(int nodes) {
  const int rows = std::min(piped_rows(nodes), nodes / 16) / kHalfRows * kHalfRows;
  return std::max(rows, kHalfRows);
}
// Memory for the rows of a piece in the order of their parts, where each part begins at a multiple
// of 4, including what a tile reads beyond the last row.
inline std::size_t slot_pitch(const PathPlan& plan, int rows) {
  const auto count = static_cast<std::size_t>(rows);
  return (count + 3 * std::min(plan.parts.size(), count) + 2 * kPanel - 1) / kPanel * kPanel;
}
inline int most_gates(const PathPlan& plan) {
  int most = 0;
  for (const PathPart& part : plan.parts) most = std::max(most, part.gates);
  return most;
}

// How large a graph is; an arc that leads both ways has two ends.
struct GraphSize {
  int nodes = 0;
  std::int64_t ends = 0;
};
FOVEA_API GraphSize size_of(const Graph& graph);

// Bytes of floyd-warshall on the device, for each storage. In a square, and in a square of a
// directed graph:
FOVEA_API std::uint64_t square_path_bytes(const GraphSize& size);
FOVEA_API std::uint64_t directed_path_bytes(const GraphSize& size);
// In half a square, with the rows that go to the host:
FOVEA_API std::uint64_t half_path_bytes(const GraphSize& size);
// In host memory, from where `each` panels at a time visit the device. The greatest even number of
// panels that fits into some bytes, or 0 where two do not fit.
FOVEA_API std::uint64_t tiled_path_bytes(int nodes, int each);
FOVEA_API int tiled_panels(int nodes, std::uint64_t bytes);

// Bytes of a search from some nodes: those of the graph, and those of each source that is searched
// from at the same time.
FOVEA_API std::uint64_t search_bytes(const GraphSize& size);
FOVEA_API std::uint64_t search_row_bytes(int nodes);

// Bytes that the partitioned engine needs besides the square of all distances.
FOVEA_API std::uint64_t partitioned_bytes(const PathPlan& plan);
// Bytes for rows that go to the host, instead of that square.
FOVEA_API std::uint64_t partitioned_rows_bytes(const PathPlan& plan);

}  // namespace fovea::detail
