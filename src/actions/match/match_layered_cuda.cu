// One launch per node of the models, with all pairs of all jobs in each; tables are in device
// memory.
#include "actions/match/match_kernels_device.cuh"
#include "core/launch.cuh"

namespace fovea::actions::cuda {
namespace {

constexpr struct { int threads = 256, finish_threads = 1024; } kTuning;

__global__ void __launch_bounds__(kTuning.threads) layer_kernel(JobWork work, int i) {
  fovea::cuda::after_previous();
  const Job job(work, blockIdx.y);
  if (i >= job.model.nodes) return;
  const detail::CellScene scene = scene_of(work.scenes, *job.layout);
  const std::int64_t columns = scene.columns();
  const std::int64_t at = fovea::cuda::thread_number();
  if (at >= columns * scene.rows()) return;
  const auto row = static_cast<std::int32_t>(at / columns);
  const auto column = static_cast<std::int32_t>(at % columns);
  const std::int32_t time = scene.frame_of(column);
  const std::int32_t middle = scene.before(row, time, work.terms.pair);
  if (middle < 0) return;
  const detail::CellWork cell_work{
      column,
      middle,
      time,
      column < scene.points ? job.unary(work, i)[column] : work.terms.dummy,
      middle < scene.points ? job.unary(work, 0)[middle] : work.terms.dummy,
      i == 1};
  const detail::Cell cell =
      detail::cell_of(scene, work.terms, work.models.nodes[job.model.first + i], cell_work,
                      work.states[(i + 1) % 2] + job.index * work.cells);
  // For the last node the energies themselves are compared.
  work.states[i % 2][job.index * work.cells + at] =
      i == job.model.nodes - 1 ? cell.energy : cell.state;
  if (i > 1) job.back(work, i)[at] = cell.who;
}

__global__ void __launch_bounds__(kTuning.finish_threads) finish_kernel(JobWork work) {
  fovea::cuda::after_previous();
  const Job job(work, blockIdx.x);
  const detail::CellScene scene = scene_of(work.scenes, *job.layout);
  const float* energies = work.states[(job.model.nodes - 1) % 2] + job.index * work.cells;
  const std::int64_t columns = scene.columns(), cells = columns * scene.rows();
  detail::CellEnd best{INFINITY, 0, 0, -1, 0};
  for (std::int64_t at = threadIdx.x; at < cells; at += blockDim.x) {
    const auto row = static_cast<std::int32_t>(at / columns);
    const auto column = static_cast<std::int32_t>(at % columns);
    const std::int32_t middle = scene.before(row, scene.frame_of(column), work.terms.pair);
    if (middle < 0 || !(energies[at] <= best.energy) || energies[at] == INFINITY) continue;
    const detail::CellEnd end{energies[at], scene.rank_of(column), scene.rank_of(middle), column,
                              row};
    if (detail::earlier(end, best)) best = end;
  }
  best = first_end(best);
  extern __shared__ std::uint32_t room[];
  trace(work, job, scene, best, {room, job.back(work, 0), work.cells, scene.columns(), 1});
}

}  // namespace

void match_layered(const JobWork& work, cudaStream_t stream) {
  const dim3 grid(fovea::cuda::blocks_for(work.cells, kTuning.threads),
                  static_cast<unsigned>(work.count));
  if (work.cells > 0)
    for (int i = 1; i < work.models.longest; ++i)
      fovea::cuda::launch_after(layer_kernel, {grid, dim3(kTuning.threads)}, stream,
                                "matching a node", work, i);
  const std::size_t room =
      2 * sizeof(std::uint32_t) * static_cast<std::size_t>(work.models.longest);
  fovea::cuda::allow_shared(finish_kernel, room, "match");
  fovea::cuda::launch_after(
      finish_kernel, {dim3(static_cast<unsigned>(work.count)), dim3(kTuning.finish_threads), room},
      stream, "tracing matches", work);
}

}  // namespace fovea::actions::cuda
