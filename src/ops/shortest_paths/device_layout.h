// How large things are that the CUDA twins keep on the device, so that whoever chooses an engine
// can tell before anything is taken.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/shortest_paths/close_squares_math.h"
#include "ops/shortest_paths/path_plan.h"

namespace fovea::detail {

// Nodes that a square is wide and high.
inline std::size_t square_side(int nodes) {
  return static_cast<std::size_t>(panels_of(nodes)) * kPanel;
}
inline std::size_t square_floats(int nodes) { return square_side(nodes) * square_side(nodes); }
inline std::uint64_t square_bytes(int nodes) { return sizeof(float) * square_floats(nodes); }
// What close_squares() needs beside a square.
inline std::size_t pivot_floats(int nodes) { return kPivotGroups * kPivots * square_side(nodes); }

// Numbers of a row from a gate to the columns of all parts, and what a tile reads beyond the last.
inline std::size_t far_pitch(const PathPlan& plan) {
  return (static_cast<std::size_t>(plan.columns) + 2 * kPanel - 1) / kPanel * kPanel;
}

// Rows that go to the host at a time: two pieces of pinned memory must be had first, which takes
// longer the larger they are.
inline int piped_rows(int nodes) {
  constexpr std::int64_t kBytes = std::int64_t{16} << 20;
  const std::int64_t rows = kBytes / (static_cast<std::int64_t>(sizeof(float)) * (nodes + 1));
  return static_cast<int>(std::min<std::int64_t>(nodes, std::clamp<std::int64_t>(rows, 64, 4096)));
}
// Room for the rows of a piece in the order of their parts, each part from a multiple of 4 on, and
// what a tile reads beyond the last.
inline std::size_t slot_pitch(const PathPlan& plan, int rows) {
  const auto count = static_cast<std::size_t>(rows);
  return (count + 3 * std::min(plan.parts.size(), count) + 2 * kPanel - 1) / kPanel * kPanel;
}
inline int most_gates(const PathPlan& plan) {
  int most = 0;
  for (const PathPart& part : plan.parts) most = std::max(most, part.gates);
  return most;
}

// Bytes of each engine beside the square of all distances.
FOVEA_API std::uint64_t floyd_warshall_bytes(const Graph& graph);
FOVEA_API std::uint64_t partitioned_bytes(const PathPlan& plan);
// Of rows that go to the host, instead of that square.
FOVEA_API std::uint64_t partitioned_rows_bytes(const PathPlan& plan);

}  // namespace fovea::detail
