// What runs on the GPU to match a batch: scenes and models in device memory, a job a pair of them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "actions/match/match_cells.h"
#include "core/on_device.cuh"

namespace fovea::actions::cuda {

struct ModelRange {
  std::int32_t first = 0;  // node among those of all models
  std::int32_t nodes = 0;
};

// Models on the device: node after node.
struct DeviceModels {
  const detail::CellNode* nodes = nullptr;
  const ModelRange* ranges = nullptr;
  const float* features = nullptr;  // a row a feature, `pitch` nodes each
  std::int32_t models = 0;
  std::int32_t total = 0;    // nodes
  std::int32_t longest = 0;  // nodes of a model
  std::int32_t pitch = 0;
  std::int32_t depth = 0;  // features, a multiple of kFeatureStep: zeros past the last
};
inline constexpr int kFeatureStep = 4, kNodeStep = 32;

// Scenes on the device, the points of all of them in a row.
struct DeviceScenes {
  const detail::CellLayout* layouts = nullptr;
  const std::int32_t* frames = nullptr;
  const std::int32_t* first_at = nullptr;
  const float2* places = nullptr;
  const float* features = nullptr;  // a row a point, `depth` numbers each
  float* directions = nullptr;
  float* unary = nullptr;  // a row a node of the models, unary_pitch points each
  std::int64_t unary_pitch = 0;
  std::int64_t points = 0;
};

struct JobResult {
  float energy;
  float appearance;
  std::int32_t first_frame, last_frame;  // counted from the scene's first
};

// Jobs from `first` on: scene after scene, all models of each.
struct JobWork {
  DeviceModels models;
  DeviceScenes scenes;
  detail::MatchTerms terms;
  std::int64_t first = 0;
  std::int32_t count = 0;
  std::int64_t cells = 0;         // of the largest job
  std::uint16_t* back = nullptr;  // a table of `cells` a node and job; null where it stays in
                                  // shared memory
  float* states[2] = {};          // of the layered way, `cells` a job
  JobResult* results = nullptr;   // from the first job on
  std::int32_t* paths = nullptr;  // `longest` a job: a point, or -1 less the frame of a dummy; null
                                  // where nobody asks
};

// Directions between points, and distances of features.
struct PrepareTerms {
  float appearance = 0;
  int units = 0;  // multiprocessors
};
void prepare_scenes(const DeviceModels& models, const DeviceScenes& scenes, int count,
                    const PrepareTerms& terms, cudaStream_t stream);

// Of the current device.
struct DeviceLimits {
  int units = 0;              // multiprocessors,
  int unit_shared_bytes = 0;  // of each,
  int shared_bytes = 0;       // and the most of a block
};

// Tables in shared memory and one launch: `ranks` blocks share a job as a cluster.
struct FusedShape {
  int ranks = 0;  // 0 where it does not fit
  int threads = 0;
  std::size_t shared_bytes = 0;
  bool keeps_back = false;  // the way back stays in shared memory too
};
FusedShape fused_shape(const detail::CellBatch& batch, const detail::MatchTerms& terms,
                       const DeviceModels& models, const DeviceLimits& limits);
void match_fused(const JobWork& work, const FusedShape& shape, cudaStream_t stream);
void allow_fused();  // once before, on each device: all of a block's shared memory

// The same for scenes without dummies, quicker. Rows of its tables are odd_pitch(), so that
// JobWork::cells is at least that times the points.
FusedShape runs_shape(const detail::CellBatch& batch, const detail::MatchTerms& terms,
                      const DeviceModels& models, const DeviceLimits& limits);
void match_runs(const JobWork& work, const FusedShape& shape, cudaStream_t stream);
void allow_runs();

// Tables in device memory and a launch a node: for windows without limit.
void match_layered(const JobWork& work, cudaStream_t stream);

}  // namespace fovea::actions::cuda
