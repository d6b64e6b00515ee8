// Cases of fovea bench actions: matching, over sizes of scenes, windows and numbers of models.
#include <fovea/actions/match.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/bench/actions.h"

namespace fovea::cli {
namespace {

constexpr int kNodes = 30, kFeatures = 162;
constexpr float kWidth = 160, kHeight = 120;

struct MatchShape {
  int points = 0;
  int frames = 0;
};
constexpr MatchShape kBlock{60, 55}, kVideo{754, 723};  // sizes from the paper

struct MatchInput {
  std::vector<actions::Chain> models;
  std::vector<actions::Scene> scenes;
};

Image<float> random_features(int rows, Random& random) {
  Image<float> features(kFeatures, rows);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < kFeatures; ++x) features.at(x, y) = 0.5F * random.uniform();
  return features;
}

actions::Chain random_model(Random& random) {
  actions::Chain model{{}, random_features(kNodes, random)};
  std::int32_t frame = 0;
  for (int i = 0; i < kNodes; ++i) {
    model.nodes.push_back({random.uniform(0, kWidth), random.uniform(0, kHeight), frame});
    frame += 1 + static_cast<std::int32_t>(random.below(5) / 4);
  }
  return model;
}

actions::Scene random_scene(const MatchShape& shape, Random& random) {
  actions::Scene scene;
  scene.frames = shape.frames;
  for (int i = 0; i < shape.points; ++i)
    scene.points.nodes.push_back(
        {random.uniform(0, kWidth), random.uniform(0, kHeight),
         static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(shape.frames)))});
  std::stable_sort(scene.points.nodes.begin(), scene.points.nodes.end(),
                   [](const auto& a, const auto& b) { return a.frame < b.frame; });
  scene.points.features = random_features(shape.points, random);
  return scene;
}

std::shared_ptr<MatchInput> random_input(const MatchShape& shape, int models, int scenes) {
  Random random(1);
  auto input = std::make_shared<MatchInput>();
  for (int i = 0; i < models; ++i) input->models.push_back(random_model(random));
  for (int i = 0; i < scenes; ++i) input->scenes.push_back(random_scene(shape, random));
  return input;
}

// About the number of triangles that any exact method must evaluate: each point with the pairs of
// gaps before it.
double triples_of(const MatchShape& shape, const actions::MatchOptions& options) {
  const double points = shape.points, rate = points / shape.frames, window = options.window;
  if (options.window == 0) return points * points * points / 6;
  const double pairs = options.closeness == actions::Closeness::kSpan
                           ? (window - 1) * (window - 2) / 2
                           : (window - 1) * (window - 1);
  return points * rate * rate * pairs;
}

struct MatchCase {
  std::string name;
  MatchShape shape;
  int models = 1;
  int scenes = 1;
  actions::MatchOptions options{};
};

// The times that the paper reports for one model, on a GTX 580 (tables 2 and 3).
std::optional<PublishedTime> published(const MatchCase& the) {
  const bool video = the.shape.points == kVideo.points;
  double seconds = 0;
  if (the.options.dummies || the.options.closeness != actions::Closeness::kSpan) return {};
  if (the.options.window == 10) seconds = video ? 0.178 : 0.004;
  if (the.options.window == 0 && video) seconds = 1.853;
  if (seconds == 0) return {};
  return PublishedTime{"paper, GTX 580", seconds * the.models * the.scenes};
}

// The matcher is made once per device, with a stream of its own, because the stream of a clock ends
// with the first measurement.
BenchCase bench_case(const MatchCase& the) {
  const double jobs = 1.0 * the.models * the.scenes;
  constexpr double kTripleOperations = 16;
  const double unary = 3.0 * the.shape.points * kNodes * kFeatures;
  return {.name = the.name,
          .shape = {.width = the.shape.points, .height = the.models * the.scenes},
          .bytes = sizeof(float) * (1.0 * the.scenes * the.shape.points + the.models * kNodes) *
                   kFeatures,
          .operations = jobs * (unary + kTripleOperations * (kNodes - 2) *
                                            triples_of(the.shape, the.options)),
          .prepare = [=](Memory) -> BenchWork {
            const auto input = random_input(the.shape, the.models, the.scenes);
            const auto matcher = std::make_shared<std::unique_ptr<actions::Matcher>>();
            return [=](const Exec& exec) {
              if (!*matcher) {
                actions::MatchOptions own = the.options;
                own.exec = exec;
                own.exec.stream = nullptr;
                *matcher = std::make_unique<actions::Matcher>(input->models, own);
              }
              (*matcher)->scores(input->scenes);
            };
          },
          .published = published(the)};
}

// Each run takes the next hundred frames.
BenchCase stream_case(int models) {
  constexpr int kFrames = 100;
  const MatchShape shape{kFrames, kFrames};
  const actions::MatchOptions options{.dummies = false};
  return {.name = "match_stream_t10",
          .shape = {.width = kFrames, .height = models},
          .bytes = sizeof(float) * 1.0 * (kFrames + models * kNodes) * kFeatures,
          .operations = models * 16.0 * (kNodes - 2) * triples_of(shape, options),
          .prepare = [=](Memory) -> BenchWork {
            const auto input = random_input(shape, models, 1);
            const auto matcher = std::make_shared<std::unique_ptr<actions::StreamMatcher>>();
            const auto next = std::make_shared<std::int32_t>(0);
            return [=](const Exec& exec) {
              if (!*matcher) {
                actions::MatchOptions own = options;
                own.exec = exec;
                *matcher = std::make_unique<actions::StreamMatcher>(input->models, own);
              }
              for (int i = 0; i < kFrames; ++i, ++*next) {
                actions::Nodes points;
                points.nodes.push_back(input->scenes[0].points.nodes[i]);
                points.nodes[0].frame = *next;
                points.features = Image<float>(kFeatures, 1);
                std::copy_n(input->scenes[0].points.features.row(i), kFeatures,
                            points.features.row(0));
                (*matcher)->push(*next, points);
              }
            };
          }};
}

}  // namespace

std::vector<BenchCase> match_bench_cases(bool on_cpu) {
  const auto options = [](int window, bool dummies = false) {
    return actions::MatchOptions{.window = window, .dummies = dummies};
  };
  std::vector<MatchCase> all;
  for (const MatchShape& shape : {kBlock, kVideo}) {
    for (const int models : {1, 16, 50})
      all.push_back({"match_t10", shape, models, 1, options(10)});
    for (const int window : {20, 40})
      all.push_back({fmt::format("match_t{}", window), shape, 16, 1, options(window)});
    all.push_back({"match_unlimited", shape, 1, 1, options(0)});
    all.push_back({"match_dummies_t10", shape, 16, 1, options(10, true)});
    all.push_back({"match_pair_t10",
                   shape,
                   16,
                   1,
                   {.window = 10, .closeness = actions::Closeness::kPair, .dummies = false}});
  }
  if (!on_cpu) {
    all.push_back({"match_unlimited", kVideo, 50, 1, options(0)});
    all.push_back({"match_dummies_t10", kVideo, 50, 1, options(10, true)});
    all.push_back({"match_blocks_t10", kBlock, 50, 400, options(10)});
    all.push_back({"match_blocks_dummies_t10", kBlock, 50, 400, options(10, true)});
  }
  std::vector<BenchCase> cases;
  cases.reserve(all.size() + 1);
  for (const MatchCase& each : all) cases.push_back(bench_case(each));
  if (on_cpu) cases.push_back(stream_case(50));
  return cases;
}

}  // namespace fovea::cli
