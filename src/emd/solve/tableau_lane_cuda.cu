// Shaffer's simplex on CUDA: 4, 8 or 16 lanes per problem, so that a warp holds 8, 4 or 2 problems
// in its registers and no lane waits for another warp.
#include "core/launch.cuh"
#include "emd/solve/lane_solver_load_math.h"
#include "emd/solve/solver_cuda.cuh"
#include "emd/solve/tableau_lane_math.h"

namespace fovea::emd::cuda {
namespace {

using lane::Batch;
using lane::MassRows;
using lane::MassType;
using tableau::Candidate;
using tableau::kAuxiliary;
using tableau::kSide;
using tableau::kSlack;
using tableau::Limit;

constexpr int kThreads = 128;  // threads per block
constexpr int kBlocksPerUnit = 8;
constexpr unsigned kWarp = ~0U;

template <class Cost, int kBins>
struct TableauCosts {
  Cost cost[kBins][kBins];
  Cost dear;
  Cost greatest;
};

// The lanes that hold a problem together. All lanes of a warp must call these functions.
template <int kLanes>
struct Group {
  template <class T>
  static __device__ T from(T value, int lane) {
    return __shfl_sync(kWarp, value, lane, kLanes);
  }
  template <class T>
  static __device__ T sum(T value) {
    FOVEA_UNROLL
    for (int apart = kLanes / 2; apart > 0; apart /= 2)
      value += __shfl_xor_sync(kWarp, value, apart, kLanes);
    return value;
  }
  static __device__ bool all(bool value) {
    const unsigned bits = __ballot_sync(kWarp, value);
    constexpr unsigned kMask = kLanes == 32 ? ~0U : (1U << kLanes % 32) - 1;
    return (bits >> threadIdx.x % 32 / kLanes * kLanes & kMask) == kMask;
  }
  template <class Cost>
  static __device__ Candidate<Cost> best(Candidate<Cost> mine, bool first) {
    FOVEA_UNROLL
    for (int apart = kLanes / 2; apart > 0; apart /= 2) {
      const Candidate<Cost> other{__shfl_xor_sync(kWarp, mine.cost, apart, kLanes),
                                  __shfl_xor_sync(kWarp, mine.column, apart, kLanes)};
      // A candidate that is not cheap gets a column after all others.
      if (first ? other.column < mine.column : other.before(mine)) mine = other;
    }
    return mine;
  }
  template <class Mass>
  static __device__ Limit<Mass> best(Limit<Mass> mine) {
    FOVEA_UNROLL
    for (int apart = kLanes / 2; apart > 0; apart /= 2) {
      const Limit<Mass> other{__shfl_xor_sync(kWarp, mine.mass, apart, kLanes),
                              __shfl_xor_sync(kWarp, mine.column, apart, kLanes),
                              __shfl_xor_sync(kWarp, mine.row, apart, kLanes)};
      if (other.before(mine)) mine = other;
    }
    return mine;
  }
};

// The mass of a bin, or -1 where it is not a count.
__device__ std::int32_t read_count(const MassRows& rows, int problem, int bin) {
  if (bin >= rows.bins) return 0;
  const std::ptrdiff_t at = problem * rows.stride + bin;
  if (rows.type == MassType::kUint8) return static_cast<const std::uint8_t*>(rows.data)[at];
  if (rows.type == MassType::kUint16) return static_cast<const std::uint16_t*>(rows.data)[at];
  const double mass = rows.type == MassType::kFloat
                          ? static_cast<double>(static_cast<const float*>(rows.data)[at])
                          : static_cast<const double*>(rows.data)[at];
  const bool count = mass >= 0 && mass < lane::kMostCount / kSide && mass == trunc(mass);
  return count ? static_cast<std::int32_t>(mass) : -1;
}

// The end of a problem: the cost of its cells, where mass that is still at the auxiliary sink costs
// the greatest cost.
template <class OneLane, class Costs, int kLanes>
__device__ std::int64_t cost_of(const OneLane& mine, const Costs& costs, std::int64_t excess) {
  std::int64_t cost = 0, waits = 0;
  FOVEA_UNROLL
  for (int side = 0; side < 2; ++side) {
    const int column = mine.basic[side];
    const auto value = static_cast<std::int64_t>(mine.value[side]);
    if (column < kAuxiliary) cost += value * costs.cost[column / kSide][column % kSide];
    else if (column < kSlack) waits += value;
  }
  waits = Group<kLanes>::sum(waits) - excess;
  return Group<kLanes>::sum(cost) + waits * static_cast<std::int64_t>(costs.greatest);
}

template <class Cost, int kBins, int kLanes>
__global__ void __launch_bounds__(kThreads)
    tableau_kernel(const __grid_constant__ TableauCosts<Cost, kBins> costs,
                   const __grid_constant__ Batch batch) {
  using Together = Group<kLanes>;
  using OneLane = tableau::Lane<std::int32_t, Cost, kBins>;
  __shared__ TableauCosts<Cost, kBins> shared;
  for (int k = static_cast<int>(threadIdx.x); k < kBins * kBins; k += kThreads)
    shared.cost[k / kBins][k % kBins] = costs.cost[k / kBins][k % kBins];
  if (threadIdx.x == 0) shared.greatest = costs.greatest;
  __syncthreads();
  constexpr int kGroups = kThreads / kLanes;
  const int me = static_cast<int>(threadIdx.x % kLanes);
  const int group = static_cast<int>(threadIdx.x / kLanes);
  const tableau::Size size{batch.first.bins, batch.second.bins};
  const int rounds = static_cast<int>((batch.problems + std::int64_t{kGroups} * gridDim.x - 1) /
                                      (std::int64_t{kGroups} * gridDim.x));
  for (int round = 0; round < rounds; ++round) {
    const int problem =
        static_cast<int>((std::int64_t{round} * gridDim.x + blockIdx.x) * kGroups + group);
    const bool there = problem < batch.problems;
    const std::int32_t supply = there ? read_count(batch.first, problem, me) : 0;
    const std::int32_t demand = there ? read_count(batch.second, problem, me) : 0;
    const bool counts = Together::all(supply >= 0 && demand >= 0);
    const std::int32_t first_total = Together::sum(supply), second_total = Together::sum(demand);
    const bool uneven =
        !counts || (first_total != second_total && first_total > 0 && second_total > 0 &&
                    batch.rule.policy == MassPolicy::kNormalize);
    const bool empty = counts && (first_total == 0 || second_total == 0);
    bool working = there && !uneven && !empty;
    const std::int32_t more = first_total - second_total;
    const MovedMass mass{more < 0 ? first_total : second_total, more < 0 ? -more : more};
    if (there && !uneven && batch.flow != nullptr)
      for (int k = me; k < size.sources * size.sinks; k += kLanes)
        batch.flow[problem * batch.flow_stride + k] = 0;
    __syncwarp();

    OneLane mine;
    Cost row[kBins];
    FOVEA_UNROLL
    for (int j = 0; j < kBins; ++j) row[j] = shared.cost[me < kBins ? me : 0][j];
    mine.start(me, size, supply, demand, row, costs.dear);
    Status status = Status::kOptimal;
    int pivots = 0;
    for (int idle = 0; __any_sync(kWarp, working);) {
      const bool first = idle > 2 * kSide;
      const Candidate<Cost> entering = Together::best(mine.cheapest(me, first), first);
      if (entering.cost >= 0) working = false;
      if (working && pivots >= batch.max_pivots) {
        status = Status::kPivotLimit;
        working = false;
      }
      const Limit<std::int32_t> limit = Together::best(mine.tightest(me, entering.column));
      const int at = limit.row < 0 ? 0 : limit.row;
      tableau::Row<kBins> pivot;
      FOVEA_UNROLL
      for (int w = 0; w < tableau::Row<kBins>::kWords; ++w) {
        pivot.plus[w] =
            Together::from(at % 2 == 0 ? mine.row[0].plus[w] : mine.row[1].plus[w], at / 2);
        pivot.minus[w] =
            Together::from(at % 2 == 0 ? mine.row[0].minus[w] : mine.row[1].minus[w], at / 2);
      }
      if (working) {
        mine.update(me, entering, at, limit.mass, pivot);
        idle = limit.mass > 0 ? 0 : idle + 1;
        ++pivots;
      }
    }
    const std::int64_t cost =
        cost_of<OneLane, TableauCosts<Cost, kBins>, kLanes>(mine, shared, more > 0 ? more : 0);
    if (there && !uneven && me == 0) {
      const double distance =
          empty ? empty_distance(batch.rule, mass) : distance_of(batch.rule, cost, mass);
      lane::hand_in(batch, problem, distance, empty ? Status::kEmpty : status, pivots);
    }
    if (there && !uneven && !empty && batch.flow != nullptr) {
      const double scale =
          batch.rule.policy == MassPolicy::kNormalize ? 1.0 / static_cast<double>(mass.moved) : 1.0;
      FOVEA_UNROLL
      for (int side = 0; side < 2; ++side) {
        const int source = mine.basic[side] / kSide, sink = mine.basic[side] % kSide;
        if (mine.basic[side] < kAuxiliary)
          batch.flow[problem * batch.flow_stride + source * size.sinks + sink] =
              mine.value[side] * scale;
      }
    }
    lane::enqueue(batch.uneven, there && uneven && me == 0, problem);
    __syncwarp();
  }
}

template <class Cost, int kBins, int kLanes>
void launch(const CostPlan& plan, const Batch& batch, cudaStream_t stream) {
  TableauCosts<Cost, kBins> costs{};
  std::int64_t greatest = 0;
  for (int i = 0; i < plan.rows; ++i) {
    for (int j = 0; j < plan.columns; ++j) {
      const std::int64_t cost = plan.costs64[static_cast<std::size_t>(i * plan.stride + j)];
      costs.cost[i][j] = static_cast<Cost>(cost);
      greatest = std::max(greatest, cost);
    }
  }
  // No path between a source and a sink has more cells than sources.
  costs.greatest = static_cast<Cost>(greatest);
  costs.dear = static_cast<Cost>(greatest * (std::min(plan.rows, plan.columns) + 1) + 1);
  const unsigned blocks =
      fovea::cuda::blocks_within(batch.problems, kThreads / kLanes, kBlocksPerUnit, "emd solver");
  tableau_kernel<Cost, kBins, kLanes><<<blocks, kThreads, 0, stream>>>(costs, batch);
  fovea::cuda::check_launch("emd solver");
}

template <class Cost>
void launch_size(const CostPlan& plan, const Batch& batch, cudaStream_t stream) {
  const int bins = std::max(plan.rows, plan.columns);
  if (bins <= 4) launch<Cost, 4, 4>(plan, batch, stream);
  else if (bins <= 8) launch<Cost, 8, 8>(plan, batch, stream);
  else if (bins <= 11) launch<Cost, 11, 16>(plan, batch, stream);
  else launch<Cost, kMostLaneBins, 16>(plan, batch, stream);
}

}  // namespace

void solve_tableau(const CostPlan& plan, const Batch& batch, cudaStream_t stream) {
  if (plan.width == CostWidth::k64) launch_size<std::int64_t>(plan, batch, stream);
  else launch_size<std::int32_t>(plan, batch, stream);
}

}  // namespace fovea::emd::cuda
