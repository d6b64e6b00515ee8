// What is known of scenes before any model walks: directions, and the distances of features of all
// nodes of all models to all points of all scenes, one product of squared differences.
#include "actions/match/match_kernels.cuh"
#include "core/launch.cuh"

namespace fovea::actions::cuda {
namespace {

// A block makes kTile x kTile distances, 4 x 4 a thread, kFeatureStep features at a time.
constexpr struct { int tile = 64, threads = 256, each = 4, direction_threads = 256; } kTuning;
static_assert(kTuning.tile == kNodeStep);

__global__ void directions_kernel(DeviceScenes scenes) {
  const detail::CellLayout& layout = scenes.layouts[blockIdx.y];
  const std::int32_t points = layout.shape.points;
  const std::int64_t count = static_cast<std::int64_t>(layout.shape.seen) * points;
  const std::int32_t* frames = scenes.frames + layout.first_point;
  const std::int32_t* first_at = scenes.first_at + layout.first_at;
  const float2* places = scenes.places + layout.first_point;
  for (std::int64_t i = fovea::cuda::thread_number(); i < count; i += fovea::cuda::thread_total()) {
    const auto row = static_cast<std::int32_t>(i / points);
    const auto to = static_cast<std::int32_t>(i % points);
    const std::int32_t from = first_at[frames[to]] - 1 - row;
    if (from < 0) continue;
    scenes.directions[layout.first_direction + i] =
        detail::direction(places[to].x - places[from].x, places[to].y - places[from].y);
  }
}

__global__ void __launch_bounds__(kTuning.threads)
    unary_kernel(DeviceModels models, DeviceScenes scenes, float weight) {
  constexpr int kTile = kTuning.tile, kEach = kTuning.each, kStep = kFeatureStep;
  __shared__ float nodes[kStep][kTile];
  __shared__ float points[kStep][kTile + 4];  // columns are written by rows
  const auto node0 = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const auto point0 = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int tid = static_cast<int>(threadIdx.x);
  const int column = tid % 16 * kEach, row = tid / 16 * kEach;  // of points, of nodes
  // Of a step each thread brings four numbers of nodes and four of a point.
  const int load_node = tid % 16 * 4, load_feature = tid / 16;
  const int load_point = tid / 4, load_quad = tid % 4 * 4;
  const bool inside = point0 + load_point < scenes.points;
  const float* from_nodes =
      models.features + static_cast<std::int64_t>(load_feature) * models.pitch + node0 + load_node;
  const float* from_points =
      scenes.features + (inside ? point0 + load_point : 0) * models.depth + load_quad;
  float sums[kEach][kEach] = {};
  auto a = *reinterpret_cast<const float4*>(from_nodes);
  auto b = *reinterpret_cast<const float4*>(from_points);
  for (int k = 0; k < models.depth; k += kStep) {
    *reinterpret_cast<float4*>(&nodes[load_feature][load_node]) = a;
    points[load_quad][load_point] = b.x;
    points[load_quad + 1][load_point] = b.y;
    points[load_quad + 2][load_point] = b.z;
    points[load_quad + 3][load_point] = b.w;
    __syncthreads();
    if (k + kStep < models.depth) {
      a = *reinterpret_cast<const float4*>(from_nodes +
                                           static_cast<std::int64_t>(k + kStep) * models.pitch);
      b = *reinterpret_cast<const float4*>(from_points + k + kStep);
    }
#pragma unroll
    for (int f = 0; f < kStep; ++f) {
      float model[kEach], scene[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) model[i] = nodes[f][row + i];
#pragma unroll
      for (int i = 0; i < kEach; ++i) scene[i] = points[f][column + i];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j)
          sums[i][j] = detail::add_square(model[i], scene[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    const std::int64_t node = node0 + row + i;
    if (node >= models.total) break;
    for (int j = 0; j < kEach; ++j)
      if (point0 + column + j < scenes.points)
        scenes.unary[node * scenes.unary_pitch + point0 + column + j] =
            detail::appearance_cost(weight, sums[i][j]);
  }
}

}  // namespace

void prepare_scenes(const DeviceModels& models, const DeviceScenes& scenes, int count,
                    const detail::MatchTerms& terms, cudaStream_t stream) {
  if (scenes.points == 0) return;
  constexpr int kMostScenes = 65535;  // a grid's rows
  for (int first = 0; first < count; first += kMostScenes) {
    DeviceScenes some = scenes;
    some.layouts += first;
    const int rows = count - first < kMostScenes ? count - first : kMostScenes;
    const unsigned across = fovea::cuda::blocks_within(scenes.points * 16 / count + 1,
                                                       kTuning.direction_threads, 4, "match");
    directions_kernel<<<dim3(across, static_cast<unsigned>(rows)), kTuning.direction_threads, 0,
                        stream>>>(some);
    fovea::cuda::check_launch("directions of points");
  }
  const dim3 grid(fovea::cuda::blocks_for(scenes.points, kTuning.tile),
                  fovea::cuda::blocks_for(models.total, kTuning.tile));
  unary_kernel<<<grid, kTuning.threads, 0, stream>>>(models, scenes, terms.appearance);
  fovea::cuda::check_launch("distances of features");
}

}  // namespace fovea::actions::cuda
