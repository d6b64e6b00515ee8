// What runs on the GPU to match models with several points per frame greedily. A job is a pair of a
// model and a scene; one launch per model frame works on all jobs, because a frame needs the one
// before it.
#pragma once
#include "actions/frames/greedy_math.h"
#include "actions/match/match_kernels.cuh"

namespace fovea::actions::cuda {

// Where the parts of a model are in the arrays of all models.
struct GreedyModelEntry {
  std::int32_t first_frame = 0, frames = 0;
  std::int32_t first_point = 0;
  std::int32_t ranks = 0;
  std::int64_t first_bend = 0;
};

// Where the parts of a scene are in the arrays of all scenes of a batch.
struct GreedySceneEntry {
  std::int64_t first_frame = 0, first_place = 0, first_pairs = 0;
  std::int32_t frames = 0, places = 0;
  std::int32_t before = 0;  // most neighbors of a place
};

struct GreedyModels {
  const GreedyModelEntry* entries = nullptr;
  const detail::GreedyModelFrame* frames = nullptr;
  const detail::Bends* bends = nullptr;
  std::int32_t models = 0;
  std::int32_t longest = 0;  // frames of the longest model
  std::int32_t ranks = 0;    // most points of a frame
};

struct GreedyScenes {
  DeviceScenes scenes;  // directions are null where they are computed when they are needed
  const GreedySceneEntry* entries = nullptr;
  const detail::GreedyFrame* frames = nullptr;
  const detail::GreedyPlace* places = nullptr;
  const std::int64_t* first_pairs = nullptr;
  std::int32_t most_frames = 0, most_places = 0, most_before = 0;
};

struct GreedyResult {
  float energy;
  float appearance;
  std::int32_t first_frame, last_frame;
};

// Jobs from `first` on: scene after scene, with all models of each.
struct GreedyWork {
  GreedyModels models;
  GreedyScenes scenes;
  detail::MatchTerms terms;
  std::int64_t first = 0;
  std::int32_t count = 0;
  std::int64_t taken_step = 0;    // entries of `taken` and `costs` per job
  std::int64_t pair_step = 0;     // pairs of places per job
  std::int32_t* taken = nullptr;  // by model frame, scene frame and rank; -1: not seen
  float* costs = nullptr;         // l1 U of these points
  detail::GreedyState* states[2] = {};
  std::int32_t* origins = nullptr;  // by model frame and pair: the place before; null: no paths
  GreedyResult* results = nullptr;
  std::int32_t* path_places = nullptr;  // `longest` per job
  std::int32_t* path_points = nullptr;  // `longest` x `ranks` per job
  float* path_costs = nullptr;          // `longest` per job
};

// Runs all launches of the work on the stream.
void match_greedily(const GreedyWork& work, cudaStream_t stream);

}  // namespace fovea::actions::cuda
