// CUDA twin of matching: scenes are uploaded in one piece and matched with all models, and results
// are downloaded in one piece.
#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

#include "actions/match/backend.h"
#include "actions/match/match_kernels.cuh"
#include "actions/match/match_runs_math.h"
#include "core/kept_buffer.cuh"

namespace fovea::actions::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::KeptBuffer;

constexpr std::int64_t kUnaryBytes = std::int64_t{1} << 29;  // most bytes for a batch of scenes
constexpr std::int64_t kTableBytes = std::int64_t{1} << 31;  // most bytes for a batch of jobs
constexpr std::int64_t kMostJobs = 65535;                    // the rows of a grid

std::int32_t round_up(std::int32_t value, std::int32_t step) {
  return (value + step - 1) / step * step;
}

// Lays out data of several types one after the other.
class Pieces {
 public:
  template <class T>
  std::size_t take(std::int64_t count) {
    const std::size_t begin = bytes_;
    bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return begin;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// Host memory that grows when it has to and is kept.
class PinnedBuffer {
 public:
  unsigned char* reserve(std::size_t bytes) {
    if (bytes > array_.size()) {
      array_ = Array<unsigned char>();
      array_ = Array<unsigned char>(bytes + bytes / 4, Memory::kPinned);
    }
    return array_.data();
  }

 private:
  Array<unsigned char> array_;
};

class CudaMatch final : public detail::MatchEngine {
 public:
  CudaMatch(std::span<const Chain> models, const detail::MatchTerms& terms, const Exec& exec)
      : terms_(terms), exec_(exec) {
    exec_.stream = nullptr;  // a caller's stream may be gone when scenes come
    fovea::cuda::Session session(exec_);
    features_ = models.front().features.width();
    std::vector<detail::CellNode> nodes;
    std::vector<ModelRange> ranges;
    for (const Chain& model : models) {
      ranges.push_back({static_cast<std::int32_t>(nodes.size()), model.size()});
      for (int i = 0; i < model.size(); ++i) nodes.push_back(detail::node_of(model, i));
      lengths_.push_back(model.size());
      models_.longest = std::max(models_.longest, model.size());
    }
    models_.models = static_cast<std::int32_t>(models.size());
    models_.total = static_cast<std::int32_t>(nodes.size());
    models_.pitch = round_up(models_.total, kNodeStep);
    models_.depth = round_up(features_, kFeatureStep);
    std::vector<float> rows(static_cast<std::size_t>(models_.depth) * models_.pitch);
    for (std::size_t m = 0; m < models.size(); ++m)
      for (int i = 0; i < models[m].size(); ++i)
        for (int k = 0; k < features_; ++k)
          rows[static_cast<std::size_t>(k) * models_.pitch + ranges[m].first + i] =
              models[m].features.at(k, i);
    models_.nodes = nodes_.fill(nodes, session.stream());
    models_.ranges = ranges_.fill(ranges, session.stream());
    models_.features = rows_.fill(rows, session.stream());
    int device = 0;
    check(cudaGetDevice(&device), "match");
    const auto ask = [device](int& value, cudaDeviceAttr attribute) {
      check(cudaDeviceGetAttribute(&value, attribute, device), "match");
    };
    ask(limits_.units, cudaDevAttrMultiProcessorCount);
    ask(limits_.unit_shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    ask(limits_.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    allow_fused();
    allow_runs();
    session.finish("preparing models");
  }

  std::vector<detail::MatchFound> match(const Scene& scene) override {
    std::vector<detail::MatchFound> found(static_cast<std::size_t>(models_.models));
    run({&scene, 1}, true,
        [&](std::int64_t job, const detail::CellLayout& layout, const JobResult& result,
            const std::int32_t* path) {
          found[job].energy = result.energy;
          if (result.energy == std::numeric_limits<float>::infinity()) return;
          for (int i = 0; i < lengths_[job]; ++i)
            found[job].path.push_back(path[i] >= 0
                                          ? MatchedNode{path[i], scene.points.nodes[path[i]].frame}
                                          : MatchedNode{-1, layout.first_frame - 1 - path[i]});
        });
    return found;
  }

  void scores(std::span<const Scene> scenes, ImageView<MatchScore> scores) override {
    run(scenes, false,
        [&](std::int64_t job, const detail::CellLayout& layout, const JobResult& result,
            const std::int32_t*) {
          MatchScore& score = scores.at(static_cast<int>(job % models_.models),
                                        static_cast<int>(job / models_.models));
          score = {.energy = result.energy};
          if (result.energy == std::numeric_limits<float>::infinity()) return;
          score.appearance = result.appearance;
          score.first_frame = layout.first_frame + result.first_frame;
          score.last_frame = layout.first_frame + result.last_frame;
        });
  }

 private:
  // Works on as many scenes at a time as the table of unary costs has room for. take(job, layout,
  // result, path) is called for all scenes and models in order.
  template <class Take>
  void run(std::span<const Scene> scenes, bool paths, const Take& take) {
    const std::scoped_lock lock(mutex_);
    fovea::cuda::Session session(exec_);
    std::size_t begin = 0;
    while (begin < scenes.size()) {
      detail::CellBatch batch;
      std::size_t end = begin;
      const auto bytes_with = [&](std::int64_t points) {
        return points * models_.total * static_cast<std::int64_t>(sizeof(float));
      };
      while (end < scenes.size() &&
             (end == begin || bytes_with(batch.points + scenes[end].points.size()) <= kUnaryBytes))
        batch.add(scenes[end++], terms_);
      const DeviceScenes on_device = bring(batch, scenes.subspan(begin, end - begin), session);
      prepare_scenes(models_, on_device, static_cast<int>(end - begin),
                     {terms_.appearance, limits_.units}, session.stream());
      match_batch(batch, on_device, paths, session,
                  [&](std::int64_t job, const JobResult& result, const std::int32_t* path) {
                    take(static_cast<std::int64_t>(begin) * models_.models + job,
                         batch.scenes[job / models_.models], result, path);
                  });
      begin = end;
    }
  }

  // Uploads scenes in one copy.
  DeviceScenes bring(const detail::CellBatch& batch, std::span<const Scene> scenes,
                     fovea::cuda::Session& session) {
    Pieces pieces;
    const std::size_t layouts = pieces.take<detail::CellLayout>(std::ssize(batch.scenes));
    const std::size_t frames = pieces.take<std::int32_t>(batch.points);
    const std::size_t first_at = pieces.take<std::int32_t>(std::ssize(batch.first_at));
    const std::size_t places = pieces.take<float>(2 * batch.points);
    const std::size_t features = pieces.take<float>(batch.points * models_.depth);
    unsigned char* const host = staging_.reserve(pieces.bytes());
    const auto put = [&](std::size_t at, const auto& values) {
      if (!values.empty()) std::memcpy(host + at, values.data(), values.size() * sizeof(values[0]));
    };
    put(layouts, batch.scenes);
    put(frames, batch.frames);
    put(first_at, batch.first_at);
    put(places, batch.places);
    auto* row = reinterpret_cast<float*>(host + features);
    for (const Scene& scene : scenes)
      for (int p = 0; p < scene.points.size(); ++p, row += models_.depth) {
        std::memcpy(row, scene.points.features.row(p),
                    static_cast<std::size_t>(features_) * sizeof(float));
        std::fill(row + features_, row + models_.depth, 0.0F);
      }
    unsigned char* const device = scenes_.reserve(pieces.bytes());
    check(cudaMemcpyAsync(device, host, pieces.bytes(), cudaMemcpyHostToDevice, session.stream()),
          "uploading scenes");
    DeviceScenes on_device;
    on_device.layouts = reinterpret_cast<const detail::CellLayout*>(device + layouts);
    on_device.frames = reinterpret_cast<const std::int32_t*>(device + frames);
    on_device.first_at = reinterpret_cast<const std::int32_t*>(device + first_at);
    on_device.places = reinterpret_cast<const float2*>(device + places);
    on_device.features = reinterpret_cast<const float*>(device + features);
    on_device.points = batch.points;
    on_device.unary_pitch = (batch.points + 31) / 32 * 32;
    on_device.unary = unary_.reserve(static_cast<std::size_t>(on_device.unary_pitch) *
                                     static_cast<std::size_t>(models_.total));
    on_device.directions = directions_.reserve(static_cast<std::size_t>(batch.directions));
    return on_device;
  }

  template <class Take>
  void match_batch(const detail::CellBatch& batch, const DeviceScenes& scenes, bool paths,
                   fovea::cuda::Session& session, const Take& take) {
    JobWork work{.models = models_, .scenes = scenes, .terms = terms_};
    FusedShape shape = runs_shape(batch, terms_, models_, limits_);
    const bool runs = shape.ranks > 0;
    if (!runs) shape = fused_shape(batch, terms_, models_, limits_);
    const bool fused = shape.ranks > 0;
    for (const detail::CellLayout& layout : batch.scenes) {
      const std::int64_t rows = runs ? detail::odd_pitch(layout.shape.reach) : layout.shape.rows();
      work.cells = std::max(work.cells, rows * layout.shape.columns());
    }
    const std::int64_t back = shape.keeps_back ? 0 : work.cells * models_.longest;
    const std::int64_t states = fused ? 0 : work.cells;
    const std::int64_t each = 2 * back + 8 * states + 1;
    const std::int64_t jobs = std::ssize(batch.scenes) * static_cast<std::int64_t>(models_.models);
    const std::int64_t most = std::clamp<std::int64_t>(kTableBytes / each, 1, kMostJobs);
    for (; work.first < jobs; work.first += most) {
      work.count = static_cast<std::int32_t>(std::min(most, jobs - work.first));
      if (back > 0) work.back = back_.reserve(static_cast<std::size_t>(back * work.count));
      if (!fused) {
        work.states[0] = states_[0].reserve(static_cast<std::size_t>(states * work.count));
        work.states[1] = states_[1].reserve(static_cast<std::size_t>(states * work.count));
      }
      Pieces pieces;
      const std::size_t results = pieces.take<JobResult>(work.count);
      const std::size_t path_at =
          paths ? pieces.take<std::int32_t>(static_cast<std::int64_t>(work.count) * models_.longest)
                : 0;
      unsigned char* const device = results_.reserve(pieces.bytes());
      unsigned char* const host = told_.reserve(pieces.bytes());
      work.results = reinterpret_cast<JobResult*>(device + results);
      work.paths = paths ? reinterpret_cast<std::int32_t*>(device + path_at) : nullptr;
      if (runs) match_runs(work, shape, session.stream());
      else if (fused) match_fused(work, shape, session.stream());
      else match_layered(work, session.stream());
      check(cudaMemcpyAsync(host, device, pieces.bytes(), cudaMemcpyDeviceToHost, session.stream()),
            "fetching matches");
      check(cudaStreamSynchronize(session.stream()), "matching");
      throw_if_stopped(exec_);
      for (std::int32_t j = 0; j < work.count; ++j)
        take(work.first + j, reinterpret_cast<const JobResult*>(host + results)[j],
             reinterpret_cast<const std::int32_t*>(host + path_at) +
                 static_cast<std::size_t>(j) * models_.longest);
    }
  }

  detail::MatchTerms terms_;
  Exec exec_;
  int features_ = 0;
  DeviceModels models_;
  DeviceLimits limits_;
  std::vector<int> lengths_;
  std::mutex mutex_;
  KeptBuffer<detail::CellNode> nodes_;
  KeptBuffer<ModelRange> ranges_;
  KeptBuffer<float> rows_, unary_, directions_, states_[2];
  KeptBuffer<unsigned char> scenes_, results_;
  KeptBuffer<std::uint16_t> back_;
  PinnedBuffer staging_, told_;
};

}  // namespace

std::unique_ptr<detail::MatchEngine> make_match_engine(std::span<const Chain> models,
                                                       const detail::MatchTerms& terms,
                                                       const Exec& exec) {
  return std::make_unique<CudaMatch>(models, terms, exec);
}

}  // namespace fovea::actions::cuda
