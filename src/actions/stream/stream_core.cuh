// A stream on a GPU: its steps, their memory, and the launches of a push.
#pragma once
#include <fovea/core/stream.h>

#include <memory>
#include <span>
#include <vector>

#include "actions/argument_upload.cuh"
#include "actions/match/match_steps.h"
#include "actions/match/match_tables_cuda.cuh"
#include "actions/stream/stream_health.h"
#include "actions/stream/stream_kernels.cuh"
#include "actions/stream/stream_pool.cuh"

namespace fovea::actions::cuda {

// Chains on the device, for all streams that share them.
struct StreamModels {
  StreamModels(const detail::StreamChains& chains, const Exec& exec);

  DeviceModels models;
  detail::MatchTerms terms;
  std::int32_t history = 0;
  std::vector<int> lengths;
  int features = 0;
  int units = 0;
  ModelTables tables;
  mutable fovea::cuda::KeptBuffer<detail::CellLayout> no_layout;
};

// The points of one frame of a push. Where the features are in a store, `rows` has one per point.
struct StreamInput {
  std::int32_t frame = 0;
  std::span<const Node> nodes;
  std::span<const std::int32_t> rows;
};

class StreamCore {
 public:
  static constexpr std::size_t kMostFrames = 64;  // of a push

  // Work is done on the stream of `exec`, or on one of its own where that is null.
  StreamCore(std::shared_ptr<const StreamModels> models, const Exec& exec);

  const StreamModels& models() const { return *models_; }
  const std::shared_ptr<const StreamModels>& shared() const { return models_; }
  const Exec& exec() const { return exec_; }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(exec_.stream); }
  std::int64_t frames() const { return steps_.end(); }
  // Where the features of a push go that are not in a store: one row of models.depth per point.
  float* features(std::size_t points);

  // Enqueues everything up to the results; the work of the push before must be complete. `store`
  // has the rows of features. After a push that failed, this and path() throw Error.
  void push(std::span<const StreamInput> inputs, const float* store);
  const StreamWork& work() const { return work_; }
  // The step of the last push that an input became; -1 for a frame without nodes.
  std::int32_t step_of(std::size_t input) const { return step_of_[input]; }
  std::int64_t copied_bytes() const { return arguments_.copied(); }
  // Waits for the path of a match of the last push.
  std::vector<MatchedNode> path(std::size_t input, int chain) const;

 private:
  void push_whole(std::span<const StreamInput> inputs, const float* store);
  void add_step(std::int64_t number, std::int32_t column);
  void send_steps(std::int64_t first, std::int64_t end);

  std::shared_ptr<const StreamModels> models_;
  Exec exec_;
  Stream own_;
  detail::StepWindow steps_;
  std::vector<StreamStep> ring_;  // as on the device
  fovea::cuda::KeptBuffer<StreamStep> device_ring_;
  StreamPool<float> window_;
  StreamPool<std::uint16_t> history_;
  detail::StreamHealth health_;
  bool moved_ = false;
  std::vector<std::int32_t> step_of_;
  std::vector<StreamPoint> points_;
  fovea::cuda::KeptBuffer<StreamPoint> device_points_;
  fovea::cuda::KeptBuffer<float> features_, unary_;
  fovea::cuda::KeptBuffer<StreamResult> results_;
  StreamWork work_;
  ArgumentUpload arguments_;
  mutable fovea::cuda::KeptBuffer<std::int32_t> path_;
  mutable PinnedBuffer path_here_;
};

}  // namespace fovea::actions::cuda
