// Matching on the CPU: groups of models times scenes share the cores.
#include <algorithm>
#include <limits>

#include "actions/match/backend.h"
#include "actions/match/match_lanes.h"
#include "core/parallel.h"

namespace fovea::actions::cpu {
namespace {

using detail::MatchFound;
using detail::StepWindow;

// Two or three models: their states stay in the first cache, and vectors are filled.
constexpr int kGroupLanes = 64;

struct Best {
  LaneEnd end{.energy = std::numeric_limits<float>::infinity()};
  std::int64_t step = 0;
};

// A group over a whole scene. Hands over, for each of its models, the energy and the path, which is
// empty where there is none.
template <class Take>
void walk(const LaneGroup& group, const detail::MatchTerms& terms, const Scene& scene,
          const StepWindow& steps, const Take& take) {
  const std::int64_t depth = std::clamp<std::int64_t>(terms.pair, 0, steps.end());
  std::vector<float> unary(static_cast<std::size_t>(scene.points.size()) * group.lanes);
  unary_costs(group, scene.points.features, terms.appearance, unary.data());
  LaneTrellis trellis(group, terms, depth, steps.end());
  std::vector<Best> best(group.models.size());
  for (std::int64_t s = 0; s < steps.end(); ++s) {
    trellis.advance(steps, s,
                    unary.data() + static_cast<std::size_t>(steps[s].first_point) * group.lanes);
    for (std::size_t m = 0; m < best.size(); ++m)
      if (const LaneEnd& end = trellis.ends()[m]; end.energy < best[m].end.energy)
        best[m] = {end, s};
  }
  for (std::size_t m = 0; m < best.size(); ++m) {
    const bool found = best[m].end.energy < std::numeric_limits<float>::infinity();
    take(group.models[m].index, best[m].end.energy,
         found ? trellis.trace(steps, static_cast<int>(m), best[m].step, best[m].end) : LanePath{});
  }
}

class CpuMatch final : public detail::MatchEngine {
 public:
  CpuMatch(std::span<const Chain> models, const detail::MatchTerms& terms, const Exec& exec)
      : terms_(terms), exec_(exec), groups_(make_groups(models, kGroupLanes)) {
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
      for (std::int64_t g = begin; g < end; ++g) walk(groups_[g], terms_, scene, steps, take);
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
        walk(groups_[i % groups], terms_, scenes[scene], steps[scene], take);
      }
    });
  }

 private:
  detail::MatchTerms terms_;
  Exec exec_;
  std::vector<LaneGroup> groups_;
  std::size_t models_ = 0;
};

}  // namespace

std::unique_ptr<detail::MatchEngine> make_match_engine(std::span<const Chain> models,
                                                       const detail::MatchTerms& terms,
                                                       const Exec& exec) {
  return std::make_unique<CpuMatch>(models, terms, exec);
}

}  // namespace fovea::actions::cpu
