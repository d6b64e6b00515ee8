#include "bench/scenes/scenes_stages.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <fovea/scenes/features.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/natural_scene.h"
#include "bench/scenes/scenes_classifiers.h"
#include "bench/stage_table.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/parallel.h"
#include "core/timing/timing.h"

namespace fovea::cli {
namespace {

constexpr int kPhotoWidth = 310, kPhotoHeight = 246;
constexpr int kStagePhotos = 16;  // photos that one run takes
constexpr int kStageWords = 500, kStageSamples = 200;

BenchCase case_named(std::string name, int width, int height) {
  return {.name = std::move(name), .shape = {.width = width, .height = height}, .prepare = {}};
}

struct StageTimes {
  const SceneStage* stage = nullptr;
  double one = 0;                   // seconds with one thread
  std::optional<double> threads{};  // with all threads
  std::optional<double> gpu{};

  std::optional<double> speedup(const std::optional<double>& seconds) const {
    return seconds ? std::optional(one / *seconds) : std::nullopt;
  }
};

StageTimes measure_stage(const SceneStage& stage, const StagePlaces& places, int repeats,
                         const std::stop_token& stop) {
  const Exec one{.device = Device::cpu(), .threads = 1};
  std::vector<Runner> runners{runner_of(stage.work.prepare(Memory::kHost), one)};
  if (places.threads > 0)
    runners.push_back(runner_of(stage.work.prepare(Memory::kHost),
                                {.device = Device::cpu(), .threads = places.threads}));
  const std::vector<Timing> timings = time_in_turns(runners, repeats, stop);
  StageTimes times{&stage, timings[0].seconds};
  if (places.threads > 0) times.threads = timings[1].seconds;
  if (!places.gpu || !stage.on_gpu) return times;
  BenchWork work;
  cuda::time_on_device(*places.gpu, [&](const Exec&) { work = stage.work.prepare(Memory::kCuda); });
  times.gpu = time_in_turns({runner_of(work, *places.gpu)}, repeats, stop)[0].seconds;
  return times;
}

std::vector<std::string> columns_of(const StageTimes& times) {
  const SceneStage& stage = *times.stage;
  return {stage.name,
          to_string(stage.work.shape),
          seconds_text(times.one),
          time_text(times.threads),
          time_text(times.gpu),
          ratio_text(times.speedup(times.threads)),
          ratio_text(stage.paper_threads),
          ratio_text(times.speedup(times.gpu)),
          ratio_text(stage.paper_gpu)};
}

void print_stages(const BenchOptions& options, Context& context, const StagePlaces& places,
                  const std::vector<StageTimes>& all) {
  StageTable table{
      {"stage", "size", "1 thread", fmt::format("{} threads", std::max(places.threads, 1)), "GPU",
       "threads speed-up", "paper: OpenMP", "GPU speed-up", "paper: CUDA"},
      {},
      2};
  for (const StageTimes& times : all) table.rows.push_back(columns_of(times));
  print_table(options, context, table);
}

void print_stages_json(Context& context, const StagePlaces& places,
                       const std::vector<StageTimes>& all) {
  print_result(context, [&](io::JsonWriter& json) {
    json.member("cpu", devices().front().name).member("threads", std::max(places.threads, 1));
    json.key("stages").begin_array();
    for (const StageTimes& times : all) {
      json.begin_object().member("stage", times.stage->name);
      json.member("size", to_string(times.stage->work.shape));
      json.member("one_thread_seconds", times.one);
      write_optional(json, "threads_seconds", times.threads);
      write_optional(json, "gpu_seconds", times.gpu);
      write_optional(json, "threads_speedup", times.speedup(times.threads));
      write_optional(json, "gpu_speedup", times.speedup(times.gpu));
      write_optional(json, "paper_openmp_speedup", times.stage->paper_threads);
      write_optional(json, "paper_cuda_speedup", times.stage->paper_gpu);
      json.end_object();
    }
    json.end_array();
  });
}

}  // namespace

SceneStage sampling_stage() {
  BenchCase bench = case_named("sampling", kPhotoWidth, kPhotoHeight * kStagePhotos);
  bench.prepare = [](Memory memory) -> BenchWork {
    const auto photos = std::make_shared<std::vector<Image<std::uint8_t>>>();
    for (int i = 0; i < kStagePhotos; ++i)
      photos->push_back(clone(
          io::to_gray(NaturalScene({kPhotoWidth, kPhotoHeight}, static_cast<std::uint64_t>(50 + i))
                          .frame()
                          .view())
              .view(),
          memory));
    return [=](const Exec& exec) {
      Exec inner = exec;
      inner.threads = 1;
      inner.stream = nullptr;
      Exec loop = exec;
      if (memory == Memory::kCuda) loop.threads = 1;
      parallel_for(loop, kStagePhotos, 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<int>(begin); i < end; ++i)
          scenes::sample_descriptors((*photos)[static_cast<std::size_t>(i)].view(), i,
                                     kStageSamples, {.exec = inner});
      });
    };
  };
  return {.name = "sampling", .work = std::move(bench)};
}

SceneStage histogram_stage() {
  BenchCase bench = case_named("histograms", kPhotoWidth, kPhotoHeight * kStagePhotos);
  bench.prepare = [](Memory) -> BenchWork {
    const auto map = std::make_shared<Image<std::uint16_t>>(kPhotoWidth, kPhotoHeight);
    Random random(3, 0);
    for (int y = 0; y < kPhotoHeight; ++y)
      for (int x = 0; x < kPhotoWidth; ++x)
        map->at(x, y) = static_cast<std::uint16_t>(random.below(kStageWords));
    return [=](const Exec& exec) {
      parallel_for(exec, kStagePhotos, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) scenes::word_histogram(map->view(), kStageWords);
      });
    };
  };
  return {.name = "histograms", .work = std::move(bench), .on_gpu = false};
}

std::vector<SceneStage> classification_stages() {
  constexpr int kTested = 298;  // the fifth of 1491 images that a split tests with
  std::vector<SceneStage> stages;
  for (ClassifierCase& one : scenes_classifier_cases(kTested))
    stages.push_back({.name = std::move(one.stage), .work = std::move(one.work)});
  return stages;
}

int run_scene_stages(const BenchOptions& options, Context& context,
                     const std::vector<SceneStage>& stages) {
  check_formats(options, context);
  const StagePlaces places = stage_places(context);
  std::vector<StageTimes> all;
  for (const SceneStage& stage : stages) {
    if (stage.name.find(options.filter) == std::string::npos) continue;
    if (context.exec.progress)
      context.exec.progress(
          {"measuring", static_cast<double>(all.size()), static_cast<double>(stages.size())});
    all.push_back(measure_stage(stage, places, options.repeats, context.exec.stop));
  }
  context.console.end_progress();
  if (all.empty())
    throw InvalidArgument(fmt::format("--filter is '{}', which no stage contains", options.filter));
  if (context.json) print_stages_json(context, places, all);
  else print_stages(options, context, places, all);
  return kDone;
}

}  // namespace fovea::cli
