// Models with several points per frame, matched as one chain, as several, or greedily.
#include <fovea/actions/match.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>

#include "actions/frames/backend.h"
#include "actions/infinity.h"
#include "core/dispatch.h"
#include "core/parallel.h"

namespace fovea::actions {
namespace {

using detail::GreedyModel;
using detail::GreedyScene;

void check_frame_model(const FrameModel& model, std::size_t number, int features) {
  const std::string what = fmt::format("model {}", number);
  detail::check_points(what.c_str(), model, features);
  if (const int frames = frame_count(model); frames < 3)
    throw InvalidArgument(
        fmt::format("match: {} has points in {} frames; expected 3 or more", what, frames));
}

// Returns the points of one rank, by index.
std::vector<std::int32_t> points_of_rank(const FrameModel& model, int rank) {
  std::vector<std::int32_t> points;
  int at = 0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    at = i > 0 && model.nodes[i].frame == model.nodes[i - 1].frame ? at + 1 : 0;
    if (at == rank) points.push_back(static_cast<std::int32_t>(i));
  }
  return points;
}

Chain chain_of(const FrameModel& model, std::span<const std::int32_t> points) {
  Chain chain;
  chain.nodes.reserve(points.size());
  chain.features = Image<float>(model.features.width(), static_cast<int>(points.size()));
  for (const std::int32_t point : points) {
    std::copy_n(model.features.row(point), chain.features.width(),
                chain.features.row(chain.size()));
    chain.nodes.push_back(model.nodes[static_cast<std::size_t>(point)]);
  }
  return chain;
}

// The chains of a model among those of all models.
struct FrameChains {
  int frames = 0;
  std::size_t first = 0;
  std::vector<std::vector<std::int32_t>> points;  // by chain
  // What a chain's energy is multiplied with before energies are added.
  double share(std::size_t chain) const {
    return static_cast<double>(frames) /
           (static_cast<double>(points[chain].size()) * static_cast<double>(points.size()));
  }
};

FrameChains chains_of(const FrameModel& model, Variant variant, std::vector<Chain>& chains) {
  FrameChains own{frame_count(model), chains.size(), {}};
  for (int rank = 0; rank == 0 || variant == Variant::kChains; ++rank) {
    std::vector<std::int32_t> points = points_of_rank(model, rank);
    if (points.size() < 3 || 2 * points.size() < static_cast<std::size_t>(own.frames)) break;
    chains.push_back(chain_of(model, points));
    own.points.push_back(std::move(points));
  }
  return own;
}

}  // namespace

int frame_count(const FrameModel& model) {
  int frames = 0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (i == 0 || model.nodes[i].frame != model.nodes[i - 1].frame) ++frames;
  return frames;
}

struct FrameMatcher::Impl {
  Variant variant = Variant::kSingle;
  detail::MatchTerms terms;
  Exec exec;
  int features = -1;
  std::size_t count = 0;
  std::vector<GreedyModel> greedy;
  std::unique_ptr<detail::GreedyEngine> engine;  // of greedy matching on a GPU
  std::unique_ptr<Matcher> matcher;
  std::vector<FrameChains> chains;

  MatchScore mean_score(const Image<MatchScore>& scores, int row, const FrameChains& own) const {
    MatchScore mean = scores.at(static_cast<int>(own.first), row);
    double energy = 0, appearance = 0;
    for (std::size_t i = 0; i < own.points.size(); ++i) {
      const MatchScore& score = scores.at(static_cast<int>(own.first + i), row);
      if (!(score.energy < kInfinity<float>)) return {.energy = kInfinity<float>};
      energy += static_cast<double>(score.energy) * own.share(i);
      appearance += static_cast<double>(score.appearance) * own.share(i);
      mean.first_frame = std::min(mean.first_frame, score.first_frame);
      mean.last_frame = std::max(mean.last_frame, score.last_frame);
    }
    mean.energy = static_cast<float>(energy);
    mean.appearance = static_cast<float>(appearance);
    return mean;
  }

  static FrameMatch mean_match(std::vector<Match>& matches, const FrameChains& own) {
    FrameMatch mean{.energy = kInfinity<float>};
    double energy = 0, appearance = 0, dummies = 0, time = 0, angles = 0;
    for (std::size_t i = 0; i < own.points.size(); ++i) {
      Match& match = matches[own.first + i];
      if (!match.found) return {.energy = kInfinity<float>};
      const double share = own.share(i);
      energy += share * static_cast<double>(match.energy);
      appearance += share * static_cast<double>(match.appearance);
      dummies += share * static_cast<double>(match.dummies);
      time += share * static_cast<double>(match.time);
      angles += share * static_cast<double>(match.angles);
      mean.strands.push_back({own.points[i], std::move(match)});
    }
    mean.found = true;
    mean.energy = static_cast<float>(energy);
    mean.appearance = static_cast<float>(appearance);
    mean.dummies = static_cast<float>(dummies);
    mean.time = static_cast<float>(time);
    mean.angles = static_cast<float>(angles);
    return mean;
  }

  std::vector<GreedyScene> prepared(std::span<const Scene> scenes) const {
    std::vector<std::unique_ptr<GreedyScene>> made(scenes.size());
    parallel_for(exec, std::ssize(scenes), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s)
        made[static_cast<std::size_t>(s)] =
            std::make_unique<GreedyScene>(scenes[static_cast<std::size_t>(s)], terms);
    });
    std::vector<GreedyScene> result;
    result.reserve(made.size());
    for (auto& scene : made) result.push_back(std::move(*scene));
    return result;
  }
};

FrameMatcher::FrameMatcher(std::span<const FrameModel> models, Variant variant,
                           const MatchOptions& options)
    : impl_(std::make_unique<Impl>()) {
  check_options(options);
  impl_->variant = variant;
  impl_->terms = detail::MatchTerms(options);
  impl_->count = models.size();
  for (std::size_t i = 0; i < models.size(); ++i) {
    check_frame_model(models[i], i, impl_->features);
    impl_->features = models[i].features.width();
  }
  if (variant == Variant::kGreedy) {
    impl_->exec = fovea::detail::resolve_exec("match", options.exec, {});
    impl_->greedy.reserve(models.size());
    for (const FrameModel& model : models) impl_->greedy.emplace_back(model);
    if (fovea::detail::on_cuda(impl_->exec) && !models.empty())
      impl_->engine = cuda::make_greedy_engine(impl_->greedy, impl_->terms, impl_->exec);
    return;
  }
  std::vector<Chain> chains;
  for (const FrameModel& model : models) impl_->chains.push_back(chains_of(model, variant, chains));
  impl_->matcher = std::make_unique<Matcher>(chains, options);
}
FrameMatcher::~FrameMatcher() = default;
FrameMatcher::FrameMatcher(FrameMatcher&&) noexcept = default;
FrameMatcher& FrameMatcher::operator=(FrameMatcher&&) noexcept = default;

int FrameMatcher::models() const { return static_cast<int>(impl_->count); }

std::vector<FrameMatch> FrameMatcher::match(const Scene& scene) const {
  detail::check_scene(scene, impl_->features);
  std::vector<FrameMatch> matches(impl_->count);
  if (impl_->variant != Variant::kGreedy) {
    std::vector<Match> found = impl_->matcher->match(scene);
    for (std::size_t m = 0; m < matches.size(); ++m)
      matches[m] = Impl::mean_match(found, impl_->chains[m]);
    return matches;
  }
  if (impl_->engine) {
    const detail::GreedyLayout layout(scene, impl_->terms);
    const std::vector<detail::GreedyPath> paths = impl_->engine->match(scene, layout);
    for (std::size_t m = 0; m < matches.size(); ++m)
      matches[m] = detail::match_of_path(impl_->greedy[m], layout, impl_->terms, paths[m]);
    return matches;
  }
  const GreedyScene prepared(scene, impl_->terms);
  parallel_for(impl_->exec, models(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto m = static_cast<std::size_t>(begin); m < static_cast<std::size_t>(end); ++m)
      matches[m] = detail::greedy_match(impl_->greedy[m], prepared, impl_->terms);
  });
  return matches;
}

Image<MatchScore> FrameMatcher::scores(std::span<const Scene> scenes) const {
  if (impl_->variant == Variant::kSingle) return impl_->matcher->scores(scenes);
  Image<MatchScore> scores(models(), static_cast<int>(scenes.size()));
  if (impl_->variant == Variant::kChains) {
    const Image<MatchScore> each = impl_->matcher->scores(scenes);
    for (int y = 0; y < scores.height(); ++y)
      for (int x = 0; x < scores.width(); ++x)
        scores.at(x, y) = impl_->mean_score(each, y, impl_->chains[static_cast<std::size_t>(x)]);
    return scores;
  }
  for (const Scene& scene : scenes) detail::check_scene(scene, impl_->features);
  if (impl_->engine) {
    if (!scenes.empty()) impl_->engine->scores(scenes, scores);
    return scores;
  }
  const std::vector<GreedyScene> prepared = impl_->prepared(scenes);
  const std::int64_t columns = models();
  parallel_for(impl_->exec, columns * std::ssize(scenes), 1,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto x = static_cast<int>(i % columns), y = static_cast<int>(i / columns);
                   scores.at(x, y) =
                       detail::greedy_score(impl_->greedy[static_cast<std::size_t>(x)],
                                            prepared[static_cast<std::size_t>(y)], impl_->terms);
                 }
               });
  return scores;
}

MatchScore match_frames(const FrameModel& model, const Scene& scene, Variant variant,
                        const MatchOptions& options) {
  return FrameMatcher({&model, 1}, variant, options).scores({&scene, 1}).at(0, 0);
}

}  // namespace fovea::actions
