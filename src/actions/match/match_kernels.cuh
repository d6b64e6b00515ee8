// What runs on the GPU to match a batch: scenes and models are in device memory, and a job is a
// pair of them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "actions/match/match_cells.h"
#include "core/on_device.cuh"

namespace fovea::actions::cuda {

struct ModelRange {
  std::int32_t first = 0;  // first node among those of all models
  std::int32_t nodes = 0;
};

// Models on the device, node after node.
struct DeviceModels {
  const detail::CellNode* nodes = nullptr;
  const ModelRange* ranges = nullptr;
  const float* features = nullptr;  // one row per feature, with `pitch` nodes each
  std::int32_t models = 0;
  std::int32_t total = 0;    // number of nodes
  std::int32_t longest = 0;  // nodes of the longest model
  std::int32_t pitch = 0;
  std::int32_t depth =
      0;  // number of features, a multiple of kFeatureStep, with zeros after the last
};
inline constexpr int kFeatureStep = 4, kNodeStep = 32;

// Scenes on the device, with the points of all of them in one list.
struct DeviceScenes {
  const detail::CellLayout* layouts = nullptr;
  const std::int32_t* frames = nullptr;
  const std::int32_t* first_at = nullptr;
  const float2* places = nullptr;
  const float* features = nullptr;  // one row per point, with `depth` numbers each
  float* directions = nullptr;
  float* unary = nullptr;  // one row per node of the models, with unary_pitch points each
  std::int64_t unary_pitch = 0;
  std::int64_t points = 0;
};

struct JobResult {
  float energy;
  float appearance;
  std::int32_t first_frame, last_frame;  // counted from the first frame of the scene
};

// Jobs from `first` on: scene after scene, with all models of each.
struct JobWork {
  DeviceModels models;
  DeviceScenes scenes;
  detail::MatchTerms terms;
  std::int64_t first = 0;
  std::int32_t count = 0;
  std::int64_t cells = 0;  // cells of the largest job
  std::uint16_t* back =
      nullptr;  // a table of `cells` per node and job; null where it stays in shared memory
  float* states[2] = {};          // for the layered kernels, `cells` per job
  JobResult* results = nullptr;   // beginning with the first job
  std::int32_t* paths = nullptr;  // `longest` entries per job: a point, or -1 minus the frame of a
                                  // dummy; null where nobody wants it
};

// Computes directions between points, and distances of features.
struct PrepareTerms {
  float appearance = 0;
  int units = 0;  // multiprocessors
};
void prepare_scenes(const DeviceModels& models, const DeviceScenes& scenes, int count,
                    const PrepareTerms& terms, cudaStream_t stream);

// Properties of the current device.
struct DeviceLimits {
  int units = 0;              // multiprocessors,
  int unit_shared_bytes = 0;  // of each multiprocessor,
  int shared_bytes = 0;       // and the most that a block may use
};

// Tables in shared memory and one launch: `ranks` blocks share a job as a cluster.
struct FusedShape {
  int ranks = 0;  // 0 where it does not fit
  int threads = 0;
  std::size_t shared_bytes = 0;
  bool keeps_back = false;  // the path back stays in shared memory too
};
FusedShape fused_shape(const detail::CellBatch& batch, const detail::MatchTerms& terms,
                       const DeviceModels& models, const DeviceLimits& limits);
void match_fused(const JobWork& work, const FusedShape& shape, cudaStream_t stream);
void allow_fused();  // to be called once per device: allows a block to use all shared memory

// The same for scenes without dummies, which is faster. Rows of its tables have the length
// odd_pitch(), so that JobWork::cells is at least that times the number of points.
FusedShape runs_shape(const detail::CellBatch& batch, const detail::MatchTerms& terms,
                      const DeviceModels& models, const DeviceLimits& limits);
void match_runs(const JobWork& work, const FusedShape& shape, cudaStream_t stream);
void allow_runs();

// Tables in device memory and one launch per node, for windows without limit.
void match_layered(const JobWork& work, cudaStream_t stream);

}  // namespace fovea::actions::cuda
