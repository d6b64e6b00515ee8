// Cases of fovea bench actions: matching, over sizes of scenes, windows and numbers of models.
#include <fovea/actions/match.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/actions/actions.h"
#include "bench/actions/actions_input.h"

namespace fovea::cli {
namespace {

// About the number of triangles that any exact method must evaluate: each point with the pairs of
// gaps before it.
double triples_of(const SceneShape& shape, const actions::MatchOptions& options) {
  const double points = shape.points, rate = points / shape.frames, window = options.window;
  if (options.window == 0) return points * points * points / 6;
  const double pairs = options.closeness == actions::Closeness::kSpan
                           ? (window - 1) * (window - 2) / 2
                           : (window - 1) * (window - 1);
  return points * rate * rate * pairs;
}

struct MatchCase {
  std::string name;
  SceneShape shape;
  int models = 1;
  int scenes = 1;
  actions::MatchOptions options{};
};

// The times that the paper reports for one model, on a GTX 580 (tables 2 and 3).
std::optional<PublishedTime> published(const MatchCase& the) {
  const bool video = the.shape.points == kPaperVideo.points;
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
  const double unary = 3.0 * the.shape.points * kPaperNodes * kPaperFeatures;
  return {.name = the.name,
          .shape = {.width = the.shape.points, .height = the.models * the.scenes},
          .bytes = sizeof(float) *
                   (1.0 * the.scenes * the.shape.points + the.models * kPaperNodes) *
                   kPaperFeatures,
          .operations = jobs * (unary + kTripleOperations * (kPaperNodes - 2) *
                                            triples_of(the.shape, the.options)),
          .prepare = [=](Memory) -> BenchWork {
            const auto input = random_match(the.shape, the.models, the.scenes);
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
  const SceneShape shape{kFrames, kFrames};
  const actions::MatchOptions options{.dummies = false};
  return {.name = "match_stream_t10",
          .shape = {.width = kFrames, .height = models},
          .bytes = sizeof(float) * 1.0 * (kFrames + models * kPaperNodes) * kPaperFeatures,
          .operations = models * 16.0 * (kPaperNodes - 2) * triples_of(shape, options),
          .prepare = [=](Memory) -> BenchWork {
            const auto input = random_match(shape, models, 1);
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
                points.features = Image<float>(kPaperFeatures, 1);
                std::copy_n(input->scenes[0].points.features.row(i), kPaperFeatures,
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
  for (const SceneShape& shape : {kPaperBlock, kPaperVideo}) {
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
    all.push_back({"match_unlimited", kPaperVideo, 50, 1, options(0)});
    all.push_back({"match_dummies_t10", kPaperVideo, 50, 1, options(10, true)});
    all.push_back({"match_blocks_t10", kPaperBlock, 50, 400, options(10)});
    all.push_back({"match_blocks_dummies_t10", kPaperBlock, 50, 400, options(10, true)});
  }
  std::vector<BenchCase> cases;
  cases.reserve(all.size() + 1);
  for (const MatchCase& each : all) cases.push_back(bench_case(each));
  if (on_cpu) cases.push_back(stream_case(50));
  return cases;
}

}  // namespace fovea::cli
