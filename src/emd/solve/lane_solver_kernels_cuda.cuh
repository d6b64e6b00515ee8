// The kernels for lanes. prove: one lane per problem fills the cheapest cells and proves the flow
// optimal, or queues the problem. improve: lanes take simplex steps on problems whose trees are in
// slots of shared memory. After every step the lanes of a block are distributed again over the
// active slots, and slots are refilled together once half of them are free, so that warps stay full
// however many pivots a problem takes.
#pragma once
#include <algorithm>
#include <utility>

#include "core/launch.cuh"
#include "emd/solve/lane_solver_cuda.cuh"
#include "emd/solve/lane_solver_work_math.h"

namespace fovea::emd::lane {

template <class S>
__device__ void share_tables(const Tables<S>& tables, Tables<S>& shared) {
  static_assert(sizeof(Tables<S>) % 2 == 0);
  const auto* from = reinterpret_cast<const std::uint16_t*>(&tables);
  auto* to = reinterpret_cast<std::uint16_t*>(&shared);
  for (unsigned k = threadIdx.x; k < sizeof(Tables<S>) / 2; k += blockDim.x) to[k] = from[k];
  __syncthreads();
}

template <class S, class T>
__global__ void __launch_bounds__(T::kProveLanes)
    prove_kernel(const __grid_constant__ Tables<S> tables, const __grid_constant__ Batch batch) {
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<ProveMemory<S, T>*>(bytes);
  share_tables(tables, memory.tables);
  const ProveLane<S, T> lane(tables, batch, memory, static_cast<int>(threadIdx.x));
  const auto stride = static_cast<int>(fovea::cuda::thread_total());
  for (auto problem = static_cast<int>(fovea::cuda::thread_number()); problem < batch.problems;
       problem += stride) {
    typename ProveLane<S, T>::Work work;
    lane.place(problem, work);
    lane.fill(problem, work);
    lane.find_worth(work);
    lane.finish(problem, work);
  }
}

// Lists the active slots and then the free ones; returns the number of active ones. All lanes call
// it.
template <class Memory>
__device__ int deal_slots(Memory& memory) {
  const int lane = static_cast<int>(threadIdx.x), warp = lane / 32;
  const bool working = memory.problem[lane] >= 0;
  const unsigned bits = __ballot_sync(~0U, working);
  if (lane % 32 == 0) memory.at_work[warp] = __popc(bits);
  __syncthreads();
  int before = 0, all = 0;
  FOVEA_UNROLL
  for (int w = 0; w < Memory::kLanes / 32; ++w) {
    before += w < warp ? memory.at_work[w] : 0;
    all += memory.at_work[w];
  }
  const int rank = before + __popc(bits & ((1U << lane % 32) - 1));
  memory.slots[working ? rank : all + lane - rank] = lane;
  __syncthreads();
  return all;
}

// from: the problems by number, or all of the batch where it is null.
template <class S, class T>
__global__ void __launch_bounds__(T::kImproveLanes)
    improve_kernel(const __grid_constant__ Tables<S> tables, const __grid_constant__ Batch batch,
                   Queue from, bool extra) {
  using Memory = ImproveMemory<S, T>;
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory*>(bytes);
  const Slots<S, T> slots{tables, batch, memory};
  const int lane = static_cast<int>(threadIdx.x);
  const int entries = from.problems != nullptr ? *from.count : batch.problems;
  memory.problem[lane] = -1;
  share_tables(tables, memory.tables);
  for (bool more = true;;) {
    const int at_work = deal_slots(memory);
    if (more && at_work <= T::kRefillBelow) {
      const int room = Memory::kLanes - at_work;
      if (lane == 0) memory.next_entry = atomicAdd(from.taken, room);
      __syncthreads();
      const int first = memory.next_entry, entry = first + lane;
      if (lane < room && entry < entries)
        slots.begin(from.problems != nullptr ? from.problems[entry] : entry, extra,
                    memory.slots[at_work + lane]);
      more = first + room < entries;
    } else if (at_work > 0) {
      if (lane < at_work) slots.advance(memory.slots[lane]);
    } else {
      return;
    }
    __syncthreads();
  }
}

template <class S, class T = Tuning>
class ShapeKernels final : public Kernels {
 public:
  ShapeKernels(const LaneCosts& costs, const CellOrder& order, bool extra)
      : tables_(make_tables<S>(costs, order, extra)), extra_(extra) {}

  void prove(const Batch& batch, cudaStream_t stream) const override {
    constexpr std::size_t kBytes = sizeof(ProveMemory<S, T>);
    constexpr int kLanes = T::kProveLanes;
    fovea::cuda::allow_shared(&prove_kernel<S, T>, kBytes, "emd solver");
    const unsigned blocks = fovea::cuda::blocks_within(
        batch.problems, kLanes,
        resident(reinterpret_cast<const void*>(&prove_kernel<S, T>), kLanes, kBytes), "emd solver");
    prove_kernel<S, T><<<blocks, kLanes, kBytes, stream>>>(tables_, batch);
    fovea::cuda::check_launch("emd solver");
  }

  void improve(const Batch& batch, Source source, cudaStream_t stream) const override {
    constexpr std::size_t kBytes = sizeof(ImproveMemory<S, T>);
    constexpr int kLanes = T::kImproveLanes;
    fovea::cuda::allow_shared(&improve_kernel<S, T>, kBytes, "emd solver");
    const unsigned blocks = fovea::cuda::blocks_within(
        batch.problems, kLanes,
        resident(reinterpret_cast<const void*>(&improve_kernel<S, T>), kLanes, kBytes),
        "emd solver");
    Queue from = source == Source::kUneven ? batch.uneven : batch.unproved;
    if (source == Source::kAll) from.problems = nullptr;
    improve_kernel<S, T><<<blocks, kLanes, kBytes, stream>>>(tables_, batch, from, extra_);
    fovea::cuda::check_launch("emd solver");
  }

 private:
  // The number of blocks that a multiprocessor of the current device holds at once.
  static int resident(const void* kernel, int lanes, std::size_t bytes) {
    int blocks = 0;
    fovea::cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, lanes, bytes),
                       "emd solver");
    return blocks;
  }

  Tables<S> tables_;
  bool extra_;
};

// The smallest of these shapes with enough bins.
template <class Mass, class Cost, class Sum, bool kNet, int... kBins>
std::unique_ptr<Kernels> make_shape(int bins, const LaneCosts& costs, const CellOrder& order,
                                    bool extra) {
  std::unique_ptr<Kernels> made;
  const auto offer = [&]<int kMost>(std::integral_constant<int, kMost>) {
    if (made == nullptr && bins <= kMost)
      made =
          std::make_unique<ShapeKernels<Shape<Mass, Cost, Sum, kMost, kNet>>>(costs, order, extra);
  };
  (offer(std::integral_constant<int, kBins>{}), ...);
  return made;
}

inline int bins_of(const LaneCosts& costs, bool extra) {
  return std::max(costs.rows, costs.columns) + (extra ? 1 : 0);
}

}  // namespace fovea::emd::lane
