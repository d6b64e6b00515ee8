// Computes the distances inside all parts at once, those between all gates, and those from gates to
// all nodes.
#include "ops/shortest_paths/parts.cuh"

#include <algorithm>

#include "ops/shortest_paths/at.h"

namespace fovea::cuda {
namespace {

using detail::at;
using detail::PathPart;
using detail::PathPlan;

constexpr unsigned kThreads = 256;
constexpr float kNoCutoff = kUnreachable;

// A part as kernels read it.
struct PartLists {
  float* distances;
  int side;
  int gates;
  std::int64_t first_arc, arcs;
  const std::int32_t* gate_local;
  const std::int32_t* gate_number;
};

__global__ void arcs_kernel(const PartLists* parts, const GraphArc* arcs) {
  const PartLists part = parts[blockIdx.x];
  for (std::int64_t i = threadIdx.x; i < part.arcs; i += blockDim.x) {
    const GraphArc arc = arcs[part.first_arc + i];
    part.distances[static_cast<std::int64_t>(arc.a) * part.side + arc.b] = arc.cost;
    part.distances[static_cast<std::int64_t>(arc.b) * part.side + arc.a] = arc.cost;
  }
}

__device__ void put(float* square, int side, int a, int b, float distance) {
  atomicMin(reinterpret_cast<int*>(square + static_cast<std::int64_t>(a) * side + b),
            bits_of(distance));
}

// Distances between gates that are nodes of one part, inside that part.
__global__ void pairs_kernel(const PartLists* parts, float* gates, int side) {
  const PartLists part = parts[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < part.gates * part.gates;
       i += static_cast<int>(blockDim.x)) {
    const int a = i / part.gates, b = i % part.gates;
    put(gates, side, part.gate_number[a], part.gate_number[b],
        part.distances[static_cast<std::int64_t>(part.gate_local[a]) * part.side +
                       part.gate_local[b]]);
  }
}

__global__ void gate_arcs_kernel(const GraphArc* arcs, std::int64_t count, float* gates, int side) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  put(gates, side, arcs[i].a, arcs[i].b, arcs[i].cost);
  put(gates, side, arcs[i].b, arcs[i].a, arcs[i].cost);
}

std::size_t local_floats(const PathPlan& plan) {
  std::size_t floats = 0;
  for (const PathPart& part : plan.parts) floats += detail::square_floats(part.locals);
  return floats;
}

}  // namespace

// The lists are the nodes by position, the nodes by column, and the gates of parts in both orders.
Parts::Parts(const PathPlan& plan, const Exec& exec, cudaStream_t stream)
    : plan_(plan),
      stream_(stream),
      lists_(plan.node_at.size() + at(plan.columns) + 2 * plan.gate_local.size(), stream),
      locals_(local_floats(plan), stream),
      gates_(detail::square_floats(plan.gates), stream),
      far_(at(plan.gates) * detail::far_pitch(plan), stream) {
  std::size_t first = 0;
  for (const PathPart& part : plan.parts) {
    first_.push_back(first);
    first += detail::square_floats(part.locals);
  }
  upload_lists();
  close_parts(exec);
  close_gates(exec);
  find_far();
}

void Parts::upload_lists() {
  std::vector<std::int32_t> lists = plan_.node_at;
  lists.resize(plan_.node_at.size() + at(plan_.columns), -1);
  for (const PathPart& part : plan_.parts)
    std::copy_n(plan_.node_at.begin() + part.first, part.own,
                lists.begin() + static_cast<std::ptrdiff_t>(plan_.node_at.size()) + part.column);
  lists.insert(lists.end(), plan_.gate_local.begin(), plan_.gate_local.end());
  lists.insert(lists.end(), plan_.gate_number.begin(), plan_.gate_number.end());
  if (!lists.empty()) lists_.fill(lists.data());
}

const std::int32_t* Parts::nodes_of(const PathPart& part) const {
  return lists_.data() + part.first;
}
const std::int32_t* Parts::columns() const { return lists_.data() + plan_.node_at.size(); }
const std::int32_t* Parts::gate_locals(const PathPart& part) const {
  return columns() + plan_.columns + part.first_gate;
}
const std::int32_t* Parts::gate_numbers(const PathPart& part) const {
  return columns() + plan_.columns + plan_.gate_local.size() + part.first_gate;
}
Strip Parts::inside(const PathPart& part) const {
  const auto number = at(&part - plan_.parts.data());
  return {locals_.data() + first_[number],
          static_cast<std::int64_t>(detail::panels_of(part.locals)) * detail::kPanel, nullptr};
}
Strip Parts::gates_inside(const PathPart& part) const {
  Strip rows = inside(part);
  rows.list = gate_locals(part);
  return rows;
}
Strip Parts::gates_far(const PathPart& part) const {
  return {far_.data(), static_cast<std::int64_t>(detail::far_pitch(plan_)), gate_numbers(part)};
}

void Parts::close_parts(const Exec& exec) {
  std::vector<Square> squares;
  std::vector<PartLists> parts;
  std::size_t pivots = 0;
  for (const PathPart& part : plan_.parts) pivots += detail::pivot_floats(part.locals);
  DeviceBuffer<float> pivot_memory(pivots, stream_);
  pivots = 0;
  for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
    const PathPart& part = plan_.parts[p];
    squares.push_back(
        {locals_.data() + first_[p], pivot_memory.data() + pivots, detail::panels_of(part.locals)});
    pivots += detail::pivot_floats(part.locals);
    parts.push_back({squares.back().distances, squares.back().side(), part.gates,
                     static_cast<std::int64_t>(part.first_arc),
                     static_cast<std::int64_t>(part.arcs), gate_locals(part), gate_numbers(part)});
  }
  DeviceBuffer<Square> squares_there(squares.size(), stream_);
  DeviceBuffer<PartLists> parts_there(parts.size(), stream_);
  DeviceBuffer<GraphArc> arcs(plan_.arcs.size(), stream_);
  squares_there.fill(squares.data());
  parts_there.fill(parts.data());
  if (!plan_.arcs.empty()) arcs.fill(plan_.arcs.data());
  const Squares all{squares, squares_there.data()};
  clear_squares(all, stream_);
  const auto count = static_cast<unsigned>(parts.size());
  launch(arcs_kernel, {dim3(count), kThreads, 0, stream_, "arcs of parts"}, parts_there.data(),
         arcs.data());
  close_squares(all, exec, stream_);
  mirror_squares(all, kNoCutoff, stream_);
  if (plan_.gates == 0) return;
  const Square gates{gates_.data(), nullptr, detail::panels_of(plan_.gates)};
  DeviceBuffer<Square> gates_there(1, stream_);
  gates_there.fill(&gates);
  clear_squares({{&gates, 1}, gates_there.data()}, stream_);
  launch(pairs_kernel, {dim3(count), kThreads, 0, stream_, "gates of parts"}, parts_there.data(),
         gates.distances, gates.side());
}

void Parts::close_gates(const Exec& exec) {
  if (plan_.gates == 0) return;
  DeviceBuffer<float> pivots(detail::pivot_floats(plan_.gates), stream_);
  DeviceBuffer<GraphArc> arcs(plan_.gate_arcs.size(), stream_);
  DeviceBuffer<Square> there(1, stream_);
  const Square gates{gates_.data(), pivots.data(), detail::panels_of(plan_.gates)};
  there.fill(&gates);
  if (!plan_.gate_arcs.empty()) arcs.fill(plan_.gate_arcs.data());
  const auto count = static_cast<std::int64_t>(plan_.gate_arcs.size());
  launch(gate_arcs_kernel,
         {dim3(blocks_for(count, kThreads)), kThreads, 0, stream_, "arcs between gates"},
         arcs.data(), count, gates.distances, gates.side());
  const Squares squares{{&gates, 1}, there.data()};
  close_squares(squares, exec, stream_);
  mirror_squares(squares, kNoCutoff, stream_);
}

void Parts::find_far() {
  if (plan_.gates == 0) return;
  const auto side = static_cast<std::int64_t>(detail::panels_of(plan_.gates)) * detail::kPanel;
  Products products;
  for (const PathPart& part : plan_.parts) {
    Product product;
    product.a[0] = gates_inside(part);
    product.b[0] = {gates_.data(), side, gate_numbers(part)};
    product.rows = part.own;
    product.columns = plan_.gates;
    product.depth = part.gates;
    product.cutoff = kNoCutoff;
    product.to = far_.data() + part.column;
    product.to_pitch = static_cast<std::int64_t>(detail::far_pitch(plan_));
    product.straight = false;
    product.mirrored = true;
    products.add(product);
  }
  products.run(stream_);
}

}  // namespace fovea::cuda
