// Matching on the CPU: the pairs of a group of models and a scene are divided among the cores.
#include <algorithm>
#include <limits>
#include <mutex>

#include "actions/match/backend.h"
#include "actions/match/match_lanes.h"
#include "core/parallel.h"

namespace fovea::actions::cpu {
namespace {

using detail::MatchFound;
using detail::StepWindow;

// The lanes of a group share the cost of looking up a pair of scene nodes. There is one group per
// thread as long as groups are wide enough for that.
int group_lanes(std::span<const Chain> models, const Exec& exec) {
  constexpr int kLeast = 64, kMost = 256;
  std::int64_t nodes = 0;
  for (const Chain& model : models) nodes += model.size();
  return static_cast<int>(std::clamp<std::int64_t>(nodes / thread_count(exec), kLeast, kMost));
}

struct Best {
  LaneEnd end{.energy = std::numeric_limits<float>::infinity()};
  std::int64_t step = 0;
};

// The memory of one thread, kept from scene to scene.
struct Workspace {
  LaneTrellis trellis;
  std::vector<float> unary;
  std::vector<std::uint16_t> back;
  std::vector<Best> best;
};

// Workspaces that are not in use.
class Workspaces {
 public:
  std::unique_ptr<Workspace> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void give_back(std::unique_ptr<Workspace> space) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(space));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

std::size_t pairs_of(const StepWindow& steps) {
  std::size_t pairs = 0;
  for (std::int64_t s = 0; s < steps.end(); ++s)
    pairs += static_cast<std::size_t>(steps[s].nodes) * steps[s].before();
  return pairs;
}

// Runs a group over a whole scene. Passes on, for each of its models, the energy and the path,
// which is empty if there is none.
template <class Take>
void walk(const LaneGroup& group, const detail::MatchTerms& terms, const Scene& scene,
          const StepWindow& steps, Workspace& space, const Take& take) {
  constexpr std::size_t kPad = LaneGroup::kRound;
  const auto lanes = static_cast<std::size_t>(group.lanes);
  const std::int64_t depth = std::clamp<std::int64_t>(terms.pair, 0, steps.end());
  space.unary.resize(kPad + scene.points.size() * lanes);
  float* const unary = space.unary.data() + kPad;
  unary_costs(group, scene.points.features, terms.appearance, unary);
  if (const std::size_t size = pairs_of(steps) * lanes; space.back.size() < size)
    space.back.resize(size);
  std::uint16_t* back = space.back.data();
  space.best.assign(group.models.size(), {});
  space.trellis.begin(group, terms, depth, steps.end());
  for (std::int64_t s = 0; s < steps.end(); ++s) {
    const detail::Step& step = steps[s];
    space.trellis.advance(steps, s, unary + static_cast<std::size_t>(step.first_point) * lanes,
                          back);
    back += lanes * step.nodes * step.before();
    for (std::size_t m = 0; m < space.best.size(); ++m)
      if (const LaneEnd& end = space.trellis.ends()[m]; end.energy < space.best[m].end.energy)
        space.best[m] = {end, s};
  }
  for (std::size_t m = 0; m < space.best.size(); ++m) {
    const Best& best = space.best[m];
    const bool found = best.end.energy < std::numeric_limits<float>::infinity();
    take(group.models[m].index, best.end.energy,
         found ? space.trellis.trace(steps, static_cast<int>(m), best.step, best.end) : LanePath{});
  }
}

class CpuMatch final : public detail::MatchEngine {
 public:
  CpuMatch(std::span<const Chain> models, const detail::MatchTerms& terms, const Exec& exec)
      : terms_(terms), exec_(exec), groups_(make_groups(models, group_lanes(models, exec))) {
    models_ = models.size();
  }

  std::vector<MatchFound> match(const Scene& scene) override {
    std::vector<MatchFound> found(models_);
    const StepWindow steps = detail::steps_of(scene, terms_);
    const auto take = [&](int model, float energy, const LanePath& path) {
      found[model].energy = energy;
      for (const std::int64_t node : path.nodes) found[model].path.push_back(steps.matched(node));
    };
    parallel_for(exec_, std::ssize(groups_), 1, [&](std::int64_t begin, std::int64_t end) {
      auto space = spaces_.take();
      for (std::int64_t g = begin; g < end; ++g)
        walk(groups_[g], terms_, scene, steps, *space, take);
      spaces_.give_back(std::move(space));
    });
    return found;
  }

  void scores(std::span<const Scene> scenes, ImageView<MatchScore> scores) override {
    std::vector<StepWindow> steps(scenes.size(), StepWindow(terms_));
    parallel_for(exec_, std::ssize(scenes), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s) steps[s] = detail::steps_of(scenes[s], terms_);
    });
    const std::int64_t groups = std::ssize(groups_);
    parallel_for(exec_, groups * std::ssize(scenes), 1, [&](std::int64_t begin, std::int64_t end) {
      auto space = spaces_.take();
      for (std::int64_t i = begin; i < end; ++i) {
        const auto scene = static_cast<int>(i / groups);
        const auto take = [&](int model, float energy, const LanePath& path) {
          MatchScore& score = scores.at(model, scene);
          score = {.energy = energy};
          if (path.nodes.empty()) return;
          score.appearance = path.appearance;
          score.first_frame = steps[scene].matched(path.nodes.front()).frame;
          score.last_frame = steps[scene].matched(path.nodes.back()).frame;
        };
        walk(groups_[i % groups], terms_, scenes[scene], steps[scene], *space, take);
      }
      spaces_.give_back(std::move(space));
    });
  }

 private:
  detail::MatchTerms terms_;
  Exec exec_;
  std::vector<LaneGroup> groups_;
  std::size_t models_ = 0;
  Workspaces spaces_;
};

}  // namespace

std::unique_ptr<detail::MatchEngine> make_match_engine(std::span<const Chain> models,
                                                       const detail::MatchTerms& terms,
                                                       const Exec& exec) {
  return std::make_unique<CpuMatch>(models, terms, exec);
}

}  // namespace fovea::actions::cpu
