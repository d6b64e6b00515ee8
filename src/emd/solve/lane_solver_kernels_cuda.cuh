// The kernels for lanes. prove: a lane a problem; the cheapest cells are filled and the flow is
// proved optimal or the problem queued. improve: lanes take simplex steps on problems whose trees
// lie in slots of shared memory; after every step the lanes of a block are dealt anew over the
// slots still at work, and slots are refilled together once half of them are free, so that warps
// stay full whatever pivots a problem takes.
#pragma once
#include <algorithm>
#include <utility>

#include "core/on_device.cuh"
#include "emd/solve/lane_solver_load_cuda.cuh"

namespace fovea::emd::lane {

// Chosen on an H200.
struct Tuning {
  static constexpr int kProveLanes = 128;    // of a block
  static constexpr int kImproveLanes = 128;  // and slots
  static constexpr int kRefillBelow = 64;    // slots at work
};

// Where a block of prove keeps its lanes' problems. Potentials take the place of masses.
template <class S>
struct ProveMemory {
  static constexpr int kLanes = Tuning::kProveLanes;
  using Masses = Column<typename S::Mass, kLanes>;
  using Potentials = Column<typename S::Cost, kLanes>;
  using Steps = Column<std::uint16_t, kLanes>;
  union Node {
    typename S::Mass mass[Masses::size(S::kNodes)];
    typename S::Cost potential[Potentials::size(S::kNodes)];
  } node;
  std::uint16_t step[Steps::size(S::kNodes)];
  Tables<S> tables;
};

template <class S>
__device__ void share_tables(const Tables<S>& tables, Tables<S>& shared) {
  static_assert(sizeof(Tables<S>) % 2 == 0);
  const auto* from = reinterpret_cast<const std::uint16_t*>(&tables);
  auto* to = reinterpret_cast<std::uint16_t*>(&shared);
  for (unsigned k = threadIdx.x; k < sizeof(Tables<S>) / 2; k += blockDim.x) to[k] = from[k];
  __syncthreads();
}

template <class S>
__global__ void __launch_bounds__(Tuning::kProveLanes)
    prove_kernel(const __grid_constant__ Tables<S> tables, const __grid_constant__ Batch batch) {
  using Memory = ProveMemory<S>;
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory*>(bytes);
  share_tables(tables, memory.tables);
  const typename Memory::Masses mass(memory.node.mass, threadIdx.x);
  const typename Memory::Potentials potential(memory.node.potential, threadIdx.x);
  const typename Memory::Steps step(memory.step, threadIdx.x);
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int problem = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
       problem < batch.problems; problem += stride) {
    Pair<S> pair;
    const Next next = load_pair<S>(batch, problem, false, pair);
    bool proved = true;
    if (next == Next::kSolve) {
      const Sides sides = place_masses<S>(pair.first, pair.second, mass);
      const typename S::Sum cost = fill_cheapest(tables, memory.tables, sides, mass, step);
      if (batch.flow != nullptr) {
        begin_flow(batch, problem, true, pair);
        for (int at = count_bits(sides.sources | sides.sinks) - 2; at >= 0; --at)
          add_flow<S>(batch, problem, sides, step[at] & 0xFF, step[at] >> 8,
                      static_cast<double>(mass[step[at] & 0xFF]) * pair.flow_scale);
      }
      find_potentials(memory.tables, sides, step, potential);
      proved = find_entering<S, false>(tables, memory.tables, sides, potential).gain >= 0;
      if (proved)
        hand_in(batch, problem, distance_of(batch.rule, cost, pair.mass), Status::kOptimal, 0);
    } else if (next != Next::kUneven) {
      hand_in_unsolved(batch, problem, next, pair.mass);
      if (batch.flow != nullptr) begin_flow(batch, problem, false, pair);
    }
    enqueue(batch.unproved, !proved, problem);
    enqueue(batch.uneven, next == Next::kUneven, problem);
  }
}

// Slots of a block of improve.
template <class S>
struct ImproveMemory {
  static constexpr int kLanes = Tuning::kImproveLanes;
  using Masses = Column<typename S::Mass, kLanes>;
  using Potentials = Column<typename S::Cost, kLanes>;
  using Steps = Column<std::uint16_t, kLanes>;
  using Parents = Column<std::uint8_t, kLanes>;
  using Children = Column<std::uint32_t, kLanes>;
  using SlotTree = Tree<Masses, Potentials, Parents, Children>;

  typename S::Sum cost[kLanes];
  std::int64_t moved[kLanes], extra[kLanes];
  double flow_scale[kLanes];
  typename S::Mass flow[Masses::size(S::kNodes)];
  typename S::Cost potential[Potentials::size(S::kNodes)];
  std::uint32_t children[Children::size(S::kNodes)];
  std::uint16_t step[Steps::size(S::kNodes)];
  std::uint8_t parent[Parents::size(S::kNodes)];
  std::uint32_t sources[kLanes], sinks[kLanes];
  int problem[kLanes];  // < 0: the slot is free
  int pivots[kLanes], exponent[kLanes];
  int slots[kLanes];  // at work, then free
  int at_work[kLanes / 32], next_entry;
  Tables<S> tables;

  __device__ SlotTree tree(int slot) {
    return {Masses(flow, slot), Potentials(potential, slot), Parents(parent, slot),
            Children(children, slot)};
  }
};

// Lists the slots at work and then the free ones; returns how many are at work. All lanes call it.
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

// The start of a problem in a slot.
template <class S>
__device__ void begin(const Tables<S>& tables, const Batch& batch, bool extra, int problem,
                      ImproveMemory<S>& memory, int slot) {
  using Memory = ImproveMemory<S>;
  Pair<S> pair;
  const Next next = load_pair<S>(batch, problem, extra, pair);
  if (batch.flow != nullptr && next != Next::kUneven)
    begin_flow(batch, problem, next == Next::kSolve, pair);
  if (next == Next::kSolve) {
    const auto tree = memory.tree(slot);
    const typename Memory::Steps step(memory.step, slot);
    const Sides sides = place_masses<S>(pair.first, pair.second, tree.flow);
    memory.cost[slot] = fill_cheapest(tables, memory.tables, sides, tree.flow, step);
    find_potentials(memory.tables, sides, step, tree.potential);
    hang_tree<S>(sides, step, tree);
    memory.sources[slot] = sides.sources;
    memory.sinks[slot] = sides.sinks;
    memory.pivots[slot] = 0;
    memory.moved[slot] = pair.mass.moved;
    memory.extra[slot] = pair.mass.extra;
    memory.exponent[slot] = pair.mass.exponent;
    memory.flow_scale[slot] = pair.flow_scale;
    memory.problem[slot] = problem;
  } else if (next != Next::kUneven) {
    hand_in_unsolved(batch, problem, next, pair.mass);
  }
  enqueue(batch.uneven, next == Next::kUneven, problem);
}

template <class S>
__device__ void end(const Batch& batch, Status status, ImproveMemory<S>& memory, int slot) {
  const int problem = memory.problem[slot];
  const MovedMass mass{memory.moved[slot], memory.extra[slot], memory.exponent[slot]};
  hand_in(batch, problem, distance_of(batch.rule, memory.cost[slot], mass), status,
          memory.pivots[slot]);
  memory.problem[slot] = -1;
  if (batch.flow == nullptr) return;
  const Sides sides{memory.sources[slot], memory.sinks[slot]};
  const auto tree = memory.tree(slot);
  for (std::uint32_t rest = sides.sources | sides.sinks; rest != 0; rest &= rest - 1) {
    const int node = __ffs(static_cast<int>(rest)) - 1, parent = tree.parent[node];
    if (parent != node)
      add_flow<S>(batch, problem, sides, node, parent,
                  static_cast<double>(tree.flow[node]) * memory.flow_scale[slot]);
  }
}

// A step of the simplex in a slot.
template <class S>
__device__ void advance(const Tables<S>& tables, const Batch& batch, ImproveMemory<S>& memory,
                        int slot) {
  const Sides sides{memory.sources[slot], memory.sinks[slot]};
  const auto tree = memory.tree(slot);
  const auto entering = find_entering<S, true>(tables, memory.tables, sides, tree.potential);
  if (entering.gain >= 0) {
    end(batch, Status::kOptimal, memory, slot);
  } else if (memory.pivots[slot] >= batch.max_pivots) {
    end(batch, Status::kPivotLimit, memory, slot);
  } else {
    ++memory.pivots[slot];
    memory.cost[slot] += static_cast<typename S::Sum>(pivot(sides, entering, tree)) * entering.gain;
  }
}

// entries: problems by number, all of them where null.
template <class S>
__global__ void __launch_bounds__(Tuning::kImproveLanes)
    improve_kernel(const __grid_constant__ Tables<S> tables, const __grid_constant__ Batch batch,
                   Queue from, bool extra) {
  using Memory = ImproveMemory<S>;
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory*>(bytes);
  const int lane = static_cast<int>(threadIdx.x);
  const int entries = from.problems != nullptr ? *from.count : batch.problems;
  memory.problem[lane] = -1;
  share_tables(tables, memory.tables);
  for (bool more = true;;) {
    const int at_work = deal_slots(memory);
    if (more && at_work <= Tuning::kRefillBelow) {
      const int room = Memory::kLanes - at_work;
      if (lane == 0) memory.next_entry = atomicAdd(from.taken, room);
      __syncthreads();
      const int first = memory.next_entry, entry = first + lane;
      if (lane < room && entry < entries)
        begin(tables, batch, extra, from.problems != nullptr ? from.problems[entry] : entry, memory,
              memory.slots[at_work + lane]);
      more = first + room < entries;
    } else if (at_work > 0) {
      if (lane < at_work) advance(tables, batch, memory, memory.slots[lane]);
    } else {
      return;
    }
    __syncthreads();
  }
}

template <class S>
class ShapeKernels final : public Kernels {
 public:
  ShapeKernels(const LaneCosts& costs, const CellOrder& order, bool extra)
      : tables_(make_tables<S>(costs, order, extra)), extra_(extra) {}

  void prove(const Batch& batch, cudaStream_t stream) const override {
    constexpr std::size_t kBytes = sizeof(ProveMemory<S>);
    constexpr int kLanes = Tuning::kProveLanes;
    fovea::cuda::allow_shared(&prove_kernel<S>, kBytes, "emd solver");
    const unsigned blocks =
        std::min(fovea::cuda::blocks_for(batch.problems, kLanes),
                 resident(reinterpret_cast<const void*>(&prove_kernel<S>), kLanes, kBytes));
    prove_kernel<S><<<blocks, kLanes, kBytes, stream>>>(tables_, batch);
    fovea::cuda::check_launch("emd solver");
  }

  void improve(const Batch& batch, Source source, cudaStream_t stream) const override {
    constexpr std::size_t kBytes = sizeof(ImproveMemory<S>);
    constexpr int kLanes = Tuning::kImproveLanes;
    fovea::cuda::allow_shared(&improve_kernel<S>, kBytes, "emd solver");
    const unsigned blocks =
        std::min(fovea::cuda::blocks_for(batch.problems, kLanes),
                 resident(reinterpret_cast<const void*>(&improve_kernel<S>), kLanes, kBytes));
    Queue from = source == Source::kUneven ? batch.uneven : batch.unproved;
    if (source == Source::kAll) from.problems = nullptr;
    improve_kernel<S><<<blocks, kLanes, kBytes, stream>>>(tables_, batch, from, extra_);
    fovea::cuda::check_launch("emd solver");
  }

 private:
  // Blocks that the current device holds at once.
  static unsigned resident(const void* kernel, int lanes, std::size_t bytes) {
    int device = 0, units = 0, blocks = 0;
    fovea::cuda::check(cudaGetDevice(&device), "emd solver");
    fovea::cuda::check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device),
                       "emd solver");
    fovea::cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, lanes, bytes),
                       "emd solver");
    return static_cast<unsigned>(std::max(1, units * blocks));
  }

  Tables<S> tables_;
  bool extra_;
};

// The smallest of these shapes that has room for so many bins.
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
