// Shaffer's simplex on CUDA: 4, 8 or 16 lanes per problem, so that a warp holds 8, 4 or 2 problems
// in its registers and no lane waits for another warp. Masses are whole; those that are normalized
// are multiplied to the least common multiple of the two totals.
#include "core/launch.cuh"
#include "emd/solve/lane_solver_load_math.h"
#include "emd/solve/mass_math.h"
#include "emd/solve/solver_cuda.cuh"
#include "emd/solve/tableau_lane_math.h"

namespace fovea::emd::cuda {
namespace {

using lane::Batch;
using lane::MassRows;
using lane::MassType;
using lane::Next;
using lane::Queue;
using lane::Source;
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
  static __device__ Wide sum(Wide value) {
    FOVEA_UNROLL
    for (int apart = kLanes / 2; apart > 0; apart /= 2) {
      const auto low = static_cast<std::uint64_t>(value);
      const auto high = static_cast<std::int64_t>(value >> 64);
      const std::uint64_t other_low = __shfl_xor_sync(kWarp, low, apart, kLanes);
      const std::int64_t other_high = __shfl_xor_sync(kWarp, high, apart, kLanes);
      value += (static_cast<Wide>(other_high) << 64) + static_cast<Wide>(other_low);
    }
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

// The masses of a problem as one of its lanes holds them.
template <class Mass>
struct Load {
  Next next;
  Mass supply, demand;
  std::int64_t more;  // the total of the supplies minus that of the demands
  MovedMass mass;
};

// A mass of any type.
__device__ double read_real(const MassRows& rows, std::ptrdiff_t at) {
  return rows.type == MassType::kFloat
             ? static_cast<double>(static_cast<const float*>(rows.data)[at])
             : static_cast<const double*>(rows.data)[at];
}
__device__ double read_mass(const MassRows& rows, std::ptrdiff_t at) {
  if (rows.type == MassType::kUint8) return static_cast<const std::uint8_t*>(rows.data)[at];
  if (rows.type == MassType::kUint16) return static_cast<const std::uint16_t*>(rows.data)[at];
  return read_real(rows, at);
}
// The mass of a bin, 0 behind the last one, or -1 where it is not a count up to `most`.
__device__ std::int32_t read_count(const MassRows& rows, int problem, int bin, std::int32_t most) {
  if (bin >= rows.bins) return 0;
  const std::ptrdiff_t at = problem * rows.stride + bin;
  if (rows.type == MassType::kUint8) return static_cast<const std::uint8_t*>(rows.data)[at];
  if (rows.type == MassType::kUint16) return static_cast<const std::uint16_t*>(rows.data)[at];
  const double mass = read_real(rows, at);
  const bool count = mass >= 0 && mass <= most && mass == trunc(mass);  // false for NaN
  return count ? static_cast<std::int32_t>(mass) : -1;
}

struct MassReader {
  const MassRows& rows;
  int problem;
  __device__ double operator[](int bin) const {
    return read_mass(rows, problem * rows.stride + bin);
  }
};

// Loads masses of 32 bits, each lane those of its own bins. Pairs that do not fit are kUneven.
template <int kLanes>
__device__ Load<std::int32_t> load_masses(const Batch& batch, int problem, int me, std::int32_t) {
  using Together = Group<kLanes>;
  const std::int32_t first = read_count(batch.first, problem, me, batch.most_total);
  const std::int32_t second = read_count(batch.second, problem, me, batch.most_total);
  const bool counts = Together::all(first >= 0 && second >= 0);
  Load<std::int32_t> load{Next::kSolve, counts ? first : 0, counts ? second : 0, 0, {}};
  const std::int32_t first_total = Together::sum(load.supply);
  const std::int32_t second_total = Together::sum(load.demand);
  load.more = first_total - second_total;
  load.mass.moved = load.more < 0 ? first_total : second_total;
  load.mass.extra = load.more < 0 ? -load.more : load.more;
  if (!counts || first_total > batch.most_total || second_total > batch.most_total) {
    load.next = Next::kUneven;
  } else if (first_total == 0 || second_total == 0) {
    load.next = Next::kEmpty;
  } else if (batch.rule.policy == MassPolicy::kNormalize) {
    const CountFactors factors = count_factors(first_total, second_total, batch.most_total);
    if (factors.first == 0) load.next = Next::kUneven;
    load.supply *= factors.first;
    load.demand *= factors.second;
    load.more = 0;
    load.mass = {std::int64_t{first_total} * factors.first};
  }
  return load;
}

// Loads masses of 64 bits, of any type. Every lane computes the masses of all bins, so that they
// are those of the CPU to the bit, and takes its own.
template <int kLanes>
__device__ Load<std::int64_t> load_masses(const Batch& batch, int problem, int me, std::int64_t) {
  std::int64_t supplies[kMostLaneBins], demands[kMostLaneBins];
  const MassReader first{batch.first, problem}, second{batch.second, problem};
  const WholePair whole =
      make_whole(batch.rule.policy, MassSide<MassReader>{first, batch.first.bins, supplies},
                 MassSide<MassReader>{second, batch.second.bins, demands});
  Load<std::int64_t> load{Next::kSolve, 0, 0, whole.first_total - whole.second_total, whole.mass};
  if (whole.status == Status::kInvalidMass) load.next = Next::kInvalid;
  else if (whole.status == Status::kEmpty) load.next = Next::kEmpty;
  if (load.next != Next::kSolve) return load;
  if (me < batch.first.bins) load.supply = supplies[me];
  if (me < batch.second.bins) load.demand = demands[me];
  return load;
}

// The end of a problem: the cost of its cells, where mass that is still at the auxiliary sink costs
// the greatest cost.
template <class Sum, int kLanes, class OneLane, class Costs>
__device__ Sum cost_of(const OneLane& mine, const Costs& costs, std::int64_t excess) {
  Sum cost = 0;
  std::int64_t waits = 0;
  FOVEA_UNROLL
  for (int side = 0; side < 2; ++side) {
    const int column = mine.basic[side];
    const auto value = static_cast<std::int64_t>(mine.value[side]);
    if (column < kAuxiliary)
      cost += static_cast<Sum>(value) * costs.cost[column / kSide][column % kSide];
    else if (column < kSlack) waits += value;
  }
  waits = Group<kLanes>::sum(waits) - excess;
  return Group<kLanes>::sum(cost) +
         static_cast<Sum>(waits) * static_cast<std::int64_t>(costs.greatest);
}

// Pivots the problems of a warp until each is optimal or has no pivots left.
template <int kLanes, class Mass, class Cost, int kBins>
__device__ Status pivot_warp(tableau::Lane<Mass, Cost, kBins>& mine, int me, bool working,
                             int max_pivots, int& pivots) {
  using Together = Group<kLanes>;
  Status status = Status::kOptimal;
  pivots = 0;
  for (int idle = 0; __any_sync(kWarp, working);) {
    const bool first = idle > 2 * kSide;
    const Candidate<Cost> entering = Together::best(mine.cheapest(me, first), first);
    if (entering.cost >= 0) working = false;
    if (working && pivots >= max_pivots) {
      status = Status::kPivotLimit;
      working = false;
    }
    const Limit<Mass> limit = Together::best(mine.tightest(me, entering.column));
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
  return status;
}

// from: the problems by number, or all of the batch where it is null. Problems whose masses do not
// fit enter `rest`.
template <class Mass, class Cost, int kBins, int kLanes>
__global__ void __launch_bounds__(kThreads)
    tableau_kernel(const __grid_constant__ TableauCosts<Cost, kBins> costs,
                   const __grid_constant__ Batch batch, Queue from, Queue rest) {
  using Sum = std::conditional_t<sizeof(Mass) == 4, std::int64_t, Wide>;
  __shared__ TableauCosts<Cost, kBins> shared;
  for (int k = static_cast<int>(threadIdx.x); k < kBins * kBins; k += kThreads)
    shared.cost[k / kBins][k % kBins] = costs.cost[k / kBins][k % kBins];
  if (threadIdx.x == 0) shared.greatest = costs.greatest;
  __syncthreads();
  constexpr int kGroups = kThreads / kLanes;
  const int me = static_cast<int>(threadIdx.x % kLanes);
  const int group = static_cast<int>(threadIdx.x / kLanes);
  const tableau::Size size{batch.first.bins, batch.second.bins};
  const int entries = from.problems != nullptr ? *from.count : batch.problems;
  const int rounds = static_cast<int>((entries + std::int64_t{kGroups} * gridDim.x - 1) /
                                      (std::int64_t{kGroups} * gridDim.x));
  for (int round = 0; round < rounds; ++round) {
    const auto entry =
        static_cast<int>((std::int64_t{round} * gridDim.x + blockIdx.x) * kGroups + group);
    // Groups without a problem load the first one, because all lanes of a warp exchange data.
    const bool there = entry < entries;
    const int taken = there ? entry : 0;
    const int problem = from.problems != nullptr ? from.problems[taken] : taken;
    const Load<Mass> load = load_masses<kLanes>(batch, problem, me, Mass{});
    const bool solve = there && load.next == Next::kSolve;
    if (there && load.next != Next::kUneven && batch.flow != nullptr)
      for (int k = me; k < size.sources * size.sinks; k += kLanes)
        batch.flow[problem * batch.flow_stride + k] = 0;
    __syncwarp();

    tableau::Lane<Mass, Cost, kBins> mine;
    Cost row[kBins];
    FOVEA_UNROLL
    for (int j = 0; j < kBins; ++j) row[j] = shared.cost[me < kBins ? me : 0][j];
    mine.start(me, size, load.supply, load.demand, row, costs.dear);
    int pivots = 0;
    const Status status = pivot_warp<kLanes>(mine, me, solve, batch.max_pivots, pivots);
    const Sum cost = cost_of<Sum, kLanes>(mine, shared, load.more > 0 ? load.more : 0);
    if (solve && me == 0)
      lane::hand_in(batch, problem, distance_of(batch.rule, cost, load.mass), status, pivots,
                    sizeof(Mass) == 4 ? SolvedBy::kTableau : SolvedBy::kWideTableau);
    if (there && me == 0 && (load.next == Next::kEmpty || load.next == Next::kInvalid))
      lane::hand_in_unsolved(batch, problem, load.next, load.mass);
    if (solve && batch.flow != nullptr) {
      const FlowScale scale = flow_scale(batch.rule, load.mass);
      FOVEA_UNROLL
      for (int side = 0; side < 2; ++side) {
        const int source = mine.basic[side] / kSide, sink = mine.basic[side] % kSide;
        if (mine.basic[side] < kAuxiliary)
          batch.flow[problem * batch.flow_stride + source * size.sinks + sink] =
              scale(static_cast<double>(mine.value[side]));
      }
    }
    __syncwarp();
    if constexpr (sizeof(Mass) == 4)
      lane::enqueue(rest, there && load.next == Next::kUneven && me == 0, problem);
    __syncwarp();
  }
}

template <class Mass, class Cost, int kBins, int kLanes>
void launch(const CostPlan& plan, const Batch& batch, const Queue& from, cudaStream_t stream) {
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
  tableau_kernel<Mass, Cost, kBins, kLanes>
      <<<blocks, kThreads, 0, stream>>>(costs, batch, from, batch.unproved);
  fovea::cuda::check_launch("emd solver");
}

template <class Cost>
void launch_size(const CostPlan& plan, const Batch& batch, const Queue& from, cudaStream_t stream) {
  using Mass = std::int32_t;
  const int bins = std::max(plan.rows, plan.columns);
  if (bins <= 4) launch<Mass, Cost, 4, 4>(plan, batch, from, stream);
  else if (bins <= 8) launch<Mass, Cost, 8, 8>(plan, batch, from, stream);
  else if (bins <= 11) launch<Mass, Cost, 11, 16>(plan, batch, from, stream);
  else launch<Mass, Cost, kMostLaneBins, 16>(plan, batch, from, stream);
}

}  // namespace

void solve_tableau(const CostPlan& plan, const Batch& batch, Source source, cudaStream_t stream) {
  Queue from = batch.uneven;
  if (source == Source::kAll) from.problems = nullptr;
  if (plan.width == CostWidth::k64) launch_size<std::int64_t>(plan, batch, from, stream);
  else launch_size<std::int32_t>(plan, batch, from, stream);
  launch<std::int64_t, std::int64_t, kMostLaneBins, 16>(plan, batch, batch.unproved, stream);
}

}  // namespace fovea::emd::cuda
