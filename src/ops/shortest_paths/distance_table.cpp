// Distances kept where they were made.
#include "ops/shortest_paths/distance_table.h"

#include <fovea/error.h>

#include <fmt/format.h>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/parallel.h"

namespace fovea {
namespace detail {
namespace {

constexpr int kTableAlign = 128;  // nodes that a square's side is padded to

}  // namespace

const TableMemory& TableMemory::of(const DistanceTable& table) { return *table.memory_; }

ImageView<float> TableMemory::reserve(int nodes, Device device) {
  const auto side = static_cast<std::size_t>((nodes + kTableAlign - 1) / kTableAlign * kTableAlign);
  if (values_.size() < side * side || device_ != device) {
    values_ = Array<float>();  // before the larger one is asked for
    values_ = Array<float>(side * side, Memory::kCuda);
  }
  return {values_.data(), nodes, nodes, 1, static_cast<std::ptrdiff_t>(side), Memory::kCuda};
}

void TableMemory::compute(const Graph& graph, const PathOptions& options) {
  const Exec exec = resolve_exec("DistanceTable", options.exec, {});
  nodes_ = 0;
  square_ = {};
  half_ = all_distances(graph, options, &run_);
  if (on_cuda(exec) && graph.nodes() > 0) {
    const cuda::ScopedDevice scoped(exec.device);
    square_ = reserve(graph.nodes(), exec.device);
    Image<float> rows(graph.nodes(), graph.nodes());
    for (int node = 0; node < graph.nodes(); ++node)
      half_.row(node, {rows.row(node), static_cast<std::size_t>(graph.nodes())});
    copy(rows.view(), square_);
    half_ = {};
  }
  device_ = exec.device;
  nodes_ = graph.nodes();
}

}  // namespace detail

DistanceTable::DistanceTable() : memory_(std::make_unique<detail::TableMemory>()) {}
DistanceTable::DistanceTable(const Graph& graph, const PathOptions& options) : DistanceTable() {
  compute(graph, options);
}
DistanceTable::~DistanceTable() = default;
DistanceTable::DistanceTable(DistanceTable&& other) noexcept = default;
DistanceTable& DistanceTable::operator=(DistanceTable&& other) noexcept = default;

void DistanceTable::compute(const Graph& graph, const PathOptions& options) {
  memory_->compute(graph, options);
}

int DistanceTable::nodes() const { return memory_->nodes_; }
const PathRun& DistanceTable::run() const { return memory_->run_; }
Device DistanceTable::device() const {
  return memory_->square_.empty() ? Device::cpu() : memory_->device_;
}

Image<float> DistanceTable::rows(std::span<const std::int32_t> nodes) const {
  const int count = this->nodes();
  for (const std::int32_t node : nodes)
    if (node < 0 || node >= count)
      throw InvalidArgument(
          fmt::format("DistanceTable: row of node {}; there are {} nodes", node, count));
  if (nodes.empty()) return {};
  Image<float> rows(count, static_cast<int>(nodes.size()));
  for (int i = 0; i < rows.height(); ++i) {
    const std::int32_t node = nodes[static_cast<std::size_t>(i)];
    if (memory_->square_.empty())
      memory_->half_.row(node, {rows.row(i), static_cast<std::size_t>(count)});
    else copy(memory_->square_.crop(0, node, count, 1), rows.view().crop(0, i, count, 1));
  }
  return rows;
}

DistanceMatrix DistanceTable::matrix() const {
  DistanceMatrix matrix(nodes());
  if (memory_->square_.empty()) {
    std::copy(memory_->half_.lower().begin(), memory_->half_.lower().end(), matrix.lower().begin());
    return matrix;
  }
  float* to = matrix.lower().data();
  for (int node = 0; node < nodes(); to += ++node)
    copy(memory_->square_.crop(0, node, node + 1, 1), packed_view(to, node + 1, 1));
  return matrix;
}

}  // namespace fovea
