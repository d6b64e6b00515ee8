// Minimum cuts by push-relabel (Goldberg and Tarjan, JACM 1988), in rounds in which all nodes act
// at once: every node with excess pushes it down by the heights at the round's beginning, then
// every node that still has some is lifted above its lowest neighbor. Now and then heights are set
// to the exact distances by a search (Cherkassky and Goldberg, Algorithmica 1997).
//
// Flow runs backward, from the sink of the problem to its source, because the first phase of
// push-relabel ends as soon as no excess can go on, and then the nodes that still reach the end of
// the flow are the smallest side around it that any minimum cut has. The second phase, which
// returns stranded excess, is not needed.
//
// A small network is solved by one block, many of them in one launch. A large one is solved by the
// whole device, with one launch per half of a round and per level of a search. In both cases the
// host comes back now and then, to look for a request to stop.
#include <algorithm>
#include <numeric>

#include "core/launch.cuh"
#include "ops/max_flow/backend.h"
#include "ops/max_flow/flow_arrays.h"

namespace fovea::cuda {
namespace {

struct CutTuning {
  static constexpr int kBlock = 512;     // threads that solve a small network
  static constexpr int kThreads = 256;   // threads of a block of a large network
  static constexpr int kRounds = 64;     // rounds between two searches, or half as many as the
                                         // search had levels where that is more
  static constexpr int kSearches = 16;   // searches per launch of a small network
  static constexpr int kLevels = 32;     // levels of a large network between two looks at the front
  static constexpr int kBlocksEach = 8;  // blocks per multiprocessor that visit a front
};

using Count = unsigned long long;  // what CUDA's atomic sums take

constexpr int kUnreached = 1 << 30;  // the height of nodes that have no way to the end

// Networks on the device, one behind the other. Arcs of a node stand together.
struct FlowView {
  const std::int32_t* first;    // one per node and one more
  const std::int32_t* to;       // one per arc
  const std::int32_t* reverse;  // one per arc
  std::int64_t* residual;       // one per arc
  std::int64_t* excess;         // one per node
  std::int64_t* room;           // one per node: what it can still give to the end of the flow
  std::int32_t* height;         // one per node
  std::int32_t* queue;          // twice as many as nodes
};

__device__ std::int64_t excess_of(const FlowView& flow, int node) {
  return *const_cast<const volatile std::int64_t*>(flow.excess + node);
}
__device__ bool is_active(const FlowView& flow, int node) {
  return excess_of(flow, node) > 0 && flow.height[node] < kUnreached;
}
__device__ void add_excess(const FlowView& flow, int node, std::int64_t more) {
  atomicAdd(reinterpret_cast<Count*>(flow.excess + node), static_cast<Count>(more));
}

// Heights do not change meanwhile, so that of two neighbors only the higher one touches the two
// directions of their arc. Excess that arrives meanwhile waits for the next round.
__device__ void push(const FlowView& flow, int node) {
  const std::int64_t excess = excess_of(flow, node);
  if (excess <= 0) return;
  const int height = flow.height[node];
  if (height >= kUnreached) return;
  std::int64_t left = excess;
  if (height == 1) {
    const std::int64_t gift = min(left, flow.room[node]);
    flow.room[node] -= gift;
    left -= gift;
  }
  const int end = flow.first[node + 1];
  for (int arc = flow.first[node]; arc < end && left > 0; ++arc) {
    const int next = flow.to[arc];
    if (flow.height[next] != height - 1) continue;
    const std::int64_t gift = min(left, flow.residual[arc]);
    if (gift == 0) continue;
    flow.residual[arc] -= gift;
    flow.residual[flow.reverse[arc]] += gift;
    add_excess(flow, next, gift);
    left -= gift;
  }
  if (left != excess) add_excess(flow, node, left - excess);
}

// Lifts a node that cannot push, and returns whether it is still active. Neighbors may be lifted
// meanwhile: they only rise, so that no node comes to lie more than 1 above another that it could
// push to.
__device__ bool lift(const FlowView& flow, int node) {
  if (excess_of(flow, node) <= 0) return false;
  volatile std::int32_t* const heights = flow.height;
  const int height = heights[node];
  if (height >= kUnreached) return false;
  int lowest = flow.room[node] > 0 ? 0 : kUnreached;
  const int end = flow.first[node + 1];
  for (int arc = flow.first[node]; arc < end; ++arc)
    if (flow.residual[arc] > 0) lowest = min(lowest, heights[flow.to[arc]]);
  if (lowest < height) return true;
  heights[node] = min(lowest + 1, kUnreached);
  return lowest + 1 < kUnreached;
}

// The first step of a search: returns whether the node is at its beginning.
__device__ bool begin_search(const FlowView& flow, int node) {
  const bool near = flow.room[node] > 0;
  flow.height[node] = near ? 1 : kUnreached;
  return near;
}
// Visits the nodes that could push to this one. found(node) is called once per node of the search.
template <class Found>
__device__ void search_from(const FlowView& flow, int node, int level, const Found& found) {
  const int end = flow.first[node + 1];
  for (int arc = flow.first[node]; arc < end; ++arc) {
    const int next = flow.to[arc];
    if (flow.height[next] == kUnreached && flow.residual[flow.reverse[arc]] > 0 &&
        atomicCAS(flow.height + next, kUnreached, level + 1) == kUnreached)
      found(next);
  }
}

// Sets all heights of a block's network. Returns the number of levels.
__device__ int search_block(const FlowView& flow, int begin, int end, int& tail) {
  const auto thread = static_cast<int>(threadIdx.x);
  std::int32_t* const queue = flow.queue + begin;
  const auto found = [&](int node) { queue[atomicAdd(&tail, 1)] = node; };
  if (thread == 0) tail = 0;
  __syncthreads();
  for (int node = begin + thread; node < end; node += CutTuning::kBlock)
    if (begin_search(flow, node)) found(node);
  __syncthreads();
  int level = 0, front = 0;
  for (;;) {
    const int back = tail;
    __syncthreads();  // everybody knows the front's end before it grows
    if (front == back) return level;
    ++level;
    for (int i = front + thread; i < back; i += CutTuning::kBlock)
      search_from(flow, queue[i], level, found);
    front = back;
    __syncthreads();
  }
}

__device__ bool any_active(const FlowView& flow, int begin, int end) {
  int active = 0;
  for (int node = begin + static_cast<int>(threadIdx.x); node < end; node += CutTuning::kBlock)
    if (is_active(flow, node)) active = 1;
  return __syncthreads_or(active) != 0;
}

// One block per network of the list. nodes: where each network's nodes begin, and where the last
// ones end. open: one per network, 0 once it is solved; heights are then exact.
__global__ void __launch_bounds__(CutTuning::kBlock)
    solve_kernel(FlowView flow, const std::int32_t* list, const std::int32_t* nodes, int* open) {
  using T = CutTuning;
  __shared__ int tail;
  const int network = list[blockIdx.x];
  const int begin = nodes[network], end = nodes[network + 1];
  const auto thread = static_cast<int>(threadIdx.x);
  for (int search = 0; search < T::kSearches; ++search) {
    const int levels = search_block(flow, begin, end, tail);
    if (!any_active(flow, begin, end)) {
      if (thread == 0) open[network] = 0;
      return;
    }
    const int rounds = max(T::kRounds, levels / 2);
    for (int round = 0; round < rounds; ++round) {
      for (int node = begin + thread; node < end; node += T::kBlock) push(flow, node);
      __syncthreads();
      int active = 0;
      for (int node = begin + thread; node < end; node += T::kBlock)
        if (lift(flow, node)) active = 1;
      if (__syncthreads_or(active) == 0) break;
    }
  }
}

// The counters of a large network's search. The front of level l is in half l % 2 of the queue, and
// its length in lengths[l % 3]: one length is read, one grows, and one is cleared for the next
// level.
struct Fronts {
  int lengths[3];
  int active;  // 1 where a node has excess that can go on
};

// Starts level 1, with a length of 0.
__global__ void __launch_bounds__(CutTuning::kThreads)
    begin_kernel(FlowView flow, int nodes, Fronts* fronts) {
  const auto node = static_cast<int>(thread_number());
  if (node >= nodes) return;
  if (begin_search(flow, node)) flow.queue[nodes + atomicAdd(&fronts->lengths[1], 1)] = node;
}

__global__ void __launch_bounds__(CutTuning::kThreads)
    level_kernel(FlowView flow, int nodes, int level, Fronts* fronts) {
  const std::int32_t* const front = flow.queue + (level % 2 == 0 ? 0 : nodes);
  std::int32_t* const next = flow.queue + (level % 2 == 0 ? nodes : 0);
  const int length = fronts->lengths[level % 3];
  int* const grows = &fronts->lengths[(level + 1) % 3];
  if (thread_number() == 0) fronts->lengths[(level + 2) % 3] = 0;
  for (unsigned i = thread_number(); i < static_cast<unsigned>(length); i += thread_total())
    search_from(flow, front[i], level, [&](int node) { next[atomicAdd(grows, 1)] = node; });
}

__global__ void __launch_bounds__(CutTuning::kThreads)
    active_kernel(FlowView flow, int nodes, Fronts* fronts) {
  const auto node = static_cast<int>(thread_number());
  if (node < nodes && is_active(flow, node)) fronts->active = 1;
}

__global__ void __launch_bounds__(CutTuning::kThreads) push_kernel(FlowView flow, int nodes) {
  const auto node = static_cast<int>(thread_number());
  if (node < nodes) push(flow, node);
}

__global__ void __launch_bounds__(CutTuning::kThreads) lift_kernel(FlowView flow, int nodes) {
  const auto node = static_cast<int>(thread_number());
  if (node < nodes) lift(flow, node);
}

// Networks in the memory of the device, for as long as they are solved.
class FlowMemory {
 public:
  FlowMemory(const detail::FlowArrays& arrays, cudaStream_t stream)
      : stream_(stream),
        first_(arrays.first.size(), stream),
        to_(arrays.to.size(), stream),
        reverse_(arrays.to.size(), stream),
        height_(arrays.excess.size(), stream),
        queue_(2 * arrays.excess.size(), stream),
        residual_(arrays.to.size(), stream),
        excess_(arrays.excess.size(), stream),
        room_(arrays.excess.size(), stream) {
    first_.fill(arrays.first.data());
    excess_.fill(arrays.excess.data());
    room_.fill(arrays.room.data());
    if (arrays.to.empty()) return;
    to_.fill(arrays.to.data());
    reverse_.fill(arrays.reverse.data());
    residual_.fill(arrays.residual.data());
  }

  FlowView view() const {
    return {first_.data(),  to_.data(),   reverse_.data(), residual_.data(),
            excess_.data(), room_.data(), height_.data(),  queue_.data()};
  }
  std::vector<std::int32_t> heights() const {
    std::vector<std::int32_t> result(height_.size());
    fetch(result.data(), height_.data(), result.size());
    return result;
  }
  template <class V>
  void fetch(V* to, const V* from, std::size_t count) const {
    check(cudaMemcpyAsync(to, from, count * sizeof(V), cudaMemcpyDeviceToHost, stream_),
          "minimum cut");
    check(cudaStreamSynchronize(stream_), "minimum cut");
  }

 private:
  cudaStream_t stream_;
  DeviceBuffer<std::int32_t> first_, to_, reverse_, height_, queue_;
  DeviceBuffer<std::int64_t> residual_, excess_, room_;
};

// Solves networks that are small enough for a block.
void solve_small(const FlowMemory& memory, const detail::FlowArrays& arrays, const Exec& exec,
                 cudaStream_t stream) {
  const std::size_t count = arrays.networks();
  std::vector<std::int32_t> list(count);
  std::iota(list.begin(), list.end(), 0);
  std::vector<int> open(count, 1);
  DeviceBuffer<std::int32_t> nodes(count + 1, stream), left(count, stream);
  DeviceBuffer<int> marks(count, stream);
  nodes.fill(arrays.nodes.data());
  marks.fill(open.data());
  while (!list.empty()) {
    throw_if_stopped(exec);
    upload(left.data(), list.data(), list.size() * sizeof(std::int32_t), stream);
    solve_kernel<<<static_cast<unsigned>(list.size()), CutTuning::kBlock, 0, stream>>>(
        memory.view(), left.data(), nodes.data(), marks.data());
    check_launch("minimum cuts");
    memory.fetch(open.data(), marks.data(), count);
    std::erase_if(
        list, [&](std::int32_t network) { return open[static_cast<std::size_t>(network)] == 0; });
  }
}

// Solves one network with the whole device.
class LargeFlow {
 public:
  LargeFlow(const FlowMemory& memory, int nodes, const Exec& exec, cudaStream_t stream)
      : memory_(memory),
        flow_(memory.view()),
        nodes_(nodes),
        blocks_(blocks_for(nodes, CutTuning::kThreads)),
        visitors_(blocks_within(nodes, CutTuning::kThreads, CutTuning::kBlocksEach, "minimum cut")),
        exec_(exec),
        stream_(stream),
        fronts_(1, stream) {}

  void run() {
    using T = CutTuning;
    for (;;) {
      const int levels = search();
      if (fetched().active == 0) return;
      const int rounds = std::max(T::kRounds, levels / 2);
      for (int round = 0; round < rounds; ++round) {
        if (round % T::kRounds == 0) throw_if_stopped(exec_);
        push_kernel<<<blocks_, T::kThreads, 0, stream_>>>(flow_, nodes_);
        check_launch("minimum cut");
        lift_kernel<<<blocks_, T::kThreads, 0, stream_>>>(flow_, nodes_);
        check_launch("minimum cut");
      }
    }
  }

 private:
  // Sets all heights and finds out whether any node is active. Returns about how many levels there
  // were.
  int search() {
    using T = CutTuning;
    fronts_.set_bytes(0);
    begin_kernel<<<blocks_, T::kThreads, 0, stream_>>>(flow_, nodes_, fronts_.data());
    check_launch("minimum cut");
    int level = 1;
    do {
      throw_if_stopped(exec_);
      for (const int last = level + T::kLevels; level < last; ++level) {
        level_kernel<<<visitors_, T::kThreads, 0, stream_>>>(flow_, nodes_, level, fronts_.data());
        check_launch("minimum cut");
      }
    } while (fetched().lengths[level % 3] > 0);
    active_kernel<<<blocks_, T::kThreads, 0, stream_>>>(flow_, nodes_, fronts_.data());
    check_launch("minimum cut");
    return level;
  }
  Fronts fetched() const {
    Fronts fronts{};
    memory_.fetch(&fronts, fronts_.data(), 1);
    return fronts;
  }

  const FlowMemory& memory_;
  FlowView flow_;
  int nodes_;
  unsigned blocks_, visitors_;
  const Exec& exec_;
  cudaStream_t stream_;
  DeviceBuffer<Fronts> fronts_;
};

}  // namespace

std::vector<detail::CutSides> source_sides(std::span<const detail::CutNetwork> networks,
                                           const Exec& exec) {
  std::vector<detail::CutSides> sides(networks.size());
  Session session(exec);
  session.must_wait();
  for (const detail::FlowBatch& batch : detail::flow_batches(networks)) {
    const std::vector<std::size_t>& which = batch.networks;
    const detail::FlowArrays arrays = detail::make_flow_arrays(networks, which);
    const FlowMemory memory(arrays, session.stream());
    if (batch.whole_device)
      LargeFlow(memory, networks[which[0]].nodes(), exec, session.stream()).run();
    else solve_small(memory, arrays, exec, session.stream());
    const std::vector<std::int32_t> heights = memory.heights();
    for (std::size_t i = 0; i < which.size(); ++i)
      std::transform(heights.begin() + arrays.nodes[i], heights.begin() + arrays.nodes[i + 1],
                     std::back_inserter(sides[which[i]]), [](std::int32_t height) {
                       return static_cast<std::uint8_t>(height < kUnreached ? 1 : 0);
                     });
  }
  session.finish("minimum cuts");
  return sides;
}

}  // namespace fovea::cuda
