#include "ops/shortest_paths/device_layout.h"

namespace fovea::detail {
namespace {

// Lists of numbers, tiles of products, and the rounding of allocations.
constexpr std::uint64_t kSmall = std::uint64_t{8} << 20;

std::uint64_t lists_bytes(const GraphSize& size) {
  return static_cast<std::uint64_t>(size.ends) * (sizeof(float) + sizeof(std::int32_t)) +
         sizeof(std::int64_t) * (static_cast<std::uint64_t>(size.nodes) + 1);
}

}  // namespace

GraphSize size_of(const Graph& graph) {
  return {graph.nodes(), (graph.directed() ? 1 : 2) * graph.arcs()};
}

std::uint64_t square_path_bytes(const GraphSize& size) {
  return square_bytes(size.nodes) + sizeof(float) * pivot_floats(size.nodes) + lists_bytes(size) +
         kSmall;
}

std::uint64_t directed_path_bytes(const GraphSize& size) {
  return square_path_bytes(size) + sizeof(float) * pivot_floats(size.nodes);
}

std::uint64_t half_path_bytes(const GraphSize& size) {
  const std::uint64_t piped = 2 * static_cast<std::uint64_t>(half_piped_rows(size.nodes)) *
                              static_cast<std::uint64_t>(size.nodes);
  return sizeof(float) * (half_floats(size.nodes) + pivot_floats(size.nodes) + piped) +
         lists_bytes(size) + kSmall;
}

// The strip of the panels with all others and its pivots, and two tiles of panels x panels.
std::uint64_t tiled_path_bytes(int nodes, int each) {
  const std::uint64_t rows = static_cast<std::uint64_t>(each) * kPanel;
  return 2 * sizeof(float) * rows * (square_side(nodes) + rows) + kSmall;
}

int tiled_panels(int nodes, std::uint64_t bytes) {
  // With 8192 nodes a GPU computes on a tile longer than the tile travels.
  constexpr int kMost = 64;
  int each = std::min(kMost, (panels_of(nodes) + kGroup - 1) / kGroup * kGroup);
  while (each > 0 && tiled_path_bytes(nodes, each) > bytes) each -= kGroup;
  return each;
}

std::uint64_t search_bytes(const GraphSize& size) { return lists_bytes(size) + kSmall; }

std::uint64_t search_row_bytes(int nodes) {
  constexpr std::uint64_t kNumbers = 5;  // the distance, three lists of nodes, where a node waits
  return kNumbers * sizeof(std::int32_t) * static_cast<std::uint64_t>(nodes);
}

std::uint64_t partitioned_bytes(const PathPlan& plan) {
  std::uint64_t floats = square_floats(plan.gates) + pivot_floats(plan.gates) +
                         static_cast<std::uint64_t>(plan.gates) * far_pitch(plan);
  for (const PathPart& part : plan.parts)
    floats += square_floats(part.locals) + pivot_floats(part.locals);
  const std::uint64_t numbers =
      plan.node_at.size() + static_cast<std::uint64_t>(plan.columns) + 2 * plan.gate_local.size();
  return sizeof(float) * floats + sizeof(std::int32_t) * numbers +
         sizeof(GraphArc) * (plan.arcs.size() + plan.gate_arcs.size()) + kSmall;
}

std::uint64_t partitioned_rows_bytes(const PathPlan& plan) {
  const int rows = piped_rows(plan.nodes);
  const std::uint64_t piece =
      static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(plan.nodes) +
      slot_pitch(plan, rows) * static_cast<std::uint64_t>(plan.gates + most_gates(plan) + 4);
  return 2 * sizeof(float) * piece;
}

}  // namespace fovea::detail
