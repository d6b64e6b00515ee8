// Scenes without dummies in one launch: one block or one cluster of blocks per job, as in
// match_fused_cuda.cu. What pairs of points need is computed once and kept as runs, sorted by
// length so that the threads of a warp end together. A block writes the columns that the next block
// of its cluster reads directly into the table of that block, so that a node ends with a single
// barrier.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <bit>

#include "actions/match/match_kernels_device.cuh"
#include "actions/match/match_runs_layout.h"
#include "core/launch.cuh"

namespace fovea::actions::cuda {
namespace {

namespace cg = cooperative_groups;

// sqrt() by the compiler's own steps for numbers that are not small, without its branch for small
// ones: the only number below kLeastSquare that occurs is 0.
struct PlainRoot {
  __device__ float operator()(float square) const {
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaxf(square, detail::kLeastSquare)));
    const float root = square * inverse;
    return std::fma(std::fma(-root, root, square), 0.5F * inverse, root);
  }
};
struct AnyRoot {
  __device__ float operator()(float square) const { return std::sqrt(square); }
};

// What all nodes of a job share.
struct RunBlock {
  std::int32_t runs, ways;   // offsets in shared memory, in words
  std::int32_t count;        // number of runs
  std::int32_t base, pitch;  // point of column 0; rows per column
  bool keeps_back;
  // Columns from `push_from` on also belong to the next rank, `push_shift` places away.
  std::int32_t push_from, push_shift;
};
// What belongs to one node.
struct RunNode {
  detail::CellNode node;
  std::int32_t states, next, unary;  // offsets in shared memory; unary is that of column 0
  std::int32_t back;                 // offset of the node in shared memory, in halves of words
  std::uint16_t* far_back;           // or its place in device memory
  detail::RunState* pushed;          // the table of the next rank
  bool last;
};

// Read in one access.
__device__ __forceinline__ detail::CellRun read_run(const detail::CellRun* run) {
  return std::bit_cast<detail::CellRun>(*reinterpret_cast<const uint4*>(run));
}

// Calls take(place in the list) for all runs of this thread, which are the same for all nodes.
template <class Take>
__device__ __forceinline__ void for_runs(std::int32_t count, const Take& take) {
  const auto warp = static_cast<std::int32_t>(threadIdx.x / 32);
  const auto warps = static_cast<std::int32_t>(blockDim.x / 32);
  const auto lane = static_cast<std::int32_t>(threadIdx.x % 32);
  for (std::int32_t pass = 0; pass * warps * 32 < count; ++pass) {
    const std::int32_t at = detail::chunk_of(pass, warp, warps) * 32 + lane;
    if (at < count) take(at);
  }
}

template <class Root>
__device__ __forceinline__ void walk(const RunBlock& block, const RunNode& the,
                                     const detail::MatchTerms& terms, float* memory,
                                     detail::CellEnd& best) {
  const auto* const runs = reinterpret_cast<const detail::CellRun*>(memory + block.runs);
  const auto* const states = reinterpret_cast<const detail::RunState*>(memory + the.states);
  auto* const next = reinterpret_cast<detail::RunState*>(memory + the.next);
  for_runs(block.count, [&](std::int32_t at) {
    const detail::CellRun run = read_run(runs + at);
    const float unary = memory[the.unary + run.column];
    const detail::RunLeast least =
        detail::least_of(run, states + run.from, memory + block.ways + run.ways, the.node.bends,
                         terms.angles, Root());
    const float time = detail::time_cost(terms.time, the.node.gap, static_cast<float>(run.gap));
    const float energy = detail::arrive(unary, time, least.energy);
    const float state = detail::go_on(energy, time);
    next[run.to].state = state;
    if (run.column >= block.push_from) the.pushed[run.to + block.push_shift].state = state;
    const auto who = static_cast<std::uint16_t>(least.row);
    if (block.keeps_back) reinterpret_cast<std::uint16_t*>(memory)[the.back + run.to] = who;
    else the.far_back[run.to] = who;
    if (the.last && energy <= best.energy && energy < INFINITY) {
      const std::int32_t column = run.column + block.base;
      const detail::CellEnd end{energy, column, run.from / block.pitch + block.base, column,
                                run.to - run.column * block.pitch};
      if (detail::earlier(end, best)) best = end;
    }
  });
}

// Lists the runs of own columns by their length; returns their number.
__device__ std::int32_t list_runs(const detail::CellSlice& slice, const detail::CellScene& part,
                                  const detail::MatchTerms& terms, std::int32_t* counts,
                                  detail::CellRun* runs) {
  const int tid = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const std::int32_t cells = slice.own() * part.reach;
  for (int b = tid; b < detail::kRunBuckets; b += threads) counts[b] = 0;
  __syncthreads();
  for (std::int32_t c = tid; c < cells; c += threads) {
    const std::int32_t column = slice.own_point + c / part.reach, row = c % part.reach;
    const detail::RunReach reach = detail::reach_of(part, terms, column, row);
    if (reach.middle >= 0) atomicAdd(counts + detail::bucket_of(reach.count), 1);
  }
  __syncthreads();
  static_assert(detail::kRunBuckets == 64);
  if (tid < 32) {  // where each bucket begins, two per thread
    const std::int32_t a = counts[2 * tid], b = counts[2 * tid + 1];
    std::int32_t end = a + b;
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::int32_t other = __shfl_up_sync(~0U, end, distance);
      if (tid >= distance) end += other;
    }
    counts[2 * tid] = end - a - b;
    counts[2 * tid + 1] = end - b;
  }
  __syncthreads();
  for (std::int32_t c = tid; c < cells; c += threads) {
    const std::int32_t column = slice.own_point + c / part.reach, row = c % part.reach;
    const detail::RunReach reach = detail::reach_of(part, terms, column, row);
    if (reach.middle >= 0)
      runs[atomicAdd(counts + detail::bucket_of(reach.count), 1)] =
          detail::run_of(part, reach, column, row);
  }
  __syncthreads();
  return counts[detail::kRunBuckets - 1];  // the end of the last bucket
}

__global__ void __launch_bounds__(detail::kMostRunThreads, 1) runs_kernel(JobWork work) {
  extern __shared__ __align__(16) float memory[];
  __shared__ detail::CellEnd ends[detail::kMostRunRanks];
  const cg::cluster_group cluster = cg::this_cluster();
  const auto rank = static_cast<std::int32_t>(cluster.block_rank());
  const auto ranks = static_cast<std::int32_t>(cluster.num_blocks());
  const Job job(work, blockIdx.x / static_cast<unsigned>(ranks));
  const detail::CellScene whole = scene_of(work.scenes, *job.layout);
  const detail::CellSlice slice = detail::slice_of(whole, work.terms, rank, ranks);
  const bool keeps_back = work.back == nullptr;
  const detail::RunLayout layout(slice, work.models.longest, keeps_back);
  const int tid = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const auto sync = [&] {
    if (ranks > 1) cluster.sync();
    else __syncthreads();
  };

  // What does not have to wait for the previous launch: the part of the scene, the model and the
  // runs.
  auto* const frames = reinterpret_cast<std::int32_t*>(memory + layout.frames);
  auto* const first_at = reinterpret_cast<std::int32_t*>(memory + layout.first_at);
  auto* const nodes = reinterpret_cast<detail::CellNode*>(memory + layout.nodes);
  auto* const runs = reinterpret_cast<detail::CellRun*>(memory + layout.runs);
  detail::CellScene part = slice.part;
  part.frame = frames;
  part.first_at = first_at;
  const std::int32_t points = part.points;
  for (std::int32_t p = tid; p < points; p += threads)
    frames[p] = whole.frame[slice.base + p] - slice.halo;
  for (std::int32_t f = tid; f <= part.span; f += threads)
    first_at[f] = whole.first_at[slice.halo + f] - slice.base;
  for (int i = tid; i < job.model.nodes; i += threads)
    nodes[i] = work.models.nodes[job.model.first + i];
  RunBlock block{layout.runs, layout.ways, 0, slice.base, detail::odd_pitch(part.reach),
                 keeps_back,  points,      0};
  block.count = list_runs(slice, part, work.terms,
                          reinterpret_cast<std::int32_t*>(memory + layout.counts), runs);
  fovea::cuda::after_previous();

  // Directions, also those beside the states, and the costs of the first nodes.
  const std::int32_t own = slice.own();
  const auto fetch_unary = [&](int i) {
    const float* const from = job.unary(work, i) + slice.base + slice.own_point;
    for (std::int32_t k = tid; k < own; k += threads)
      __pipeline_memcpy_async(memory + layout.unary + i % 2 * layout.unary_step + k, from + k,
                              sizeof(float));
    __pipeline_commit();
  };
  fetch_unary(1);
  fetch_unary(2);
  bool odd = false;
  for (std::int32_t c = tid; c < part.seen * points; c += threads) {
    const std::int32_t row = c / points, p = c % points;
    const float way =
        whole.directions[static_cast<std::int64_t>(row) * whole.points + slice.base + p];
    odd |= !detail::is_plain_direction(way);
    memory[layout.ways + p * detail::odd_pitch(part.seen) + row] = way;
    if (row < part.reach) {
      const std::int32_t at = layout.states + 2 * (p * block.pitch + row) + 1;
      memory[at] = memory[at + layout.table] = way;
    }
  }
  __pipeline_wait_prior(0);
  const bool plain = __syncthreads_or(odd ? 1 : 0) == 0;
  sync();  // all blocks of the cluster have started

  float* pushed = nullptr;  // the tables of the next rank
  std::int32_t pushed_table = 0;
  if (rank + 1 < ranks) {
    const detail::CellSlice following = detail::slice_of(whole, work.terms, rank + 1, ranks);
    const detail::RunLayout there(following, work.models.longest, keeps_back);
    float* const remote = cluster.map_shared_rank(memory, static_cast<unsigned>(rank + 1));
    const std::int32_t shift = slice.base - following.base;
    block.push_from = following.read_point - shift;
    block.push_shift = shift * block.pitch;
    pushed = remote + there.states;
    pushed_table = there.table;
  }

  // The second node, which has no triangle yet.
  {
    const float* const begin = job.unary(work, 0) + slice.base;
    auto* const next = reinterpret_cast<detail::RunState*>(memory + layout.states + layout.table);
    auto* const far = reinterpret_cast<detail::RunState*>(pushed + pushed_table);
    for_runs(block.count, [&](std::int32_t at) {
      const detail::CellRun run = read_run(runs + at);
      const std::int32_t row = run.to - run.column * block.pitch;
      runs[at].way = memory[layout.ways + run.column * detail::odd_pitch(part.seen) + row];
      const float time =
          detail::time_cost(work.terms.time, nodes[1].gap, static_cast<float>(run.gap));
      const float state = detail::go_on(
          detail::arrive(memory[layout.unary + layout.unary_step + run.column - slice.own_point], 0,
                         begin[run.from / block.pitch]),
          time);
      next[run.to].state = state;
      if (run.column >= block.push_from) far[run.to + block.push_shift].state = state;
    });
    sync();
  }

  detail::CellEnd best{INFINITY, 0, 0, -1, 0};
  const std::int32_t back_cells = points * block.pitch;
  for (int i = 2; i < job.model.nodes; ++i) {
    RunNode the{nodes[i],
                layout.states + (i + 1) % 2 * layout.table,
                layout.states + i % 2 * layout.table,
                layout.unary + i % 2 * layout.unary_step - slice.own_point,
                2 * layout.back + i * back_cells,
                nullptr,
                reinterpret_cast<detail::RunState*>(pushed + i % 2 * pushed_table),
                i == job.model.nodes - 1};
    if (!the.last) fetch_unary(i + 1);
    if (!keeps_back) the.far_back = job.back(work, i) + slice.base * block.pitch;
    if (plain && detail::are_plain(the.node.bends))
      walk<PlainRoot>(block, the, work.terms, memory, best);
    else walk<AnyRoot>(block, the, work.terms, memory, best);
    __pipeline_wait_prior(0);
    sync();
  }

  best = first_end(best);
  if (tid == 0) {
    detail::CellEnd* const at_first = cluster.map_shared_rank(ends, 0);
    at_first[rank] = best;
  }
  sync();
  if (rank > 0) return;
  for (std::int32_t r = 1; r < ranks; ++r)
    if (detail::earlier(ends[r], best)) best = ends[r];
  TraceRoom room{.room = reinterpret_cast<std::uint32_t*>(nodes),
                 .back = job.back(work, 0),
                 .cells = work.cells,
                 .row_step = 1,
                 .column_step = block.pitch};
  if (keeps_back) {
    room.back = reinterpret_cast<const std::uint16_t*>(memory) + 2 * layout.back;
    room.cells = back_cells;
  }
  if (ranks == 1) {  // the whole scene is in this block
    trace(work, job, part, best, room);
    return;
  }
  // Otherwise it is copied to where the tables were, because the path back is a chain of reads.
  detail::CellScene near = whole;
  if (whole.points + whole.span + 1 <= 4 * points * block.pitch) {
    auto* const at = reinterpret_cast<std::int32_t*>(memory + layout.states);
    for (std::int32_t p = tid; p < whole.points; p += threads) at[p] = whole.frame[p];
    for (std::int32_t f = tid; f <= whole.span; f += threads)
      at[whole.points + f] = whole.first_at[f];
    near.frame = at;
    near.first_at = at + whole.points;
    __syncthreads();
  }
  trace(work, job, near, best, room);
}

}  // namespace

void allow_runs() { fovea::cuda::allow_shared(runs_kernel, std::size_t{48} << 10, "match"); }

void match_runs(const JobWork& work, const FusedShape& shape, cudaStream_t stream) {
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {static_cast<unsigned>(shape.ranks), 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(work.count) * static_cast<unsigned>(shape.ranks));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  fovea::cuda::check(cudaLaunchKernelEx(&config, runs_kernel, work), "matching");
}

}  // namespace fovea::actions::cuda
