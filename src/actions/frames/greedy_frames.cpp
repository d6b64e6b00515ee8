// The second step of greedy matching: the recursion over frames, exact for the points that were
// assigned before.
#include "actions/frames/greedy.h"
#include "actions/infinity.h"

namespace fovea::actions::detail {
namespace {

class GreedyRecursion {
 public:
  GreedyRecursion(const GreedyModel& model, const GreedyScene& scene, const MatchTerms& terms,
                  bool trace)
      : model_(model),
        scene_(scene),
        terms_(terms),
        trace_(trace),
        points_(model, scene, terms),
        states_(static_cast<std::size_t>(scene.pairs())) {}

  void run() {
    std::vector<GreedyState> next(states_.size());
    for (std::size_t i = 1; i < model_.frames().size(); ++i) {
      if (trace_) origins_.emplace_back(states_.size(), -1);
      for (std::size_t c = 0; c < scene_.places().size(); ++c) fill_row(i, c, next);
      states_.swap(next);
    }
    for (std::size_t c = 0; c < scene_.places().size(); ++c)
      for (std::int64_t b = scene_.places()[c].oldest; b < static_cast<std::int64_t>(c); ++b)
        if (const GreedyState& state = states_[pair(c, b)]; state.energy < best_.energy) {
          best_ = state;
          last_ = static_cast<std::int64_t>(c);
          before_last_ = b;
        }
  }

  MatchScore score() const {
    if (last_ < 0) return {.energy = kInfinity<float>};
    return {best_.energy, best_.appearance, best_.first_frame,
            scene_.places()[static_cast<std::size_t>(last_)].frame};
  }
  GreedyPath path() const;

 private:
  std::size_t pair(std::size_t c, std::int64_t b) const {
    return static_cast<std::size_t>(scene_.first_pair(c) + b - scene_.places()[c].oldest);
  }
  float cost(std::size_t i, const GreedyPlace& place) const {
    return place.seen < 0 ? terms_.dummy : points_.cost(i, place.seen);
  }
  float time(std::size_t i, std::int32_t gap) const {
    return time_cost(terms_.time, model_gap(model_.frames().data(), static_cast<std::int64_t>(i)),
                     static_cast<float>(gap));
  }
  float mean_bend(std::size_t i, const GreedyPlace& last, const GreedyPlace& middle,
                  const GreedyPlace& first) const;
  void fill_row(std::size_t i, std::size_t c, std::vector<GreedyState>& next);

  // What a pair reads of the places before it.
  struct PairAccess {
    const GreedyRecursion& all;
    std::size_t i, middle;
    const GreedyPlace& last;

    float so_far(std::int64_t a) const { return all.states_[all.pair(middle, a)].so_far; }
    float bend(std::int64_t a) const {
      const auto& places = all.scene_.places();
      return all.mean_bend(i, last, places[middle], places[static_cast<std::size_t>(a)]);
    }
  };

  const GreedyModel& model_;
  const GreedyScene& scene_;
  const MatchTerms& terms_;
  bool trace_;
  GreedyPoints points_;
  std::vector<GreedyState> states_;
  std::vector<std::vector<std::int64_t>> origins_;  // by frame and pair: the place before both
  GreedyState best_;
  std::int64_t last_ = -1, before_last_ = -1;
};

// The mean over ranks with a point in all three frames.
float GreedyRecursion::mean_bend(std::size_t i, const GreedyPlace& last, const GreedyPlace& middle,
                                 const GreedyPlace& first) const {
  GreedyMean mean;
  if (last.seen < 0 || middle.seen < 0 || first.seen < 0) return 0;
  const int ranks = ranks_of_triangle(model_.frames().data(), static_cast<std::int64_t>(i));
  for (int n = 0; n < ranks; ++n) {
    const std::int32_t c = points_.at(i, last.seen, n), b = points_.at(i - 1, middle.seen, n),
                       a = points_.at(i - 2, first.seen, n);
    if (c >= 0 && b >= 0 && a >= 0)
      mean.add(bend_distance(model_.bends(i, n),
                             bends_of(scene_.way(b, c), scene_.way(a, b), scene_.way(a, c))));
  }
  return mean.value();
}

// Computes place c for model frame i, with all places that may be its neighbors. Of equal energies
// the first place counts.
void GreedyRecursion::fill_row(std::size_t i, std::size_t c, std::vector<GreedyState>& next) {
  const auto& places = scene_.places();
  const GreedyPlace& last = places[c];
  const float own = cost(i, last);
  for (std::int64_t b = last.oldest; b < static_cast<std::int64_t>(c); ++b) {
    const auto middle_at = static_cast<std::size_t>(b);
    const GreedyPlace& middle = places[middle_at];
    GreedyState& state = next[pair(c, b)];
    state = {};
    const std::int32_t gap = last.frame - middle.frame;
    if (gap == 0) continue;
    const float both = time(i, gap);
    if (i == 1) {
      state = begin_pair(cost(0, middle), own, both, middle.frame);
      continue;
    }
    const GreedyFrom found =
        least_before(places.data(), terms_, last.frame, b, PairAccess{*this, i, middle_at, last});
    if (found.from < 0) continue;
    state = continue_pair(states_[pair(middle_at, found.from)], own, both, found.best);
    if (trace_) origins_.back()[pair(c, b)] = found.from;
  }
}

GreedyPath GreedyRecursion::path() const {
  GreedyPath path;
  path.energy = best_.energy;
  if (last_ < 0) return path;
  path.places.resize(model_.frames().size());
  std::int64_t c = last_, b = before_last_;
  for (std::size_t i = path.places.size() - 1; i > 0; --i) {
    path.places[i] = static_cast<std::int32_t>(c);
    const std::int64_t a = origins_[i - 1][pair(static_cast<std::size_t>(c), b)];
    c = b;
    b = a;
  }
  path.places[0] = static_cast<std::int32_t>(c);
  path.points.reserve(path.places.size() * static_cast<std::size_t>(model_.ranks()));
  path.costs.reserve(path.places.size());
  for (std::size_t i = 0; i < path.places.size(); ++i) {
    const GreedyPlace& place = scene_.places()[static_cast<std::size_t>(path.places[i])];
    path.costs.push_back(cost(i, place));
    for (int n = 0; n < model_.ranks(); ++n)
      path.points.push_back(place.seen < 0 ? -1 : points_.at(i, place.seen, n));
  }
  return path;
}

}  // namespace

MatchScore greedy_score(const GreedyModel& model, const GreedyScene& scene,
                        const MatchTerms& terms) {
  GreedyRecursion recursion(model, scene, terms, false);
  recursion.run();
  return recursion.score();
}

FrameMatch greedy_match(const GreedyModel& model, const GreedyScene& scene,
                        const MatchTerms& terms) {
  GreedyRecursion recursion(model, scene, terms, true);
  recursion.run();
  return match_of_path(model, scene, terms, recursion.path());
}

}  // namespace fovea::actions::detail
