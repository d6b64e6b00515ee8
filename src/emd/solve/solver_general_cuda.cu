// Solves any problem on CUDA, above all those with more bins than fit into shared memory: one lane
// per problem, with the functions of the CPU twin, in memory of its own that the caches hold.
#include "core/launch.cuh"
#include "emd/solve/closed_math.h"
#include "emd/solve/mass_math.h"
#include "emd/solve/solver_cuda.cuh"

namespace fovea::emd::cuda {
namespace {

constexpr int kLanes = 64;  // lanes per block
constexpr int kBlocksPerUnit = 4;
constexpr int kRoom = 65;  // bins and the extra one

using lane::Batch;
using lane::MassRows;
using lane::MassType;

struct Whole {
  std::int64_t first[kRoom];
  std::int64_t second[kRoom];
  MovedMass mass;
  bool equal;  // whether both histograms have the same mass
};

// Where the flow of a problem is written.
struct FlowRow {
  double* to;
  int columns;
  FlowScale scale;
  __device__ void add(int i, int j, std::int64_t mass) const {
    to[i * columns + j] += scale(static_cast<double>(mass));
  }
};

struct Found {
  Status status;
  int pivots;
  SolvedBy solver;
};

// The masses of a problem, of any type.
struct MassReader {
  const MassRows& rows;
  int problem;
  __device__ double operator[](int bin) const {
    const std::ptrdiff_t at = problem * rows.stride + bin;
    if (rows.type == MassType::kUint8) return static_cast<const std::uint8_t*>(rows.data)[at];
    if (rows.type == MassType::kUint16) return static_cast<const std::uint16_t*>(rows.data)[at];
    if (rows.type == MassType::kFloat) return static_cast<const float*>(rows.data)[at];
    return static_cast<const double*>(rows.data)[at];
  }
};

__device__ Status load(const Batch& batch, int problem, Whole& pair) {
  const MassReader first{batch.first, problem}, second{batch.second, problem};
  const WholePair whole =
      make_whole(batch.rule.policy, MassSide<MassReader>{first, batch.first.bins, pair.first},
                 MassSide<MassReader>{second, batch.second.bins, pair.second});
  const auto balance = balance_of(whole.first_total, whole.second_total);
  pair.mass = whole.mass;
  pair.equal = whole.first_total == whole.second_total;
  pair.first[batch.first.bins] = balance.first;
  pair.second[batch.second.bins] = balance.second;
  return whole.status;
}

template <int kWords>
__device__ Found search(const GeneralTables& tables, Whole& pair, const FlowRow& flow, Wide& cost) {
  using B = Basis<std::int64_t, std::int64_t, kWords>;
  const CostTable<std::int64_t>& table = tables.table;
  if (tables.metric && !tables.auxiliary) {
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
  if (tables.auxiliary) auxiliary_start(basis, table, pair.first, pair.second);
  else
    greedy_start(basis, table, pair.first, pair.second,
                 ScannedCells<typename B::Set>(table, basis.active, B::kColumn0));
  const Status status = improve(basis, table, [&](const B& at) { return price(at, table, false); });
  cost = basis.cost;
  if (tables.auxiliary)  // the surplus was charged for the auxiliary sink
    cost -= static_cast<Wide>(pair.second[table.columns]) * table.costs[table.columns];
  if (flow.to != nullptr) {
    for (int k = 0; k + 1 < basis.lines; ++k) {
      const int line = basis.closed[k], parent = basis.parent[line];
      const int i = B::is_row(line) ? line : parent;
      const int j = (B::is_row(line) ? parent : line) - B::kColumn0;
      if (i < table.rows && j < table.columns) flow.add(i, j, basis.flow[line]);
    }
  }
  if (tables.auxiliary) return {status, basis.pivots, SolvedBy::kAuxiliarySimplex};
  return {status, basis.pivots,
          basis.pivots == 0 ? SolvedBy::kGreedyStart : SolvedBy::kGreedySimplex};
}

template <int kWords>
__device__ Found least_cost(const GeneralTables& tables, Whole& pair, const FlowRow& flow,
                            Wide& cost) {
  const int rows = tables.table.rows, columns = tables.table.columns;
  const bool equal = pair.equal;
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
  return {Status::kOptimal, 0, SolvedBy::kClosedForm};
}

template <int kWords>
__device__ void solve_problem(const GeneralTables& tables, const Batch& batch, int problem) {
  Whole pair;
  FlowRow flow{nullptr, batch.second.bins, {}};
  if (batch.flow != nullptr) {
    flow.to = batch.flow + problem * batch.flow_stride;
    for (int k = 0; k < batch.first.bins * batch.second.bins; ++k) flow.to[k] = 0;
  }
  Found found{load(batch, problem, pair), 0, SolvedBy::kNothing};
  double distance = 0;
  if (found.status == Status::kEmpty) {
    distance = empty_distance(batch.rule, pair.mass);
  } else if (found.status == Status::kOptimal) {
    flow.scale = flow_scale(batch.rule, pair.mass);
    Wide cost = 0;
    found = least_cost<kWords>(tables, pair, flow, cost);
    distance = distance_of(batch.rule, cost, pair.mass);
  }
  batch.distance[problem] = distance;
  if (batch.status != nullptr) batch.status[problem] = found.status;
  if (batch.pivots != nullptr)
    batch.pivots[problem] = static_cast<std::uint16_t>(min(found.pivots, 65535));
  if (batch.solved_by != nullptr) batch.solved_by[problem] = found.solver;
}

template <int kWords>
__global__ void __launch_bounds__(kLanes)
    general_kernel(GeneralTables tables, const __grid_constant__ Batch batch, lane::Queue from) {
  const int entries = from.problems != nullptr ? *from.count : batch.problems;
  const auto stride = static_cast<int>(fovea::cuda::thread_total());
  for (auto entry = static_cast<int>(fovea::cuda::thread_number()); entry < entries;
       entry += stride)
    solve_problem<kWords>(tables, batch, from.problems != nullptr ? from.problems[entry] : entry);
}

}  // namespace

void solve_general(const GeneralTables& tables, const Batch& batch, lane::Source source,
                   cudaStream_t stream) {
  const unsigned blocks =
      fovea::cuda::blocks_within(batch.problems, kLanes, kBlocksPerUnit, "emd solver");
  lane::Queue from = source == lane::Source::kUneven ? batch.uneven : batch.unproved;
  if (source == lane::Source::kAll) from.problems = nullptr;
  if (tables.table.rows < 32 && tables.table.columns < 32)
    general_kernel<1><<<blocks, kLanes, 0, stream>>>(tables, batch, from);
  else general_kernel<3><<<blocks, kLanes, 0, stream>>>(tables, batch, from);
  fovea::cuda::check_launch("emd solver");
}

}  // namespace fovea::emd::cuda
