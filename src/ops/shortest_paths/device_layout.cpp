#include "ops/shortest_paths/device_layout.h"

namespace fovea::detail {
namespace {

// Lists of numbers, tiles of products, and the rounding of allocations.
constexpr std::uint64_t kSmall = std::uint64_t{8} << 20;

}  // namespace

std::uint64_t floyd_warshall_bytes(const Graph& graph) {
  const auto ends = 2 * static_cast<std::uint64_t>(graph.arcs());
  return sizeof(float) * pivot_floats(graph.nodes()) +
         ends * (sizeof(float) + sizeof(std::int32_t)) +
         sizeof(std::int64_t) * static_cast<std::uint64_t>(graph.nodes() + 1) + kSmall;
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
