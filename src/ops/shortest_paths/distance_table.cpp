// Distances that stay where they were computed.
#include "ops/shortest_paths/distance_table.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/backend.h"
#include "core/dispatch.h"
#include "ops/shortest_paths/at.h"
#include "ops/shortest_paths/backend.h"

namespace fovea {
namespace detail {
namespace {

void run_on_host(const ChosenEngine& chosen, const Graph& graph, const PathOptions& options,
                 std::span<float> lower) {
  if (chosen.report.engine == PathEngine::kDijkstra) {
    cpu::dijkstra(graph, options, lower);
    return;
  }
  if (chosen.plan) cpu::partitioned(*chosen.plan, options, lower);
  else cpu::floyd_warshall(graph, options, lower);
  cut_distances(lower, options);
}

// Rows that come from a GPU, of which the half up to the diagonal is kept.
void keep_rows(const ChosenEngine& chosen, const PathOptions& options, std::span<float> lower) {
  cuda::partitioned_rows(*chosen.plan, options, [&](const DistanceRows& rows) {
    parallel_for(options.exec, rows.rows.height, 16, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
        const std::size_t node = at(rows.first) + at(i);
        std::copy_n(rows.rows.row(i), node + 1, lower.data() + node * (node + 1) / 2);
      }
    });
  });
}

}  // namespace

void fill_half(const ChosenEngine& chosen, const Graph& graph, const PathOptions& options,
               std::span<float> lower) {
  switch (chosen.report.storage) {
    case PathStorage::kRows: keep_rows(chosen, options, lower); return;
    case PathStorage::kHalf: cuda::floyd_warshall_half(graph, options, lower); return;
    case PathStorage::kTiles:
      cuda::floyd_warshall_tiles(graph, options, chosen.tile_panels, lower);
      cut_distances(lower, options);
      return;
    case PathStorage::kHost:
    case PathStorage::kSquare:  // which is filled elsewhere
      run_on_host(chosen, graph, options, lower);
  }
}

const TableMemory& TableMemory::of(const DistanceTable& table) { return *table.memory_; }

std::uint64_t TableMemory::held_bytes(Device device) const {
  return device == device_ ? sizeof(float) * values_.size() : 0;
}

void TableMemory::reserve(int nodes, Device device) {
  if (values_.size() < square_floats(nodes) || device_ != device) {
    values_ = Array<float>();  // freed before the larger array is allocated
    const cuda::ScopedDevice scoped(device);
    values_ = Array<float>(square_floats(nodes), Memory::kCuda);
    device_ = device;
  }
  const auto stride = static_cast<std::ptrdiff_t>(square_side(nodes));
  square_ = {values_.data(), nodes, nodes, 1, stride, Memory::kCuda};
}

void TableMemory::compute(const char* call, const Graph& graph, const PathOptions& options) {
  if (graph.directed())
    throw InvalidArgument(
        fmt::format("{}: the graph is directed, so that a pair of nodes has two distances; use "
                    "distance_square()",
                    call));
  PathOptions resolved = options;
  resolved.exec = resolve_exec(call, options.exec, {});
  fill(choose_engine(graph, resolved,
                     {.call = call, .rows = false, .square = held_bytes(resolved.exec.device)}),
       graph, resolved);
}

void TableMemory::fill(const ChosenEngine& chosen, const Graph& graph, const PathOptions& options) {
  nodes_ = 0;
  square_ = {};
  half_ = {};
  report_ = chosen.report;
  if (chosen.report.storage == PathStorage::kSquare) {
    reserve(graph.nodes(), options.exec.device);
    if (chosen.plan) cuda::partitioned(*chosen.plan, options, square_);
    else cuda::floyd_warshall(graph, options, square_);
  } else {
    values_ = Array<float>();  // rows need the memory
    half_ = DistanceMatrix(graph.nodes());
    fill_half(chosen, graph, options, half_.lower());
  }
  nodes_ = graph.nodes();
}

DistanceMatrix TableMemory::matrix() const {
  DistanceMatrix matrix(nodes_);
  if (square_.empty())
    std::copy(half_.lower().begin(), half_.lower().end(), matrix.lower().begin());
  else cuda::square_lower(square_, {.device = device_}, matrix.lower());
  return matrix;
}

DistanceMatrix TableMemory::take_matrix() {
  if (!square_.empty()) return matrix();
  nodes_ = 0;
  return std::move(half_);
}

}  // namespace detail

DistanceTable::DistanceTable() : memory_(std::make_unique<detail::TableMemory>()) {}
DistanceTable::DistanceTable(const Graph& graph, const PathOptions& options) : DistanceTable() {
  compute(graph, options);
}
DistanceTable::~DistanceTable() = default;
DistanceTable::DistanceTable(DistanceTable&& other) noexcept = default;
DistanceTable& DistanceTable::operator=(DistanceTable&& other) noexcept = default;

int DistanceTable::nodes() const { return memory_->nodes(); }
const PathReport& DistanceTable::report() const { return memory_->report(); }
Device DistanceTable::device() const { return memory_->device(); }
DistanceMatrix DistanceTable::matrix() const { return memory_->matrix(); }

Image<float> DistanceTable::rows(std::span<const std::int32_t> nodes) const {
  const int count = this->nodes();
  for (const std::int32_t node : nodes)
    if (node < 0 || node >= count)
      throw InvalidArgument(
          fmt::format("DistanceTable: row of node {}; there are {} nodes", node, count));
  if (nodes.empty()) return {};
  const ImageView<const float> square = memory_->on_device();
  const cuda::ScopedDevice scoped(device());
  Image<float> rows(count, static_cast<int>(nodes.size()));
  for (int i = 0; i < rows.height(); ++i) {
    const std::int32_t node = nodes[detail::at(i)];
    if (square.empty()) memory_->on_host().row(node, {rows.row(i), detail::at(count)});
    else copy(square.crop(0, node, count, 1), rows.view().crop(0, i, count, 1));
  }
  return rows;
}

}  // namespace fovea
