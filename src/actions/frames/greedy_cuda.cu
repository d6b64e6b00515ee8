// CUDA twin of greedy matching: scenes are uploaded in one piece and matched with all models, and
// results are downloaded in one piece.
#include <algorithm>
#include <limits>
#include <mutex>

#include "actions/frames/backend.h"
#include "actions/frames/greedy_kernels.cuh"
#include "actions/match/match_tables_cuda.cuh"

namespace fovea::actions::cuda {
namespace {

using detail::GreedyLayout;
using fovea::cuda::check;
using fovea::cuda::KeptBuffer;

constexpr struct {
  std::int64_t unary_bytes = std::int64_t{1} << 29;      // most bytes for a batch of scenes
  std::int64_t table_bytes = std::int64_t{1} << 31;      // most bytes for a batch of jobs
  std::int64_t most_jobs = 65535;                        // the rows of a grid
  std::int64_t most_directions = std::int64_t{1} << 28;  // that are kept in a table
} kGreedyTuning;

class CudaGreedy final : public detail::GreedyEngine {
 public:
  CudaGreedy(std::span<const detail::GreedyModel> models, const detail::MatchTerms& terms,
             const Exec& exec)
      : terms_(terms), exec_(exec) {
    exec_.stream = nullptr;  // a caller's stream may be gone when scenes come
    fovea::cuda::Session session(exec_);
    std::vector<const Nodes*> nodes;
    std::vector<GreedyModelEntry> entries;
    std::vector<detail::GreedyModelFrame> frames;
    std::vector<detail::Bends> bends;
    nodes.reserve(models.size());
    entries.reserve(models.size());
    std::int32_t points = 0;
    for (const detail::GreedyModel& model : models) {
      nodes.push_back(&model.points());
      entries.push_back({static_cast<std::int32_t>(frames.size()),
                         static_cast<std::int32_t>(model.frames().size()), points, model.ranks(),
                         std::ssize(bends)});
      points += model.points().size();
      frames.insert(frames.end(), model.frames().begin(), model.frames().end());
      bends.insert(bends.end(), model.bends().begin(), model.bends().end());
      models_.longest = std::max(models_.longest, entries.back().frames);
      models_.ranks = std::max(models_.ranks, entries.back().ranks);
    }
    models_.models = static_cast<std::int32_t>(models.size());
    shapes_ = entries;
    features_ = model_tables_.fill(nodes, session.stream());
    models_.entries = entries_.fill(entries, session.stream());
    models_.frames = frames_.fill(frames, session.stream());
    models_.bends = bends_.fill(bends, session.stream());
    units_ = device_limits().units;
    session.finish("preparing models");
  }

  std::vector<detail::GreedyPath> match(const Scene& scene, const GreedyLayout& layout) override {
    std::vector<detail::GreedyPath> paths(shapes_.size());
    run({&scene, 1}, {&layout, 1}, true,
        [&](std::int64_t job, const GreedyResult& result, const Told& told) {
          detail::GreedyPath& path = paths[static_cast<std::size_t>(job)];
          path.energy = result.energy;
          if (result.energy == std::numeric_limits<float>::infinity()) return;
          const GreedyModelEntry& shape = shapes_[static_cast<std::size_t>(job)];
          path.places.assign(told.places, told.places + shape.frames);
          path.costs.assign(told.costs, told.costs + shape.frames);
          for (int i = 0; i < shape.frames; ++i)
            path.points.insert(path.points.end(), told.points + i * models_.ranks,
                               told.points + i * models_.ranks + shape.ranks);
        });
    return paths;
  }

  void scores(std::span<const Scene> scenes, ImageView<MatchScore> scores) override {
    std::vector<GreedyLayout> layouts;
    layouts.reserve(scenes.size());
    for (const Scene& scene : scenes) layouts.emplace_back(scene, terms_);
    run(scenes, layouts, false, [&](std::int64_t job, const GreedyResult& result, const Told&) {
      scores.at(static_cast<int>(job % models_.models), static_cast<int>(job / models_.models)) = {
          result.energy, result.appearance, result.first_frame, result.last_frame};
    });
  }

 private:
  // The path of a job, where paths were asked for.
  struct Told {
    const std::int32_t* places;
    const std::int32_t* points;
    const float* costs;
  };

  // Works on as many scenes at a time as the table of unary costs has room for. take(job, result,
  // path) is called for all scenes and models in order.
  template <class Take>
  void run(std::span<const Scene> scenes, std::span<const GreedyLayout> layouts, bool paths,
           const Take& take) {
    const std::scoped_lock lock(mutex_);
    fovea::cuda::Session session(exec_);
    std::size_t begin = 0;
    while (begin < scenes.size()) {
      detail::CellBatch batch;
      std::size_t end = begin;
      const auto bytes_with = [&](std::int64_t points) {
        return points * features_.total * static_cast<std::int64_t>(sizeof(float));
      };
      while (end < scenes.size() &&
             (end == begin ||
              bytes_with(batch.points + scenes[end].points.size()) <= kGreedyTuning.unary_bytes))
        batch.add(scenes[end++], terms_, false);
      const bool table = batch.directions <= kGreedyTuning.most_directions;
      if (!table) {
        for (detail::CellLayout& layout : batch.scenes) layout.shape.seen = 0;
        batch.directions = 0;
      }
      GreedyWork work{.models = models_, .terms = terms_};
      work.scenes = bring(layouts.subspan(begin, end - begin), session.stream());
      work.scenes.scenes = scene_tables_.bring(batch, scenes.subspan(begin, end - begin), features_,
                                               session.stream());
      prepare_scenes(features_, work.scenes.scenes, static_cast<int>(end - begin),
                     {terms_.appearance, units_}, session.stream());
      if (!table) work.scenes.scenes.directions = nullptr;
      match_batch(work, static_cast<std::int64_t>(end - begin), paths, session,
                  [&](std::int64_t job, const GreedyResult& result, const Told& told) {
                    take(static_cast<std::int64_t>(begin) * models_.models + job, result, told);
                  });
      begin = end;
    }
  }

  GreedyScenes bring(std::span<const GreedyLayout> layouts, cudaStream_t stream) {
    std::vector<GreedySceneEntry> entries;
    std::vector<detail::GreedyFrame> frames;
    std::vector<detail::GreedyPlace> places;
    std::vector<std::int64_t> pairs;
    entries.reserve(layouts.size());
    GreedyScenes scenes;
    most_pairs_ = 0;
    for (const GreedyLayout& layout : layouts) {
      GreedySceneEntry entry{std::ssize(frames), std::ssize(places), std::ssize(pairs),
                             static_cast<std::int32_t>(layout.frames().size()),
                             static_cast<std::int32_t>(layout.places().size())};
      for (std::size_t c = 0; c < layout.places().size(); ++c)
        entry.before = std::max(entry.before, static_cast<std::int32_t>(layout.first_pair(c + 1) -
                                                                        layout.first_pair(c)));
      frames.insert(frames.end(), layout.frames().begin(), layout.frames().end());
      places.insert(places.end(), layout.places().begin(), layout.places().end());
      pairs.insert(pairs.end(), layout.first_pairs().begin(), layout.first_pairs().end());
      scenes.most_frames = std::max(scenes.most_frames, entry.frames);
      scenes.most_places = std::max(scenes.most_places, entry.places);
      scenes.most_before = std::max(scenes.most_before, entry.before);
      most_pairs_ = std::max(most_pairs_, layout.pairs());
      entries.push_back(entry);
    }
    scenes.entries = scene_entries_.fill(entries, stream);
    scenes.frames = scene_frames_.fill(frames, stream);
    scenes.places = places_.fill(places, stream);
    scenes.first_pairs = first_pairs_.fill(pairs, stream);
    return scenes;
  }

  template <class Take>
  void match_batch(GreedyWork& work, std::int64_t scenes, bool paths, fovea::cuda::Session& session,
                   const Take& take) {
    const std::int64_t longest = models_.longest;
    work.taken_step = std::max<std::int64_t>(1, longest * work.scenes.most_frames * models_.ranks);
    work.pair_step = std::max<std::int64_t>(1, most_pairs_);
    const std::int64_t origins = paths ? longest * work.pair_step : 0;
    const std::int64_t each =
        8 * work.taken_step + 4 * origins +
        2 * work.pair_step * static_cast<std::int64_t>(sizeof(detail::GreedyState));
    const std::int64_t jobs = scenes * models_.models;
    const std::int64_t most =
        std::clamp<std::int64_t>(kGreedyTuning.table_bytes / each, 1, kGreedyTuning.most_jobs);
    const auto size = [&](std::int64_t step) {
      return static_cast<std::size_t>(step * std::min(most, jobs));
    };
    work.taken = taken_.reserve(size(work.taken_step));
    work.costs = costs_.reserve(size(work.taken_step));
    for (int s = 0; s < 2; ++s) work.states[s] = states_[s].reserve(size(work.pair_step));
    if (paths) work.origins = origins_.reserve(size(origins));
    for (; work.first < jobs; work.first += most) {
      work.count = static_cast<std::int32_t>(std::min(most, jobs - work.first));
      run_jobs(work, paths, session.stream(), take);
    }
  }

  template <class Take>
  void run_jobs(GreedyWork& work, bool paths, cudaStream_t stream, const Take& take) {
    const std::int64_t longest = models_.longest, nodes = paths ? work.count * longest : 0;
    Pieces pieces;
    const std::size_t results = pieces.take<GreedyResult>(work.count);
    const std::size_t places = pieces.take<std::int32_t>(nodes);
    const std::size_t points = pieces.take<std::int32_t>(nodes * models_.ranks);
    const std::size_t costs = pieces.take<float>(nodes);
    unsigned char* const device = results_.reserve(pieces.bytes());
    unsigned char* const host = told_.reserve(pieces.bytes());
    work.results = reinterpret_cast<GreedyResult*>(device + results);
    work.path_places = reinterpret_cast<std::int32_t*>(device + places);
    work.path_points = reinterpret_cast<std::int32_t*>(device + points);
    work.path_costs = reinterpret_cast<float*>(device + costs);
    match_greedily(work, stream);
    check(cudaMemcpyAsync(host, device, pieces.bytes(), cudaMemcpyDeviceToHost, stream),
          "fetching matches");
    check(cudaStreamSynchronize(stream), "greedy matching");
    throw_if_stopped(exec_);
    for (std::int64_t j = 0; j < work.count; ++j)
      take(work.first + j, reinterpret_cast<const GreedyResult*>(host + results)[j],
           Told{reinterpret_cast<const std::int32_t*>(host + places) + (paths ? j * longest : 0),
                reinterpret_cast<const std::int32_t*>(host + points) +
                    (paths ? j * longest * models_.ranks : 0),
                reinterpret_cast<const float*>(host + costs) + (paths ? j * longest : 0)});
  }

  detail::MatchTerms terms_;
  Exec exec_;
  GreedyModels models_;
  DeviceModels features_;
  std::vector<GreedyModelEntry> shapes_;
  int units_ = 0;
  std::int64_t most_pairs_ = 0;  // of a scene of the batch
  std::mutex mutex_;
  ModelTables model_tables_;
  SceneTables scene_tables_;
  KeptBuffer<GreedyModelEntry> entries_;
  KeptBuffer<detail::GreedyModelFrame> frames_;
  KeptBuffer<detail::Bends> bends_;
  KeptBuffer<GreedySceneEntry> scene_entries_;
  KeptBuffer<detail::GreedyFrame> scene_frames_;
  KeptBuffer<detail::GreedyPlace> places_;
  KeptBuffer<std::int64_t> first_pairs_;
  KeptBuffer<std::int32_t> taken_, origins_;
  KeptBuffer<float> costs_;
  KeptBuffer<detail::GreedyState> states_[2];
  KeptBuffer<unsigned char> results_;
  PinnedBuffer told_;
};

}  // namespace

std::unique_ptr<detail::GreedyEngine> make_greedy_engine(
    std::span<const detail::GreedyModel> models, const detail::MatchTerms& terms,
    const Exec& exec) {
  return std::make_unique<CudaGreedy>(models, terms, exec);
}

}  // namespace fovea::actions::cuda
