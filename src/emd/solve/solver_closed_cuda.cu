// Closed forms on CUDA: sums over bins are in registers and costs among the kernel arguments, so
// that reading histograms takes most of the time.
#include "core/launch.cuh"
#include "emd/solve/lane_solver_load_math.h"
#include "emd/solve/solver_cuda.cuh"

namespace fovea::emd::cuda {
namespace {

constexpr int kLanes = 256;  // lanes per block

using lane::Batch;
using lane::Next;

template <int kBins>
using ShapeOf = lane::Shape<std::int32_t, std::int64_t, std::int64_t, kBins, true>;

template <int kBins>
struct ClosedCosts {
  std::int64_t gap[kBins];          // kLine; 0 after the last bin
  std::int64_t step;                // kCircle, kDiscrete
  std::int64_t cost[kBins][kBins];  // kMonge
};

__device__ std::int32_t magnitude32(std::int32_t value) { return value < 0 ? -value : value; }

template <int kBins>
__device__ std::int64_t line_of(const ClosedCosts<kBins>& costs,
                                const lane::Pair<ShapeOf<kBins>>& pair) {
  std::int64_t cost = 0;
  std::int32_t crosses = 0;
  FOVEA_UNROLL
  for (int k = 0; k < kBins; ++k) {
    crosses += pair.first[k] - pair.second[k];
    cost += magnitude32(crosses) * costs.gap[k];
  }
  return cost;
}

// The median is one of the sums: the one with the least sum of distances to all others.
template <int kBins>
__device__ std::int64_t circle_of(const ClosedCosts<kBins>& costs, int bins,
                                  const lane::Pair<ShapeOf<kBins>>& pair) {
  std::int32_t sums[kBins], crosses = 0;
  FOVEA_UNROLL
  for (int k = 0; k < kBins; ++k) sums[k] = crosses += pair.first[k] - pair.second[k];
  std::int32_t least = INT32_MAX;
  FOVEA_UNROLL
  for (int k = 0; k < kBins; ++k) {
    if (k >= bins) break;
    std::int32_t sum = 0;
    FOVEA_UNROLL
    for (int j = 0; j < kBins; ++j) sum += j < bins ? magnitude32(sums[j] - sums[k]) : 0;
    least = min(least, sum);
  }
  return least * costs.step;
}

template <int kBins>
__device__ std::int64_t discrete_of(const ClosedCosts<kBins>& costs,
                                    const lane::Pair<ShapeOf<kBins>>& pair) {
  std::int32_t more = 0;
  FOVEA_UNROLL
  for (int k = 0; k < kBins; ++k) more += max(pair.first[k] - pair.second[k], 0);
  return more * costs.step;
}

// The walk along both histograms moves, from i to j, the part of the cumulated mass that both
// share.
template <int kBins>
__device__ std::int64_t monge_of(const ClosedCosts<kBins>& costs,
                                 const lane::Pair<ShapeOf<kBins>>& pair) {
  std::int64_t cost = 0;
  std::int32_t from = 0;
  FOVEA_UNROLL
  for (int i = 0; i < kBins; ++i) {
    const std::int32_t until = from + pair.first[i];
    std::int32_t begin = 0;
    FOVEA_UNROLL
    for (int j = 0; j < kBins; ++j) {
      const std::int32_t end = begin + pair.second[j];
      cost += max(min(until, end) - max(from, begin), 0) * costs.cost[i][j];
      begin = end;
    }
    from = until;
  }
  return cost;
}

template <int kBins, GroundForm kForm>
__global__ void __launch_bounds__(kLanes)
    closed_kernel(const __grid_constant__ ClosedCosts<kBins> costs,
                  const __grid_constant__ Batch batch) {
  const auto problem = static_cast<int>(fovea::cuda::thread_number());
  if (problem >= batch.problems) return;
  lane::Pair<ShapeOf<kBins>> pair;
  const Next next = lane::load_pair<ShapeOf<kBins>>(batch, problem, false, pair);
  if (next == Next::kSolve) {
    std::int64_t cost = 0;
    if constexpr (kForm == GroundForm::kLine) cost = line_of(costs, pair);
    else if constexpr (kForm == GroundForm::kCircle)
      cost = circle_of(costs, batch.first.bins, pair);
    else if constexpr (kForm == GroundForm::kDiscrete) cost = discrete_of(costs, pair);
    else cost = monge_of(costs, pair);
    lane::hand_in(batch, problem, distance_of(batch.rule, cost, pair.mass), Status::kOptimal, 0,
                  SolvedBy::kClosedForm);
  } else if (next != Next::kUneven) {
    lane::hand_in_unsolved(batch, problem, next, pair.mass);
  }
  lane::enqueue(batch.uneven, next == Next::kUneven, problem);
}

template <int kBins>
void launch(const CostPlan& plan, const Batch& batch, cudaStream_t stream) {
  ClosedCosts<kBins> costs{};
  for (std::size_t k = 0; k < plan.gaps.size(); ++k) costs.gap[k] = plan.gaps[k];
  costs.step = plan.step;
  for (int i = 0; i < plan.rows; ++i)
    for (int j = 0; j < plan.columns; ++j)
      costs.cost[i][j] = plan.costs64[static_cast<std::size_t>(i * plan.stride + j)];
  const unsigned blocks = fovea::cuda::blocks_for(batch.problems, kLanes);
  if (plan.form == GroundForm::kLine)
    closed_kernel<kBins, GroundForm::kLine><<<blocks, kLanes, 0, stream>>>(costs, batch);
  else if (plan.form == GroundForm::kCircle)
    closed_kernel<kBins, GroundForm::kCircle><<<blocks, kLanes, 0, stream>>>(costs, batch);
  else if (plan.form == GroundForm::kDiscrete)
    closed_kernel<kBins, GroundForm::kDiscrete><<<blocks, kLanes, 0, stream>>>(costs, batch);
  else closed_kernel<kBins, GroundForm::kMonge><<<blocks, kLanes, 0, stream>>>(costs, batch);
  fovea::cuda::check_launch("emd closed form");
}

}  // namespace

void solve_closed(const CostPlan& plan, const Batch& batch, cudaStream_t stream) {
  if (plan.rows <= 8 && plan.columns <= 8) launch<8>(plan, batch, stream);
  else if (plan.rows <= 12 && plan.columns <= 12) launch<12>(plan, batch, stream);
  else launch<kMostLaneBins>(plan, batch, stream);
}

}  // namespace fovea::emd::cuda
