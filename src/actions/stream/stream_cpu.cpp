// CPU twin of matching over a stream: the recursion already proceeds frame by frame, so that it
// only has to forget what is no longer needed.
#include <algorithm>
#include <limits>

#include "actions/infinity.h"
#include "actions/match/match_lanes.h"
#include "actions/stream/stream_engine.h"
#include "core/parallel.h"

namespace fovea::actions::cpu {
namespace {

constexpr int kGroupLanes = 256;

// A group of models and what it keeps for as many steps as a path may have.
struct Walker {
  struct Past {
    std::vector<float> unary;
    std::vector<std::uint16_t> back;
  };
  LaneTrellis trellis;
  std::vector<Past> past;
  std::vector<LanePath> paths;  // those that end in the last frame
};

using SharedGroups = std::shared_ptr<const std::vector<LaneGroup>>;

class CpuStream final : public detail::StreamEngine {
 public:
  // Begins a stream of shared chains.
  CpuStream(SharedGroups groups, std::size_t chains, const detail::StreamChains& rules,
            const Exec& exec)
      : terms_(rules.terms),
        exec_(exec),
        history_(rules.history),
        shared_(std::move(groups)),
        walkers_(shared_->size()),
        steps_(terms_),
        scores_(chains) {
    for (std::size_t g = 0; g < shared_->size(); ++g) {
      Walker& walker = walkers_[g];
      walker.trellis.begin((*shared_)[g], terms_, std::max(terms_.pair, 0), history_);
      walker.past.resize(static_cast<std::size_t>(history_) + 1);
      walker.paths.resize((*shared_)[g].models.size());
    }
  }

  std::unique_ptr<StreamEngine> another() const override {
    return std::make_unique<CpuStream>(shared_, scores_.size(),
                                       detail::StreamChains{{}, terms_, history_}, exec_);
  }

  std::span<const MatchScore> push(std::int32_t frame, const Nodes& points) override {
    std::fill(scores_.begin(), scores_.end(), MatchScore{.energy = kInfinity<float>});
    for (Walker& walker : walkers_)
      for (LanePath& path : walker.paths) path.nodes.clear();
    if (terms_.dummies && steps_.end() > 0) {
      // Frames farther back than any path reaches are skipped, unless their nodes are neighbors of
      // others.
      std::int64_t first = last_frame_ + 1;
      if (frame - history_ > first + terms_.pair) first = frame - history_;
      const Nodes nothing;
      for (; first < frame; ++first) step(static_cast<std::int32_t>(first), nothing, false);
    }
    step(frame, points, true);
    last_frame_ = frame;
    return scores_;
  }

  std::vector<MatchedNode> path(int chain) const override;

 private:
  void advance(std::size_t g, ImageView<const float> rows, bool reported);
  void step(std::int32_t frame, const Nodes& points, bool reported);

  detail::MatchTerms terms_;
  Exec exec_;
  std::int32_t history_;
  SharedGroups shared_;  // the chains, of all streams of them
  std::vector<Walker> walkers_;
  detail::StepWindow steps_;
  std::vector<MatchScore> scores_;
  std::int64_t last_frame_ = std::numeric_limits<std::int64_t>::min();
};

// Advances a group to the newest step; `reported` says whether its matches are wanted.
void CpuStream::advance(std::size_t g, ImageView<const float> rows, bool reported) {
  constexpr std::size_t kPad = LaneGroup::kRound;
  const std::int64_t number = steps_.end() - 1;
  const detail::Step& step = steps_[number];
  const LaneGroup& group = (*shared_)[g];
  Walker& walker = walkers_[g];
  Walker::Past& past = walker.past[static_cast<std::size_t>(number % std::ssize(walker.past))];
  const auto lanes = static_cast<std::size_t>(group.lanes);
  past.unary.resize(kPad + lanes * step.points);
  past.back.resize(lanes * step.nodes * step.before());
  unary_costs(group, rows, terms_.appearance, past.unary.data() + kPad);
  walker.trellis.advance(steps_, number, past.unary.data() + kPad, past.back.data());
  if (!reported) return;
  for (std::size_t m = 0; m < group.models.size(); ++m) {
    const LaneEnd& end = walker.trellis.ends()[m];
    if (end.energy == kInfinity<float>) continue;
    walker.paths[m] = walker.trellis.trace(steps_, static_cast<int>(m), number, end);
    const LanePath& path = walker.paths[m];
    scores_[static_cast<std::size_t>(group.models[m].index)] = {
        end.energy, path.appearance, steps_.matched(path.nodes.front()).frame, step.frame};
  }
}

void CpuStream::step(std::int32_t frame, const Nodes& points, bool reported) {
  const std::int64_t before = steps_.end();
  steps_.push(frame, points.nodes);
  if (steps_.end() == before) return;
  parallel_for(exec_, std::ssize(*shared_), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g)
      advance(static_cast<std::size_t>(g), points.features, reported);
  });
  steps_.drop_before(frame - history_);
}

std::vector<MatchedNode> CpuStream::path(int chain) const {
  std::vector<MatchedNode> path;
  for (std::size_t g = 0; g < shared_->size(); ++g)
    for (std::size_t m = 0; m < (*shared_)[g].models.size(); ++m) {
      if ((*shared_)[g].models[m].index != chain) continue;
      for (const std::int64_t node : walkers_[g].paths[m].nodes) {
        const detail::Step& step = steps_[steps_.step_of(node, steps_.begin(), steps_.end())];
        const std::int64_t place = node - step.first;
        path.push_back({place < step.points ? static_cast<std::int32_t>(place) : -1, step.frame});
      }
    }
  return path;
}

}  // namespace

std::unique_ptr<detail::StreamEngine> make_stream_engine(const detail::StreamChains& chains,
                                                         const Exec& exec) {
  return std::make_unique<CpuStream>(
      std::make_shared<const std::vector<LaneGroup>>(make_groups(chains.chains, kGroupLanes)),
      chains.chains.size(), chains, exec);
}

}  // namespace fovea::actions::cpu
