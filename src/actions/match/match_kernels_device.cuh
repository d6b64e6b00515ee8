// What both kinds of kernels that walk over the tables share on the device.
#pragma once
#include "actions/match/match_kernels.cuh"

namespace fovea::actions::cuda {

__device__ inline detail::CellScene scene_of(const DeviceScenes& scenes,
                                             const detail::CellLayout& layout) {
  detail::CellScene scene = layout.shape;
  scene.frame = scenes.frames + layout.first_point;
  scene.first_at = scenes.first_at + layout.first_at;
  scene.directions = scenes.directions + layout.first_direction;
  return scene;
}

// The model, the scene and the tables of a job.
struct Job {
  std::int64_t index;  // counted from the first job of the work
  ModelRange model;
  const detail::CellLayout* layout;

  __device__ Job(const JobWork& work, std::int64_t i)
      : index(i),
        model(work.models.ranges[(work.first + i) % work.models.models]),
        layout(work.scenes.layouts + (work.first + i) / work.models.models) {}
  // The cost of node i of the model at point 0 of the scene.
  __device__ const float* unary(const JobWork& work, int i) const {
    return work.scenes.unary + (model.first + i) * work.scenes.unary_pitch + layout->first_point;
  }
  __device__ std::uint16_t* back(const JobWork& work, int i) const {
    return work.back + (index * work.models.longest + i) * work.cells;
  }
};

__device__ inline detail::CellEnd shuffled(const detail::CellEnd& end, int distance) {
  return {__shfl_down_sync(~0U, end.energy, distance),
          __shfl_down_sync(~0U, end.last_rank, distance),
          __shfl_down_sync(~0U, end.before_rank, distance),
          __shfl_down_sync(~0U, end.column, distance), __shfl_down_sync(~0U, end.row, distance)};
}

// The first end among those of all threads, in thread 0. It needs whole warps and at most 1024
// threads.
__device__ inline detail::CellEnd first_end(detail::CellEnd end) {
  __shared__ detail::CellEnd warps[32];
  const auto first_of_warp = [&end] {
    for (int distance = 16; distance > 0; distance /= 2)
      if (const detail::CellEnd other = shuffled(end, distance); detail::earlier(other, end))
        end = other;
  };
  first_of_warp();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = end;
  __syncthreads();
  if (threadIdx.x < 32) {
    end = warps[threadIdx.x < blockDim.x / 32 ? threadIdx.x : 0];
    first_of_warp();
  }
  return end;
}

// Walks back from an end and writes the result. All threads of a block call it, with the end in
// thread 0. `room` is shared memory for two words per node. `back` has one table of `cells` per
// node, with the given distances between rows and columns.
struct TraceRoom {
  std::uint32_t* room;
  const std::uint16_t* back;
  std::int64_t cells;
  std::int32_t row_step, column_step;
};
__device__ inline void trace(const JobWork& work, const Job& job, const detail::CellScene& scene,
                             const detail::CellEnd& end, const TraceRoom& at) {
  auto* const path = reinterpret_cast<std::int32_t*>(at.room);
  auto* const costs = reinterpret_cast<float*>(at.room + job.model.nodes);
  __shared__ bool found;
  JobResult result{end.energy, 0, 0, 0};
  if (threadIdx.x == 0) {
    found = end.column >= 0;
    if (found) {
      std::int32_t column = end.column, row = end.row;
      result.last_frame = scene.frame_of(column);
      for (int i = job.model.nodes - 1;; --i) {
        const std::int32_t time = scene.frame_of(column);
        path[i] = column < scene.points ? column : -1 - time;
        result.first_frame = time;
        if (i == 0) break;
        const std::int32_t middle = scene.before(row, time, work.terms.pair);
        if (i > 1)
          row = at.back[i * at.cells + static_cast<std::int64_t>(row) * at.row_step +
                        static_cast<std::int64_t>(column) * at.column_step];
        column = middle;
      }
    }
  }
  __syncthreads();
  if (found) {
    for (int i = static_cast<int>(threadIdx.x); i < job.model.nodes;
         i += static_cast<int>(blockDim.x)) {
      costs[i] = path[i] >= 0 ? job.unary(work, i)[path[i]] : work.terms.dummy;
      if (work.paths != nullptr) work.paths[job.index * work.models.longest + i] = path[i];
    }
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (found)
    for (int i = 0; i < job.model.nodes; ++i) result.appearance += costs[i];
  work.results[job.index] = result;
}

}  // namespace fovea::actions::cuda
