// Shortest paths from some nodes, with one block of threads per source. The nodes whose distance
// has fallen wait in lists: those within a bound are visited round after round, by all threads at
// once, until there are none; then the bound moves on (Davidson et al., IPDPS 2014, after Meyer and
// Sanders 2003). As on the CPU, the least sum over all paths is one number, whatever the order of
// visits: sums of floats never fall when a term grows.
#include <algorithm>
#include <limits>

#include "ops/shortest_paths/at.h"
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/gpu/graph_lists.cuh"
#include "ops/shortest_paths/host_pipe.cuh"
#include "ops/shortest_paths/min_plus_tile.cuh"

namespace fovea::cuda {
namespace {

using detail::at;

constexpr struct {
  unsigned block = 512;
  double bound_costs =
      32;  // the bound moves on by so many mean costs, divided by the arcs per node
} kTuning;

// What a node waits for.
constexpr int kNothing = 0, kThisBound = 1, kLaterBound = 2;
constexpr int kNoPlace = std::numeric_limits<int>::max();

// Searches that run together. Each has a row of distances, whose bits are kept as integers, and
// scratch memory.
struct Searches {
  Lists graph;
  const std::int32_t* sources;
  int per_search;  // sources of a search
  float cutoff;
  float width;          // by how much the bound moves on
  float* distances;     // one row per search
  int* waits;           // one row per search
  std::int32_t* lists;  // three rows per search
};

// The memory and the counters of one search.
struct Fronts {
  int* distances;
  int* waits;
  std::int32_t* now;    // nodes that are visited in this round,
  std::int32_t* next;   // in the next one,
  std::int32_t* later;  // and beyond the bound
};
struct Counts {
  int now, next, later, least;
};

// Reads what other threads of the block have changed, past the first cache.
__device__ int peek(const int* value) { return *static_cast<const volatile int*>(value); }

__device__ Fronts fronts_of(const Searches& searches) {
  const std::int64_t row = blockIdx.x, nodes = searches.graph.nodes;
  std::int32_t* lists = searches.lists + row * 3 * nodes;
  return {reinterpret_cast<int*>(searches.distances) + row * nodes, searches.waits + row * nodes,
          lists, lists + nodes, lists + 2 * nodes};
}

// A node is in a list at most once: the thread that changes what it waits for enters it.
__device__ void enter(std::int32_t node, int* waits, std::int32_t* list, int* count) {
  if (atomicExch(waits + node, kThisBound) != kThisBound) list[atomicAdd(count, 1)] = node;
}

// Takes a node out of the list of this round. What is read afterwards is not older.
__device__ void leave(std::int32_t node, int* waits) {
  atomicExch(waits + node, kNothing);
  __threadfence_block();
}

// Visits the nodes of this round and makes those of the next one current. Returns false where there
// were none.
template <class Visit>
__device__ bool visit_round(Fronts& fronts, Counts& counts, Visit visit) {
  const int count = counts.now;
  if (count == 0) return false;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    visit(fronts.now[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    counts.now = counts.next;
    counts.next = 0;
  }
  std::int32_t* const free = fronts.now;
  fronts.now = fronts.next;
  fronts.next = free;
  __syncthreads();
  return true;
}

__device__ void relax_arcs(const Searches& searches, const Fronts& fronts, Counts& counts,
                           float bound, std::int32_t node) {
  leave(node, fronts.waits);
  const float distance = __int_as_float(peek(fronts.distances + node));
  const Lists& graph = searches.graph;
  for (std::int64_t i = graph.first[node]; i < graph.first[node + 1]; ++i) {
    const std::int32_t to = graph.neighbors[i];
    const float sum = distance + graph.costs[i];
    if (!(sum <= searches.cutoff)) continue;
    const int bits = bits_of(sum);
    if (bits >= peek(fronts.distances + to)) continue;
    if (bits >= atomicMin(fronts.distances + to, bits)) continue;
    __threadfence_block();  // the distance is there before the node waits
    if (sum <= bound) enter(to, fronts.waits, fronts.next, &counts.next);
    else if (atomicCAS(fronts.waits + to, kNothing, kLaterBound) == kNothing)
      fronts.later[atomicAdd(&counts.later, 1)] = to;
  }
}

// Moves the bound beyond the nearest of the nodes that wait for it, and enters those within it.
// Nodes that no longer wait for it have been visited. Returns false where none waits.
__device__ bool move_on(const Fronts& fronts, Counts& counts, float width, float& bound) {
  const auto thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int count = counts.later;
  if (thread == 0) counts.least = kInfiniteBits;
  __syncthreads();
  for (int i = thread; i < count; i += threads)
    if (peek(fronts.waits + fronts.later[i]) == kLaterBound)
      atomicMin(&counts.least, peek(fronts.distances + fronts.later[i]));
  __syncthreads();
  const int least = counts.least;
  if (least == kInfiniteBits) return false;
  bound = __int_as_float(least) + width;
  if (thread == 0) counts.later = 0;
  for (int begin = 0; begin < count; begin += threads) {
    const std::int32_t node = begin + thread < count ? fronts.later[begin + thread] : -1;
    __syncthreads();  // the list is written where all have read it
    if (node < 0 || peek(fronts.waits + node) != kLaterBound) continue;
    if (__int_as_float(peek(fronts.distances + node)) <= bound)
      enter(node, fronts.waits, fronts.now, &counts.now);
    else fronts.later[atomicAdd(&counts.later, 1)] = node;
  }
  __syncthreads();
  return true;
}

__global__ void __launch_bounds__(kTuning.block) search_kernel(Searches searches) {
  __shared__ Counts counts;
  Fronts fronts = fronts_of(searches);
  const auto thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int node = thread; node < searches.graph.nodes; node += threads) {
    fronts.distances[node] = kInfiniteBits;
    fronts.waits[node] = kNothing;
  }
  if (thread == 0) counts = {0, 0, 0, 0};
  __syncthreads();
  const std::int32_t* sources =
      searches.sources + static_cast<std::int64_t>(blockIdx.x) * searches.per_search;
  for (int i = thread; i < searches.per_search; i += threads) {
    fronts.distances[sources[i]] = 0;
    enter(sources[i], fronts.waits, fronts.now, &counts.now);
  }
  __syncthreads();
  float bound = searches.width;
  do {
    while (visit_round(fronts, counts, [&](std::int32_t node) {
      relax_arcs(searches, fronts, counts, bound, node);
    })) {
    }
  } while (move_on(fronts, counts, searches.width, bound));
}

// After a search from all sources: a node takes the first source from which shortest paths lead to
// it, over arcs whose cost is exactly the difference. The places lie where nodes beyond the bound
// were.
__global__ void __launch_bounds__(kTuning.block) places_kernel(Searches searches) {
  __shared__ Counts counts;
  Fronts fronts = fronts_of(searches);
  int* places = fronts.later;
  const Lists& graph = searches.graph;
  const auto thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int node = thread; node < graph.nodes; node += threads) {
    places[node] = kNoPlace;
    fronts.waits[node] = kNothing;
  }
  if (thread == 0) counts = {0, 0, 0, 0};
  __syncthreads();
  for (int i = thread; i < searches.per_search; i += threads) {
    atomicMin(places + searches.sources[i], i);
    enter(searches.sources[i], fronts.waits, fronts.now, &counts.now);
  }
  __syncthreads();
  const auto hand_on = [&](std::int32_t node) {
    leave(node, fronts.waits);
    const int place = peek(places + node);
    const float distance = __int_as_float(fronts.distances[node]);
    for (std::int64_t i = graph.first[node]; i < graph.first[node + 1]; ++i) {
      const std::int32_t to = graph.neighbors[i];
      const int bits = bits_of(distance + graph.costs[i]);
      if (bits == kInfiniteBits || bits != fronts.distances[to]) continue;
      if (place >= peek(places + to) || place >= atomicMin(places + to, place)) continue;
      __threadfence_block();
      enter(to, fronts.waits, fronts.next, &counts.next);
    }
  };
  while (visit_round(fronts, counts, hand_on)) {
  }
}

float bound_width(const Graph& graph) {
  double sum = 0, ends = 0;
  for (int node = 0; node < graph.nodes(); ++node) {
    for (const float cost : graph.costs(node)) sum += static_cast<double>(cost);
    ends += static_cast<double>(graph.degree(node));
  }
  if (ends <= 0) return 0;
  const double degree = std::max(1.0, ends / graph.nodes());
  return static_cast<float>(std::min(kTuning.bound_costs * sum / ends / degree, 1e38));
}

// Scratch memory of some searches.
class Scratch {
 public:
  Scratch(std::size_t searches, std::size_t nodes, cudaStream_t stream)
      : waits_(searches * nodes, stream), lists_(3 * searches * nodes, stream) {}
  void lend(Searches& searches) const {
    searches.waits = waits_.data();
    searches.lists = lists_.data();
  }
  const std::int32_t* lists() const { return lists_.data(); }

 private:
  DeviceBuffer<int> waits_;
  DeviceBuffer<std::int32_t> lists_;
};

constexpr const char* kWhat = "distances from some nodes";

}  // namespace

void search_rows(const Graph& graph, std::span<const std::int32_t> sources,
                 const PathOptions& options, int most, ImageView<float> rows) {
  Session session(options.exec);
  cudaStream_t stream = session.stream();
  const GraphLists lists(graph, stream);
  DeviceBuffer<std::int32_t> from(sources.size(), stream);
  from.fill(sources.data());
  const std::size_t nodes = at(graph.nodes());
  const Scratch scratch[2] = {Scratch(at(most), nodes, stream), Scratch(at(most), nodes, stream)};
  Searches searches{.graph = lists.view(),
                    .per_search = 1,
                    .cutoff = options.cutoff,
                    .width = bound_width(graph)};
  HostPipe pipe(at(most) * nodes, stream);
  const auto count = static_cast<int>(sources.size());
  const auto mine = [&](int piece) { return std::min(most, count - piece * most); };
  pipe.run((count + most - 1) / most,
           [&](int piece, int slot, float* to, cudaStream_t there) {
             searches.sources = from.data() + static_cast<std::ptrdiff_t>(piece) * most;
             searches.distances = to;
             scratch[slot].lend(searches);
             launch(search_kernel,
                    {dim3(static_cast<unsigned>(mine(piece))), kTuning.block, 0, there, kWhat},
                    searches);
             return at(mine(piece)) * nodes;
           },
           [&](int piece, const float* found) {
             throw_if_stopped(options.exec);
             parallel_for(options.exec, mine(piece), 4, [&](std::int64_t begin, std::int64_t end) {
               for (std::int64_t i = begin; i < end; ++i)
                 std::copy_n(found + at(i) * nodes, nodes,
                             rows.row(piece * most + static_cast<int>(i)));
             });
             if (options.exec.progress)
               options.exec.progress({"distances", static_cast<double>(piece * most + mine(piece)),
                                      static_cast<double>(count)});
           });
  session.must_wait();
  session.finish(kWhat);
}

void search_nearest(const Graph& graph, std::span<const std::int32_t> sources,
                    const PathOptions& options, NearestSource& found) {
  if (sources.empty()) return;
  Session session(options.exec);
  cudaStream_t stream = session.stream();
  const GraphLists lists(graph, stream);
  DeviceBuffer<std::int32_t> from(sources.size(), stream);
  from.fill(sources.data());
  const std::size_t nodes = at(graph.nodes());
  DeviceBuffer<float> distances(nodes, stream);
  const Scratch scratch(1, nodes, stream);
  Searches searches{.graph = lists.view(),
                    .sources = from.data(),
                    .per_search = static_cast<int>(sources.size()),
                    .cutoff = options.cutoff,
                    .width = bound_width(graph),
                    .distances = distances.data()};
  scratch.lend(searches);
  launch(search_kernel, {dim3(1), kTuning.block, 0, stream, kWhat}, searches);
  launch(places_kernel, {dim3(1), kTuning.block, 0, stream, kWhat}, searches);
  const auto fetch = [&](void* to, const void* values) {
    check(cudaMemcpyAsync(to, values, nodes * sizeof(float), cudaMemcpyDeviceToHost, stream),
          kWhat);
  };
  fetch(found.distance.data(), distances.data());
  fetch(found.source.data(), scratch.lists() + 2 * nodes);
  session.must_wait();
  session.finish(kWhat);
  for (std::int32_t& place : found.source)
    if (place == kNoPlace) place = -1;
}

}  // namespace fovea::cuda
