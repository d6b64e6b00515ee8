// What is computed for scenes before any model is matched: directions, and the distances between
// the features of all nodes of all models and all points of all scenes, as one product of squared
// differences. Both are one launch, and the next launch may begin before it ends.
#include <cuda_pipeline.h>

#include "actions/match/match_kernels.cuh"
#include "core/launch.cuh"

namespace fovea::actions::cuda {
namespace {

constexpr int kThreads = 128;
constexpr int kDepth = 32;  // features at a time

// A block computes kPoints x kNodes distances, kEach x kEach per thread.
template <int kPointsGiven, int kNodesGiven, int kEachGiven>
struct Tile {
  static constexpr int kPoints = kPointsGiven, kNodes = kNodesGiven, kEach = kEachGiven;
  static constexpr int kAcross = kPoints / kEach;
  static_assert(kAcross * (kNodes / kEach) == kThreads && kNodeStep % kNodes == 0);
  // The features of a point stay together; eight points that are read at once are in different
  // banks.
  float points[2][kPoints][kDepth + 4];
  float nodes[2][kDepth][kNodes];
};
using LargeTile = Tile<64, 32, 4>;
using SmallTile = Tile<16, 32, 2>;  // where there are few distances

__device__ void make_directions(const DeviceScenes& scenes, unsigned block, unsigned across) {
  const detail::CellLayout& layout = scenes.layouts[block / across];
  const std::int32_t points = layout.shape.points;
  const std::int64_t count = static_cast<std::int64_t>(layout.shape.seen) * points;
  const std::int32_t* frames = scenes.frames + layout.first_point;
  const std::int32_t* first_at = scenes.first_at + layout.first_at;
  const float2* places = scenes.places + layout.first_point;
  for (std::int64_t i = block % across * kThreads + threadIdx.x; i < count;
       i += across * kThreads) {
    const auto row = static_cast<std::int32_t>(i / points);
    const auto to = static_cast<std::int32_t>(i % points);
    const std::int32_t from = first_at[frames[to]] - 1 - row;
    scenes.directions[layout.first_direction + i] =
        from < 0 ? 0
                 : detail::direction(places[to].x - places[from].x, places[to].y - places[from].y);
  }
}

// The data of a step, in pieces of 16 bytes.
template <class T>
__device__ __forceinline__ void fetch(T& tile, const DeviceModels& models,
                                      const DeviceScenes& scenes, int k, std::int64_t point0,
                                      std::int64_t node0) {
  const int stage = k / kDepth % 2, tid = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = tid; i < T::kPoints * (kDepth / 4); i += kThreads) {
    const int p = i / (kDepth / 4), f = i % (kDepth / 4) * 4;
    const std::int64_t point = point0 + p < scenes.points ? point0 + p : scenes.points - 1;
    if (k + f < models.depth)
      __pipeline_memcpy_async(&tile.points[stage][p][f],
                              scenes.features + point * models.depth + k + f, 16);
  }
#pragma unroll
  for (int i = tid; i < kDepth * (T::kNodes / 4); i += kThreads) {
    const int f = i / (T::kNodes / 4), n = i % (T::kNodes / 4) * 4;
    if (k + f < models.depth)
      __pipeline_memcpy_async(
          &tile.nodes[stage][f][n],
          models.features + static_cast<std::int64_t>(k + f) * models.pitch + node0 + n, 16);
  }
  __pipeline_commit();
}

template <int kEach>
struct alignas(4 * kEach) Some {
  float values[kEach];
};

template <class T>
__device__ __forceinline__ void make_tile(const DeviceModels& models, const DeviceScenes& scenes,
                                          float weight, unsigned block) {
  constexpr int kEach = T::kEach, kAcross = T::kAcross;
  __shared__ __align__(16) T tile;
  const auto tiles = static_cast<unsigned>((scenes.points + T::kPoints - 1) / T::kPoints);
  const std::int64_t point0 = static_cast<std::int64_t>(block % tiles) * T::kPoints;
  const std::int64_t node0 = static_cast<std::int64_t>(block / tiles) * T::kNodes;
  const int tid = static_cast<int>(threadIdx.x);
  const int column = tid % kAcross, row = tid / kAcross * kEach;  // column of points, row of nodes
  float sums[kEach][kEach] = {};
  fetch(tile, models, scenes, 0, point0, node0);
  for (int k = 0; k < models.depth; k += kDepth) {
    if (k + kDepth < models.depth) {
      fetch(tile, models, scenes, k + kDepth, point0, node0);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    const int stage = k / kDepth % 2;
    const int here = models.depth - k < kDepth ? models.depth - k : kDepth;
#pragma unroll 2
    for (int f = 0; f < here; f += 4) {
      Some<4> scene[kEach];
#pragma unroll
      for (int j = 0; j < kEach; ++j)
        scene[j] = *reinterpret_cast<const Some<4>*>(&tile.points[stage][column + j * kAcross][f]);
#pragma unroll
      for (int g = 0; g < 4; ++g) {
        const auto model = *reinterpret_cast<const Some<kEach>*>(&tile.nodes[stage][f + g][row]);
#pragma unroll
        for (int i = 0; i < kEach; ++i)
#pragma unroll
          for (int j = 0; j < kEach; ++j)
            sums[i][j] = detail::add_square(model.values[i], scene[j].values[g], sums[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const std::int64_t node = node0 + row + i;
    if (node >= models.total) break;
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      if (const std::int64_t point = point0 + column + j * kAcross; point < scenes.points)
        scenes.unary[node * scenes.unary_pitch + point] =
            detail::appearance_cost(weight, sums[i][j]);
  }
}

// The first blocks compute directions, `across` blocks per scene.
template <class T>
__global__ void __launch_bounds__(kThreads)
    prepare_kernel(DeviceModels models, DeviceScenes scenes, float weight, unsigned across,
                   unsigned direction_blocks) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  if (blockIdx.x < direction_blocks) make_directions(scenes, blockIdx.x, across);
  else make_tile<T>(models, scenes, weight, blockIdx.x - direction_blocks);
}

template <class T>
std::int64_t tiles_of(const DeviceModels& models, const DeviceScenes& scenes) {
  return static_cast<std::int64_t>(fovea::cuda::blocks_for(scenes.points, T::kPoints)) *
         fovea::cuda::blocks_for(models.total, T::kNodes);
}

}  // namespace

void prepare_scenes(const DeviceModels& models, const DeviceScenes& scenes, int count,
                    const PrepareTerms& terms, cudaStream_t stream) {
  if (scenes.points == 0) return;
  constexpr int kRows = 16;  // rows of directions, approximately
  const unsigned across = fovea::cuda::blocks_for(scenes.points / count * kRows + 1, kThreads);
  const unsigned direction_blocks = across * static_cast<unsigned>(count);
  const std::int64_t large = tiles_of<LargeTile>(models, scenes);
  if (large >= 2 * terms.units) {
    prepare_kernel<LargeTile>
        <<<direction_blocks + static_cast<unsigned>(large), kThreads, 0, stream>>>(
            models, scenes, terms.appearance, across, direction_blocks);
  } else {
    const auto small = static_cast<unsigned>(tiles_of<SmallTile>(models, scenes));
    prepare_kernel<SmallTile><<<direction_blocks + small, kThreads, 0, stream>>>(
        models, scenes, terms.appearance, across, direction_blocks);
  }
  fovea::cuda::check_launch("directions of points and distances of features");
}

}  // namespace fovea::actions::cuda
