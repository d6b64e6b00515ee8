// Chooses how many blocks share a job of runs, and how many threads each has.
#include <algorithm>
#include <span>
#include <vector>

#include "actions/match/match_kernels.cuh"
#include "actions/match/match_runs_layout.h"

namespace fovea::actions::cuda {
namespace {

constexpr struct {
  int least_threads = 128;
  int batch_threads = 256;  // where there are many jobs: several blocks per multiprocessor
  // Approximate cycles per node: the share of a cell of a multiprocessor, the least that a node
  // takes, and what the barrier of a cluster adds.
  double cell = 1.25, least = 700, barrier = 500;
} kTuning;
constexpr int kOwnBytes = 2048;  // shared memory that the kernel and its block have in addition

// The shared memory that the parts of a scene need where so many blocks share it, and the most runs
// of a part.
struct PartsNeed {
  std::size_t bytes = 0;
  std::int64_t runs = 0;
};
PartsNeed need_of(const detail::CellScene& scene, std::span<const std::int64_t> runs_before,
                  const detail::MatchTerms& terms, int ranks, int longest, bool keeps_back) {
  PartsNeed need;
  for (int rank = 0; rank < ranks; ++rank) {
    const detail::CellSlice slice = detail::slice_of(scene, terms, rank, ranks);
    const std::int64_t runs =
        runs_before[scene.first_at[slice.end]] - runs_before[scene.first_at[slice.first]];
    need.runs = std::max(need.runs, runs);
    const std::int64_t bytes = detail::RunLayout(slice, longest, keeps_back).bytes(runs);
    need.bytes = std::max(need.bytes, static_cast<std::size_t>(bytes));
  }
  return need;
}

// The number of runs that end in the points before each point.
std::vector<std::int64_t> runs_before(const detail::CellScene& scene,
                                      const detail::MatchTerms& terms) {
  std::vector<std::int64_t> sums{0};
  sums.reserve(static_cast<std::size_t>(scene.points) + 1);
  for (std::int32_t p = 0; p < scene.points; ++p) {
    const std::int32_t time = scene.frame[p];
    const std::int32_t low = time > terms.pair ? time - terms.pair : 0;
    sums.push_back(sums.back() + scene.first_at[time] - scene.first_at[low]);
  }
  return sums;
}

}  // namespace

FusedShape runs_shape(const detail::CellBatch& batch, const detail::MatchTerms& terms,
                      const DeviceModels& models, const DeviceLimits& limits) {
  if (terms.dummies) return {};
  const std::int64_t jobs = std::ssize(batch.scenes) * static_cast<std::int64_t>(models.models);
  const auto room = static_cast<std::size_t>(limits.shared_bytes - kOwnBytes);
  std::int32_t shortest = detail::kMostFrame;
  std::vector<detail::CellScene> scenes;
  std::vector<std::vector<std::int64_t>> runs;
  for (const detail::CellLayout& layout : batch.scenes) {
    detail::CellScene& scene = scenes.emplace_back(layout.shape);
    scene.frame = batch.frames.data() + layout.first_point;
    scene.first_at = batch.first_at.data() + layout.first_at;
    if (layout.cells() > static_cast<std::int64_t>(room)) return {};  // far too large for any block
    runs.push_back(runs_before(scene, terms));
    shortest = std::min(shortest, scene.span);
  }
  const auto most_needed = [&](int ranks, bool keeps_back) {
    PartsNeed most;
    for (std::size_t s = 0; s < scenes.size(); ++s) {
      const PartsNeed need = need_of(scenes[s], runs[s], terms, ranks, models.longest, keeps_back);
      most = {std::max(most.bytes, need.bytes), std::max(most.runs, need.runs)};
    }
    return most;
  };
  FusedShape shape;
  double least = 0;
  // Clusters of 3, 5 and 6 blocks leave parts of the device idle.
  for (int ranks = 1; ranks <= detail::kMostRunRanks; ranks *= 2) {
    // The halo of a part is computed by the previous part alone.
    if (ranks > 1 && shortest / ranks < std::max(1, terms.pair)) break;
    // Many jobs fill the device by themselves.
    if (shape.ranks > 0 && jobs > 2 * limits.units) break;
    const PartsNeed need = most_needed(ranks, false);
    if (need.bytes > room) continue;
    const std::int64_t a_unit = (jobs * ranks + limits.units - 1) / limits.units;
    if (shape.ranks > 0 && a_unit > 2) break;
    const int most_threads = a_unit > 2    ? kTuning.batch_threads
                             : a_unit == 2 ? detail::kMostRunThreads / 2
                                           : detail::kMostRunThreads;
    const auto threads = static_cast<int>(
        std::clamp<std::int64_t>((need.runs + 31) / 32 * 32, kTuning.least_threads, most_threads));
    const std::int64_t at_once = std::min<std::int64_t>(
        {a_unit, detail::kMostRunThreads / threads,
         static_cast<std::int64_t>(limits.unit_shared_bytes / (need.bytes + kOwnBytes))});
    const std::int64_t turns = (a_unit + at_once - 1) / at_once;
    const double cycles =
        static_cast<double>(turns) *
            std::max(kTuning.least, kTuning.cell * static_cast<double>(at_once * need.runs)) +
        (ranks > 1 ? kTuning.barrier : 0);
    if (shape.ranks > 0 && cycles > least) continue;
    least = cycles;
    shape = {ranks, threads, need.bytes, false};
  }
  // Few jobs wait for their path back; many hide it behind each other.
  if (shape.ranks == 1 && jobs <= limits.units) {
    const PartsNeed need = most_needed(1, true);
    if (need.bytes <= room) {
      shape.shared_bytes = need.bytes;
      shape.keeps_back = true;
    }
  }
  return shape;
}

}  // namespace fovea::actions::cuda
