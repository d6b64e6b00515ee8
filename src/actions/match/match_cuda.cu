// CUDA twin of matching: scenes are uploaded in one piece and matched with all models, and results
// are downloaded in one piece.
#include <algorithm>
#include <limits>
#include <mutex>

#include "actions/match/backend.h"
#include "actions/match/match_runs_math.h"
#include "actions/match/match_tables_cuda.cuh"

namespace fovea::actions::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::KeptBuffer;

constexpr std::int64_t kUnaryBytes = std::int64_t{1} << 29;  // most bytes for a batch of scenes
constexpr std::int64_t kTableBytes = std::int64_t{1} << 31;  // most bytes for a batch of jobs
constexpr std::int64_t kMostJobs = 65535;                    // the rows of a grid

class CudaMatch final : public detail::MatchEngine {
 public:
  CudaMatch(std::span<const Chain> models, const detail::MatchTerms& terms, const Exec& exec)
      : terms_(terms), exec_(exec) {
    exec_.stream = nullptr;  // a caller's stream may be gone when scenes come
    fovea::cuda::Session session(exec_);
    std::vector<const Nodes*> nodes;
    nodes.reserve(models.size());
    for (const Chain& model : models) {
      nodes.push_back(&model);
      lengths_.push_back(model.size());
    }
    models_ = model_tables_.fill(nodes, session.stream());
    limits_ = device_limits();
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
      const DeviceScenes on_device =
          scene_tables_.bring(batch, scenes.subspan(begin, end - begin), models_, session.stream());
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
  DeviceModels models_;
  DeviceLimits limits_;
  std::vector<int> lengths_;
  std::mutex mutex_;
  ModelTables model_tables_;
  SceneTables scene_tables_;
  KeptBuffer<float> states_[2];
  KeptBuffer<unsigned char> results_;
  KeptBuffer<std::uint16_t> back_;
  PinnedBuffer told_;
};

}  // namespace

std::unique_ptr<detail::MatchEngine> make_match_engine(std::span<const Chain> models,
                                                       const detail::MatchTerms& terms,
                                                       const Exec& exec) {
  return std::make_unique<CudaMatch>(models, terms, exec);
}

}  // namespace fovea::actions::cuda
