// One launch for all jobs: tables are in shared memory, with one block or one cluster of blocks per
// job. The blocks of a cluster share the frames of a job; after each node a block fetches the
// columns before its own from the block that computed them.
#include <cooperative_groups.h>

#include <algorithm>

#include "actions/match/match_kernels_device.cuh"
#include "core/launch.cuh"

namespace fovea::actions::cuda {
namespace {

namespace cg = cooperative_groups;

constexpr struct {
  int most_threads = 1024, least_threads = 128;
  int batch_threads = 256;  // where there are many jobs: several blocks per multiprocessor
  int most_ranks = 8;
  int least_cells = 3072;  // cells per rank; with fewer, another block is not worth it
  int blocks_a_unit = 1;   // blocks per multiprocessor that the size of a cluster aims at
} kTuning;

// The shared memory of a block, in words: two tables of states, the directions, the nodes of the
// model, the frames and, where it is wanted, the path back of all nodes.
struct SharedLayout {
  std::int32_t states, directions, nodes, frames, first_at, back, bytes;

  FOVEA_HD SharedLayout(const detail::CellScene& part, std::int32_t longest, bool keeps_back) {
    std::int32_t at = 0;
    const auto take = [&at](std::int64_t words) {
      const std::int32_t begin = at;
      at += static_cast<std::int32_t>((words + 3) / 4 * 4);
      return begin;
    };
    states = take(2 * static_cast<std::int64_t>(part.rows()) * part.columns());
    directions = take(static_cast<std::int64_t>(part.seen) * part.points);
    nodes = take(3 * longest);
    frames = take(part.points);
    first_at = take(part.span + 1);
    back = take(keeps_back
                    ? (static_cast<std::int64_t>(part.rows()) * part.columns() * longest + 1) / 2
                    : 0);
    bytes = 4 * at;
  }
};

__global__ void __launch_bounds__(kTuning.most_threads, 1) fused_kernel(JobWork work) {
  extern __shared__ __align__(16) float memory[];
  const cg::cluster_group cluster = cg::this_cluster();
  const auto rank = static_cast<std::int32_t>(cluster.block_rank());
  const auto ranks = static_cast<std::int32_t>(cluster.num_blocks());
  const Job job(work, blockIdx.x / static_cast<unsigned>(ranks));
  const detail::CellScene whole = scene_of(work.scenes, *job.layout);
  const detail::CellSlice slice = detail::slice_of(whole, work.terms, rank, ranks);
  const bool keeps_back = work.back == nullptr;
  const SharedLayout layout(slice.part, work.models.longest, keeps_back);
  const int tid = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);

  // Loads the part of the scene, and the model.
  float* const directions = memory + layout.directions;
  auto* const frames = reinterpret_cast<std::int32_t*>(memory + layout.frames);
  auto* const first_at = reinterpret_cast<std::int32_t*>(memory + layout.first_at);
  auto* const nodes = reinterpret_cast<detail::CellNode*>(memory + layout.nodes);
  const std::int32_t points = slice.part.points;
  for (std::int32_t p = tid; p < points; p += threads) {
    frames[p] = whole.frame[slice.base + p] - slice.halo;
    for (std::int32_t row = 0; row < slice.part.seen; ++row)
      directions[row * points + p] =
          whole.directions[static_cast<std::int64_t>(row) * whole.points + slice.base + p];
  }
  for (std::int32_t f = tid; f <= slice.part.span; f += threads)
    first_at[f] = whole.first_at[slice.halo + f] - slice.base;
  for (int i = tid; i < job.model.nodes; i += threads)
    nodes[i] = work.models.nodes[job.model.first + i];
  detail::CellScene part = slice.part;
  part.frame = frames;
  part.first_at = first_at;
  part.directions = directions;
  __syncthreads();

  const std::int32_t columns = part.columns(), cells = part.rows() * columns, own = slice.own();
  // Offsets instead of pointers, so that the compiler knows that they are in shared memory.
  std::int32_t states = layout.states, next = states + cells;
  // Cells are processed in turn, one row of own columns after another.
  const std::int32_t step_rows = own > 0 ? threads / own : 0;
  const std::int32_t step_columns = own > 0 ? threads % own : 0;
  const std::int32_t first_row = own > 0 ? tid / own : part.rows(),
                     first_own = own > 0 ? tid % own : 0;
  std::uint16_t* const all_back =
      keeps_back ? reinterpret_cast<std::uint16_t*>(memory + layout.back) : job.back(work, 0);
  const std::int64_t back_cells = keeps_back ? cells : work.cells;
  detail::CellEnd best{INFINITY, 0, 0, -1, 0};
  detail::CellSlice all;  // the whole scene as a slice of itself
  all.part = whole;

  const detail::CellSlice previous =
      rank > 0 ? detail::slice_of(whole, work.terms, rank - 1, ranks) : slice;
  const std::int32_t previous_columns = previous.part.columns();
  const float* remote =
      rank > 0 ? cluster.map_shared_rank(memory, static_cast<unsigned>(rank - 1)) : memory;
  remote += SharedLayout(previous.part, work.models.longest, keeps_back).states;
  const std::int32_t previous_cells = previous.part.rows() * previous_columns;

  for (int i = 1; i < job.model.nodes; ++i) {
    const detail::CellNode node = nodes[i];
    const float* const unary = job.unary(work, i) + slice.base;
    const float* const begin = job.unary(work, 0) + slice.base;
    std::uint16_t* const back = all_back + static_cast<std::int64_t>(i) * back_cells;
    std::int32_t row = first_row, in_row = first_own;
    while (row < part.rows()) {
      const std::int32_t column = slice.own_column(in_row);
      const std::int32_t time = part.frame_of(column);
      const std::int32_t middle = part.before(row, time, work.terms.pair);
      if (middle >= 0) {
        detail::CellWork cell_work{column,           middle,           time,
                                   work.terms.dummy, work.terms.dummy, i == 1};
        if (column < points) cell_work.unary = unary[column];
        if (i == 1 && middle < points) cell_work.begin = begin[middle];
        const detail::Cell cell =
            detail::cell_of(part, work.terms, node, cell_work, memory + states);
        memory[next + row * columns + column] = cell.state;
        const std::int32_t column_of_all = slice.column_in(all, column);
        if (i > 1)
          back[static_cast<std::int64_t>(row) * whole.columns() + column_of_all] = cell.who;
        if (i == job.model.nodes - 1 && cell.energy <= best.energy && cell.energy < INFINITY) {
          const detail::CellEnd end{cell.energy, whole.rank_of(column_of_all),
                                    whole.rank_of(slice.column_in(all, middle)), column_of_all,
                                    row};
          if (detail::earlier(end, best)) best = end;
        }
      }
      row += step_rows;
      in_row += step_columns;
      if (in_row >= own) {
        in_row -= own;
        ++row;
      }
    }
    if (ranks > 1) {
      cluster.sync();
      // What the previous rank has just computed is in the table of the same turn.
      const float* const made = remote + (next == layout.states ? 0 : previous_cells);
      const std::int32_t read = slice.read();
      for (std::int32_t k = tid; k < read * part.rows(); k += threads) {
        const std::int32_t column = slice.read_column(k % read);
        memory[next + k / read * columns + column] =
            made[k / read * previous_columns + slice.column_in(previous, column)];
      }
    }
    __syncthreads();
    const std::int32_t made = next;
    next = states;
    states = made;
  }

  __shared__ detail::CellEnd ends[kTuning.most_ranks];
  best = first_end(best);
  if (tid == 0) {
    detail::CellEnd* const at_first = cluster.map_shared_rank(ends, 0);
    at_first[rank] = best;
  }
  cluster.sync();
  if (rank > 0) return;
  for (std::int32_t r = 1; r < ranks; ++r)
    if (detail::earlier(ends[r], best)) best = ends[r];
  const TraceRoom room{reinterpret_cast<std::uint32_t*>(nodes), all_back, back_cells,
                       whole.columns(), 1};
  if (ranks == 1) trace(work, job, part, best, room);  // the whole scene is in this block
  else trace(work, job, whole, best, room);
}

// The largest block of the batch where so many ranks share a job; with 0 ranks no size fits.
std::size_t shared_bytes_of(const detail::CellBatch& batch, const detail::MatchTerms& terms,
                            int ranks, int longest, bool keeps_back, std::size_t most) {
  std::size_t bytes = 0;
  for (const detail::CellLayout& layout : batch.scenes) {
    detail::CellScene scene = layout.shape;
    scene.first_at = batch.first_at.data() + layout.first_at;
    if (layout.cells() > static_cast<std::int64_t>(most) * ranks) return most + 1;  // far too large
    for (int rank = 0; rank < ranks; ++rank)
      bytes = std::max<std::size_t>(
          bytes, SharedLayout(detail::slice_of(scene, terms, rank, ranks).part, longest, keeps_back)
                     .bytes);
  }
  return bytes;
}

}  // namespace

FusedShape fused_shape(const detail::CellBatch& batch, const detail::MatchTerms& terms,
                       const DeviceModels& models, const DeviceLimits& limits) {
  constexpr int kOwnBytes = 2048;  // bytes that the kernel has in addition
  std::int64_t cells = 0;
  std::int32_t shortest = detail::kMostFrame;
  for (const detail::CellLayout& layout : batch.scenes) {
    cells = std::max(cells, layout.cells());
    shortest = std::min(shortest, layout.shape.span);
  }
  const std::int64_t jobs = std::ssize(batch.scenes) * static_cast<std::int64_t>(models.models);
  const auto room = static_cast<std::size_t>(limits.shared_bytes - kOwnBytes);
  FusedShape shape;
  for (int ranks = 1; ranks <= kTuning.most_ranks; ranks *= 2) {
    // The halo of a part is computed by the previous part alone.
    if (ranks > 1 && shortest / ranks < std::max(1, terms.pair)) break;
    const std::size_t bytes = shared_bytes_of(batch, terms, ranks, models.longest, false, room);
    const bool fits = bytes <= room;
    const bool wanted =
        jobs * ranks <= static_cast<std::int64_t>(limits.units) * kTuning.blocks_a_unit &&
        cells / ranks >= kTuning.least_cells;
    if (!fits) continue;
    if (shape.ranks > 0 && !wanted) break;
    const std::int64_t each = (cells / ranks + 31) / 32 * 32;
    const int most_threads = jobs > 2 * limits.units ? kTuning.batch_threads : kTuning.most_threads;
    shape = {ranks,
             static_cast<int>(std::clamp<std::int64_t>(each, kTuning.least_threads, most_threads)),
             bytes, false};
  }
  // Few jobs wait for their path back; many hide it behind each other.
  if (shape.ranks == 1 && jobs <= limits.units) {
    const std::size_t bytes = shared_bytes_of(batch, terms, 1, models.longest, true, room);
    if (bytes <= room) {
      shape.shared_bytes = bytes;
      shape.keeps_back = true;
    }
  }
  return shape;
}

void allow_fused() { fovea::cuda::allow_shared(fused_kernel, std::size_t{48} << 10, "match"); }

void match_fused(const JobWork& work, const FusedShape& shape, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(shape.ranks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(work.count) * static_cast<unsigned>(shape.ranks));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  fovea::cuda::check(cudaLaunchKernelEx(&config, fused_kernel, work), "matching");
}

}  // namespace fovea::actions::cuda
