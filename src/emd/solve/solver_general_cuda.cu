// Any problem on CUDA, above all those with more bins than lanes have room for in shared memory: a
// lane a problem, by the very functions of the CPU twin, in memory of its own that the caches hold.
#include "core/on_device.cuh"
#include "emd/solve/closed_math.h"
#include "emd/solve/solver_cuda.cuh"

namespace fovea::emd::cuda {
namespace {

constexpr int kLanes = 64;  // of a block
constexpr int kBlocksPerUnit = 4;
constexpr int kRoom = 65;  // bins and the extra one

using lane::Batch;
using lane::MassRows;
using lane::MassType;

struct Whole {
  std::int64_t first[kRoom];
  std::int64_t second[kRoom];
  MovedMass mass;
  double flow_scale;
};

// Where the flow of a problem is written.
struct FlowRow {
  double* to;
  int columns;
  double scale;
  __device__ void add(int i, int j, std::int64_t mass) const {
    to[i * columns + j] += static_cast<double>(mass) * scale;
  }
};

struct Found {
  Status status;
  int pivots;
};

__device__ double read_mass(const MassRows& rows, int problem, int bin) {
  const std::ptrdiff_t at = problem * rows.stride + bin;
  if (rows.type == MassType::kUint8) return static_cast<const std::uint8_t*>(rows.data)[at];
  if (rows.type == MassType::kUint16) return static_cast<const std::uint16_t*>(rows.data)[at];
  if (rows.type == MassType::kFloat) return static_cast<const float*>(rows.data)[at];
  return static_cast<const double*>(rows.data)[at];
}

__device__ MassFacts facts_of(const MassRows& rows, int problem, double (&masses)[kRoom]) {
  for (int k = 0; k < rows.bins; ++k) masses[k] = read_mass(rows, problem, k);
  return mass_facts(masses, rows.bins);
}

__device__ std::int64_t make_whole(const MassRows& rows, int problem, int exponent,
                                   std::int64_t (&whole)[kRoom]) {
  std::int64_t total = 0;
  for (int k = 0; k < rows.bins; ++k)
    total += whole[k] = whole_mass(read_mass(rows, problem, k), exponent);
  whole[rows.bins] = 0;
  return total;
}

__device__ Status load(const Batch& batch, int problem, Whole& pair) {
  int exponent = 0;
  {
    double masses[kRoom];
    const MassFacts one = facts_of(batch.first, problem, masses);
    const MassFacts other = facts_of(batch.second, problem, masses);
    if (!one.valid || !other.valid) return Status::kInvalidMass;
    exponent = mass_exponent(one, other);
  }
  std::int64_t first_total = make_whole(batch.first, problem, exponent, pair.first);
  std::int64_t second_total = make_whole(batch.second, problem, exponent, pair.second);
  pair.mass = {first_total, first_total + second_total, exponent};
  if (first_total == 0 || second_total == 0) return Status::kEmpty;
  pair.flow_scale = exponent == 0 ? 1.0 : scalbn(1.0, exponent);
  if (batch.rule.policy == MassPolicy::kNormalise) {
    const MassFactors factors = mass_factors(first_total, second_total);
    if (factors.first > 0) {
      for (int k = 0; k < batch.first.bins; ++k) pair.first[k] *= factors.first;
      for (int k = 0; k < batch.second.bins; ++k) pair.second[k] *= factors.second;
      first_total *= factors.first;
    } else {
      normalise_to(pair.first, batch.first.bins, first_total);
      normalise_to(pair.second, batch.second.bins, second_total);
      first_total = kNormalTotal;
    }
    second_total = first_total;
    pair.flow_scale = 1.0 / static_cast<double>(first_total);
  }
  const std::int64_t more = first_total - second_total;
  pair.mass.moved = more < 0 ? first_total : second_total;
  pair.mass.extra = more < 0 ? -more : more;
  pair.first[batch.first.bins] = more < 0 ? -more : 0;
  pair.second[batch.second.bins] = more > 0 ? more : 0;
  return Status::kOptimal;
}

template <int kWords>
__device__ Found search(const GeneralTables& tables, Whole& pair, const FlowRow& flow, Wide& cost) {
  using B = Basis<std::int64_t, std::int64_t, kWords>;
  const CostTable<std::int64_t>& table = tables.table;
  if (tables.metric) {
    for (int k = 0; k < table.rows; ++k) {
      const std::int64_t stays = min(pair.first[k], pair.second[k]);
      pair.first[k] -= stays;
      pair.second[k] -= stays;
      if (flow.to != nullptr) flow.add(k, k, stays);
    }
  }
  B basis;
  basis.active = B::Set::none();
  for (int i = 0; i <= table.rows; ++i)
    if (pair.first[i] > 0) basis.active.add(i);
  for (int j = 0; j <= table.columns; ++j)
    if (pair.second[j] > 0) basis.active.add(B::kColumn0 + j);
  greedy_start(basis, table, pair.first, pair.second,
               ScannedCells<typename B::Set>(table, basis.active, B::kColumn0));
  const Status status = improve(basis, table, [&](const B& at) { return price(at, table, false); });
  cost = basis.cost;
  if (flow.to != nullptr) {
    for (int k = 0; k + 1 < basis.lines; ++k) {
      const int line = basis.closed[k], parent = basis.parent[line];
      const int i = B::is_row(line) ? line : parent;
      const int j = (B::is_row(line) ? parent : line) - B::kColumn0;
      if (i < table.rows && j < table.columns) flow.add(i, j, basis.flow[line]);
    }
  }
  return {status, basis.pivots};
}

template <int kWords>
__device__ Found least_cost(const GeneralTables& tables, Whole& pair, const FlowRow& flow,
                            Wide& cost) {
  const int rows = tables.table.rows, columns = tables.table.columns;
  const bool equal = pair.mass.extra == 0;
  if (flow.to == nullptr && tables.form == GroundForm::kDiscrete) {
    cost = discrete_cost<Wide>(pair.first, pair.second, tables.step, rows);
  } else if (flow.to == nullptr && equal && tables.form == GroundForm::kLine) {
    cost = line_cost<Wide>(pair.first, pair.second, tables.gaps, rows);
  } else if (flow.to == nullptr && equal && tables.form == GroundForm::kCircle) {
    cost = circle_cost<Wide>(pair.first, pair.second, tables.step, rows);
  } else if (equal && (tables.form == GroundForm::kMonge || tables.form == GroundForm::kLine)) {
    cost = 0;
    walk(pair.first, pair.second, rows, columns, [&](int i, int j, std::int64_t mass) {
      cost += static_cast<Wide>(mass) * tables.table.costs[i * tables.table.stride + j];
      if (flow.to != nullptr) flow.add(i, j, mass);
    });
  } else {
    return search<kWords>(tables, pair, flow, cost);
  }
  return {Status::kOptimal, 0};
}

template <int kWords>
__device__ void solve_problem(const GeneralTables& tables, const Batch& batch, int problem) {
  Whole pair;
  FlowRow flow{nullptr, batch.second.bins, 1};
  if (batch.flow != nullptr) {
    flow.to = batch.flow + problem * batch.flow_stride;
    for (int k = 0; k < batch.first.bins * batch.second.bins; ++k) flow.to[k] = 0;
  }
  Found found{load(batch, problem, pair), 0};
  double distance = 0;
  if (found.status == Status::kEmpty) {
    distance = empty_distance(batch.rule, pair.mass.extra, pair.mass.exponent);
  } else if (found.status == Status::kOptimal) {
    flow.scale = pair.flow_scale;
    Wide cost = 0;
    found = least_cost<kWords>(tables, pair, flow, cost);
    distance = distance_of(batch.rule, cost, pair.mass);
  }
  batch.distance[problem] = distance;
  if (batch.status != nullptr) batch.status[problem] = found.status;
  if (batch.pivots != nullptr)
    batch.pivots[problem] = static_cast<std::uint16_t>(min(found.pivots, 65535));
}

template <int kWords>
__global__ void __launch_bounds__(kLanes)
    general_kernel(GeneralTables tables, const __grid_constant__ Batch batch, lane::Queue from) {
  const int entries = from.problems != nullptr ? *from.count : batch.problems;
  const int stride = static_cast<int>(gridDim.x * kLanes);
  for (int entry = static_cast<int>(blockIdx.x * kLanes + threadIdx.x); entry < entries;
       entry += stride)
    solve_problem<kWords>(tables, batch, from.problems != nullptr ? from.problems[entry] : entry);
}

}  // namespace

void solve_general(const GeneralTables& tables, const Batch& batch, lane::Source source,
                   cudaStream_t stream) {
  int device = 0, units = 0;
  fovea::cuda::check(cudaGetDevice(&device), "emd solver");
  fovea::cuda::check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device),
                     "emd solver");
  const unsigned blocks = std::min(fovea::cuda::blocks_for(batch.problems, kLanes),
                                   static_cast<unsigned>(units * kBlocksPerUnit));
  lane::Queue from = source == lane::Source::kUneven ? batch.uneven : batch.unproved;
  if (source == lane::Source::kAll) from.problems = nullptr;
  if (tables.table.rows < 32 && tables.table.columns < 32)
    general_kernel<1><<<blocks, kLanes, 0, stream>>>(tables, batch, from);
  else general_kernel<3><<<blocks, kLanes, 0, stream>>>(tables, batch, from);
  fovea::cuda::check_launch("emd solver");
}

}  // namespace fovea::emd::cuda
