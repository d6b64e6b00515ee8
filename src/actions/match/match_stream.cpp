// Matching over a stream: the recursion already proceeds frame by frame, so that it only has to
// forget what is no longer needed.
#include <fovea/actions/match.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "actions/infinity.h"
#include "actions/match/match_lanes.h"
#include "core/dispatch.h"
#include "core/parallel.h"

namespace fovea::actions {
namespace {

using cpu::LaneGroup;

constexpr int kGroupLanes = 256;

// Returns the most frames from the first to the last of so many nodes: every two consecutive gaps
// fit into what a triple may have.
std::int64_t longest_path(int nodes, const detail::MatchTerms& terms) {
  const std::int64_t gaps = std::max(0, nodes - 1);
  return gaps / 2 * std::max(terms.triple, 0) + gaps % 2 * std::max(terms.pair, 0);
}

// A group of models and what it keeps for as many steps as a path may have.
struct Walker {
  struct Past {
    std::vector<float> unary;
    std::vector<std::uint16_t> back;
  };
  cpu::LaneTrellis trellis;
  std::vector<Past> past;
  std::vector<cpu::LanePath> paths;  // those that end in the last frame
};

}  // namespace

struct StreamMatcher::Impl {
  detail::MatchTerms terms;
  Exec exec;
  int features = -1;
  std::int32_t history = 0;  // greatest number of frames from the first to the last node of a path
  std::shared_ptr<const std::vector<LaneGroup>> shared;  // the chains, of all matchers of them
  std::vector<Walker> walkers;
  detail::StepWindow steps{detail::MatchTerms{}};
  std::vector<MatchScore> scores;
  std::int64_t last_frame = std::numeric_limits<std::int64_t>::min();

  void advance(std::size_t g, ImageView<const float> rows, bool reported);
  void step(std::int32_t frame, const Nodes& points, bool reported);
  // Begins a stream of the shared chains.
  void begin(std::size_t chains);
};

// Advances a group to the newest step; `reported` says whether its matches are wanted.
void StreamMatcher::Impl::advance(std::size_t g, ImageView<const float> rows, bool reported) {
  constexpr std::size_t kPad = LaneGroup::kRound;
  const std::int64_t number = steps.end() - 1;
  const detail::Step& step = steps[number];
  const LaneGroup& group = (*shared)[g];
  Walker& walker = walkers[g];
  Walker::Past& past = walker.past[static_cast<std::size_t>(number % std::ssize(walker.past))];
  const auto lanes = static_cast<std::size_t>(group.lanes);
  past.unary.resize(kPad + lanes * step.points);
  past.back.resize(lanes * step.nodes * step.before());
  cpu::unary_costs(group, rows, terms.appearance, past.unary.data() + kPad);
  walker.trellis.advance(steps, number, past.unary.data() + kPad, past.back.data());
  if (!reported) return;
  for (std::size_t m = 0; m < group.models.size(); ++m) {
    const cpu::LaneEnd& end = walker.trellis.ends()[m];
    if (end.energy == kInfinity<float>) continue;
    walker.paths[m] = walker.trellis.trace(steps, static_cast<int>(m), number, end);
    const cpu::LanePath& path = walker.paths[m];
    scores[group.models[m].index] = {end.energy, path.appearance,
                                     steps.matched(path.nodes.front()).frame, step.frame};
  }
}

void StreamMatcher::Impl::step(std::int32_t frame, const Nodes& points, bool reported) {
  const std::int64_t before = steps.end();
  steps.push(frame, points.nodes);
  if (steps.end() == before) return;
  parallel_for(exec, std::ssize(*shared), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g)
      advance(static_cast<std::size_t>(g), points.features, reported);
  });
  steps.drop_before(frame - history);
}

StreamMatcher::StreamMatcher(std::span<const Chain> chains, const MatchOptions& options)
    : impl_(std::make_unique<Impl>()) {
  check_options(options);
  if (options.window == 0)
    throw InvalidArgument(
        "match: the window is 0, which sets no limit; a stream needs a window of 1 or more frames");
  impl_->terms = detail::MatchTerms(options);
  impl_->exec = fovea::detail::resolve_exec("match", options.exec, {});
  int longest = 0;
  for (int i = 0; i < static_cast<int>(chains.size()); ++i) {
    detail::check_chain(chains[i], i, impl_->features);
    impl_->features = chains[i].features.width();
    longest = std::max(longest, chains[i].size());
  }
  const std::int64_t history = longest_path(longest, impl_->terms);
  if (history > detail::kMostFrame)
    throw InvalidArgument(
        fmt::format("match: paths of {} nodes in a window of {} frames are up to {} frames long; "
                    "expected at most {}",
                    longest, options.window, history, detail::kMostFrame));
  impl_->history = static_cast<std::int32_t>(history);
  impl_->shared =
      std::make_shared<const std::vector<LaneGroup>>(cpu::make_groups(chains, kGroupLanes));
  impl_->begin(chains.size());
}

void StreamMatcher::Impl::begin(std::size_t chains) {
  steps = detail::StepWindow(terms);
  scores.resize(chains);
  walkers.resize(shared->size());
  for (std::size_t g = 0; g < shared->size(); ++g) {
    Walker& walker = walkers[g];
    walker.trellis.begin((*shared)[g], terms, std::max(terms.pair, 0), history);
    walker.past.resize(static_cast<std::size_t>(history) + 1);
    walker.paths.resize((*shared)[g].models.size());
  }
}

StreamMatcher StreamMatcher::another() const {
  auto impl = std::make_unique<Impl>();
  impl->terms = impl_->terms;
  impl->exec = impl_->exec;
  impl->features = impl_->features;
  impl->history = impl_->history;
  impl->shared = impl_->shared;
  impl->begin(impl_->scores.size());
  return StreamMatcher(std::move(impl));
}

StreamMatcher::StreamMatcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StreamMatcher::~StreamMatcher() = default;
StreamMatcher::StreamMatcher(StreamMatcher&&) noexcept = default;
StreamMatcher& StreamMatcher::operator=(StreamMatcher&&) noexcept = default;

std::span<const MatchScore> StreamMatcher::push(std::int32_t frame, const Nodes& points) {
  Impl& impl = *impl_;
  detail::check_points("the frame", points, impl.features);
  if (frame <= impl.last_frame || frame < -detail::kMostFrame || frame > detail::kMostFrame)
    throw InvalidArgument(fmt::format("match: frame {} is pushed after {}; expected a later one",
                                      frame, impl.last_frame));
  for (const Node& node : points.nodes)
    if (node.frame != frame)
      throw InvalidArgument(
          fmt::format("match: a point lies in frame {}; expected {}, the frame "
                      "that is pushed",
                      node.frame, frame));
  std::fill(impl.scores.begin(), impl.scores.end(), MatchScore{.energy = kInfinity<float>});
  for (Walker& walker : impl.walkers)
    for (cpu::LanePath& path : walker.paths) path.nodes.clear();
  if (impl.terms.dummies && impl.steps.end() > 0) {
    // Frames farther back than any path reaches are skipped, unless their nodes are neighbors of
    // others.
    std::int64_t first = impl.last_frame + 1;
    if (frame - impl.history > first + impl.terms.pair) first = frame - impl.history;
    const Nodes nothing;
    for (; first < frame; ++first) impl.step(static_cast<std::int32_t>(first), nothing, false);
  }
  impl.step(frame, points, true);
  impl.last_frame = frame;
  return impl.scores;
}

std::vector<MatchedNode> StreamMatcher::path(int chain) const {
  const Impl& impl = *impl_;
  if (chain < 0 || chain >= static_cast<int>(impl.scores.size()))
    throw InvalidArgument(
        fmt::format("match: chain {} does not exist; there are {}", chain, impl.scores.size()));
  std::vector<MatchedNode> path;
  for (std::size_t g = 0; g < impl.shared->size(); ++g)
    for (std::size_t m = 0; m < (*impl.shared)[g].models.size(); ++m) {
      if ((*impl.shared)[g].models[m].index != chain) continue;
      for (const std::int64_t node : impl.walkers[g].paths[m].nodes) {
        const detail::Step& step =
            impl.steps[impl.steps.step_of(node, impl.steps.begin(), impl.steps.end())];
        const std::int64_t place = node - step.first;
        path.push_back({place < step.points ? static_cast<std::int32_t>(place) : -1, step.frame});
      }
    }
  return path;
}

}  // namespace fovea::actions
