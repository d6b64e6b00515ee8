// Evaluates the trees of all windows of a frame on the device. One thread evaluates the first trees
// of a window, which reject most windows. Each remaining window is evaluated by a warp, one tree
// per lane. Scores are integers, so that sums in any order equal those of the CPU, and hits are
// sorted at the end. A tree has value(window) and `rejection`. Included by .cu files only, each of
// which has kernels of its own.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "people/channels/channel_cells_cuda.cuh"
#include "people/scanner.h"
#include "people/trees/scan_trees.h"

namespace fovea::people::cuda {
namespace {

struct WalkTuning {
  int block = 256;
  int first_trees = 32;  // trees that one thread evaluates
  int blocks = 1024;     // blocks of warps that evaluate the remaining windows
};
constexpr WalkTuning kWalkTuning;
constexpr int kWalkWarp = 32;

struct Survivor {
  std::int64_t window;
  int score;
};
struct Found {
  std::int64_t window;
  float score;
};
struct Totals {
  unsigned long long evaluations;
  unsigned survivors;
  unsigned found;
};

template <class Tree>
struct WalkJob {
  const std::uint8_t* cells;
  const LevelWindows* levels;
  int level_count;
  std::int64_t windows;
  std::int64_t row_step;  // elements between rows of windows
  int column_step;
  const Tree* trees;
  int tree_count;
  int first_trees;
  float threshold;
  bool every;  // rejected windows are reported too
  Survivor* survivors;
  Found* found;
  Totals* totals;
};

template <class Tree>
__device__ const std::uint8_t* cells_of(const WalkJob<Tree>& job, std::int64_t window) {
  int low = 0, high = job.level_count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (job.levels[middle].first_window <= window) low = middle;
    else high = middle - 1;
  }
  const LevelWindows level = job.levels[low];
  const std::int64_t index = window - level.first_window;
  return job.cells + level.cells + index / level.columns * job.row_step +
         index % level.columns * job.column_step;
}

template <class Tree>
__device__ void add_found(const WalkJob<Tree>& job, std::int64_t window, float score) {
  job.found[atomicAdd(&job.totals->found, 1U)] = {window, score};
}

__device__ unsigned warp_sum(unsigned value) {
  for (int step = kWalkWarp / 2; step > 0; step /= 2) value += __shfl_down_sync(~0U, value, step);
  return value;
}

template <class Tree>
__global__ void first_kernel(WalkJob<Tree> job) {
  const std::int64_t window = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned walked = 0;
  if (window < job.windows) {
    const std::uint8_t* cells = cells_of(job, window);
    int score = 0, t = 0;
    bool rejected = false;
    for (; t < job.first_trees && !rejected; ++t) {
      score += job.trees[t].value(cells);
      rejected = score < job.trees[t].rejection;
    }
    walked = static_cast<unsigned>(t);
    if (rejected && job.every) add_found(job, window, rejected_score(t - 1));
    if (!rejected) job.survivors[atomicAdd(&job.totals->survivors, 1U)] = {window, score};
  }
  const unsigned sum = warp_sum(walked);
  if (threadIdx.x % kWalkWarp == 0) atomicAdd(&job.totals->evaluations, sum);
}

// One warp per window: lane i evaluates tree t + i, and the sums up to each tree show where the
// window is rejected.
template <class Tree>
__global__ void further_kernel(WalkJob<Tree> job) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / kWalkWarp,
                 warps = gridDim.x * blockDim.x / kWalkWarp;
  const int lane = static_cast<int>(threadIdx.x % kWalkWarp);
  const unsigned count = job.totals->survivors;
  unsigned long long walked = 0;
  for (unsigned s = warp; s < count; s += warps) {
    const Survivor survivor = job.survivors[s];
    const std::uint8_t* cells = cells_of(job, survivor.window);
    int score = survivor.score;
    int rejected_by = -1;
    for (int t = job.first_trees; t < job.tree_count && rejected_by < 0; t += kWalkWarp) {
      const bool inside = t + lane < job.tree_count;
      int sum = inside ? job.trees[t + lane].value(cells) : 0;
      for (int step = 1; step < kWalkWarp; step *= 2) {
        const int before = __shfl_up_sync(~0U, sum, step);
        if (lane >= step) sum += before;
      }
      const unsigned out =
          __ballot_sync(~0U, inside && score + sum < job.trees[t + lane].rejection);
      if (out != 0) rejected_by = t + __ffs(static_cast<int>(out)) - 1;
      score += __shfl_sync(~0U, sum, kWalkWarp - 1);
    }
    if (lane != 0) continue;
    walked += static_cast<unsigned>((rejected_by < 0 ? job.tree_count : rejected_by + 1) -
                                    job.first_trees);
    if (rejected_by >= 0) {
      if (job.every) add_found(job, survivor.window, rejected_score(rejected_by));
    } else if (job.every || final_score(score) >= job.threshold) {
      add_found(job, survivor.window, final_score(score));
    }
  }
  if (lane == 0 && walked > 0) atomicAdd(&job.totals->evaluations, walked);
}

// The cells of all levels, as trees read them.
struct WalkedCells {
  const std::uint8_t* cells;
  const LevelWindows* levels;
  int level_count;
  std::int64_t windows;
  std::int64_t row_stride;  // elements between rows of cells
};

template <class Tree>
class TreeWalker {
 public:
  void set_trees(const std::vector<Tree>& trees, cudaStream_t stream) {
    trees_.fill(trees, stream);
    count_ = static_cast<int>(trees.size());
  }

  void scan(Session& session, const ScanRequest& request, const WalkedCells& cells,
            DeviceSteps& steps, ScanResult& result) {
    const Totals totals = walk(session, request, cells);
    steps.begin(Step::kCopies);
    result.counts.evaluations = static_cast<std::int64_t>(totals.evaluations);
    fetch_hits(session, request.plan, totals.found, result.hits);
  }

 private:
  Totals walk(Session& session, const ScanRequest& request, const WalkedCells& cells) {
    const cudaStream_t stream = session.stream();
    const std::int64_t windows = cells.windows;
    const int step = std::max(1, request.plan.stride / channels::kCell);
    Totals* totals = totals_.reserve(1);
    check(cudaMemsetAsync(totals, 0, sizeof(Totals), stream), "clearing counts");
    const WalkJob<Tree> job{cells.cells,
                            cells.levels,
                            cells.level_count,
                            windows,
                            cells.row_stride * step,
                            step,
                            trees_.data(),
                            count_,
                            std::min(kWalkTuning.first_trees, count_),
                            request.threshold,
                            std::isinf(request.threshold) && request.threshold < 0,
                            survivors_.reserve(static_cast<std::size_t>(windows)),
                            found_.reserve(static_cast<std::size_t>(windows)),
                            totals};
    first_kernel<<<fovea::cuda::blocks_for(windows, kWalkTuning.block), kWalkTuning.block, 0,
                   stream>>>(job);
    further_kernel<<<kWalkTuning.blocks, kWalkTuning.block, 0, stream>>>(job);
    check_launch("walking trees");
    Totals counted{};
    check(cudaMemcpyAsync(&counted, totals, sizeof(Totals), cudaMemcpyDeviceToHost, stream),
          "reading counts");
    session.finish("scanning channels");
    return counted;
  }

  void fetch_hits(Session& session, const ScanPlan& plan, unsigned count, std::vector<Hit>& hits) {
    std::vector<Found> found(count);
    if (count > 0)
      check(cudaMemcpyAsync(found.data(), found_.data(), count * sizeof(Found),
                            cudaMemcpyDeviceToHost, session.stream()),
            "reading hits");
    session.finish("scanning channels");
    std::sort(found.begin(), found.end(),
              [](const Found& a, const Found& b) { return a.window < b.window; });
    std::int64_t first = 0;  // first window of the level
    int level = 0;
    for (const Found& one : found) {
      const auto size = [&] {
        const ScanLevel& at = plan.levels[static_cast<std::size_t>(level)];
        return static_cast<std::int64_t>(at.columns) * at.rows;
      };
      for (; one.window >= first + size(); ++level) first += size();
      const int columns = plan.levels[static_cast<std::size_t>(level)].columns;
      const std::int64_t index = one.window - first;
      hits.push_back(
          {level, static_cast<int>(index % columns), static_cast<int>(index / columns), one.score});
    }
  }

  int count_ = 0;
  KeptBuffer<Tree> trees_;
  KeptBuffer<Survivor> survivors_;
  KeptBuffer<Found> found_;
  KeptBuffer<Totals> totals_;
};

}  // namespace
}  // namespace fovea::people::cuda
