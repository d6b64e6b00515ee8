// The second step of greedy matching: the recursion over frames, exact for the points that were
// assigned before.
#include <algorithm>

#include "actions/frames/greedy.h"
#include "actions/frames/greedy_math.h"
#include "actions/infinity.h"
#include "actions/match/match_costs.h"

namespace fovea::actions::detail {
namespace {

struct GreedyState {
  float energy = kInfinity<float>;
  float so_far = kInfinity<float>;  // with the time of the last pair once more
  float appearance = 0;
  std::int32_t first_frame = 0;
};

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
  FrameMatch match() const;

 private:
  std::size_t pair(std::size_t c, std::int64_t b) const {
    return static_cast<std::size_t>(scene_.first_pair(c) + b - scene_.places()[c].oldest);
  }
  float cost(std::size_t i, const GreedyScene::Place& place) const {
    return place.seen < 0 ? terms_.dummy : points_.cost(i, place.seen);
  }
  float time(std::size_t i, std::int32_t gap) const {
    return time_cost(terms_.time,
                     static_cast<float>(model_.frames()[i].frame - model_.frames()[i - 1].frame),
                     static_cast<float>(gap));
  }
  float mean_bend(std::size_t i, const GreedyScene::Place& last, const GreedyScene::Place& middle,
                  const GreedyScene::Place& first) const;
  void fill_row(std::size_t i, std::size_t c, std::vector<GreedyState>& next);
  std::vector<std::int64_t> best_path() const;
  void add_parts(const std::vector<std::int64_t>& path, FrameMatch& match) const;
  Strand strand(const std::vector<std::int64_t>& path, int rank) const;

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
float GreedyRecursion::mean_bend(std::size_t i, const GreedyScene::Place& last,
                                 const GreedyScene::Place& middle,
                                 const GreedyScene::Place& first) const {
  GreedyMean mean;
  if (last.seen < 0 || middle.seen < 0 || first.seen < 0) return 0;
  const int ranks = model_.ranks_of_triangle(i);
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
  const GreedyScene::Place& last = places[c];
  const float own = cost(i, last);
  for (std::int64_t b = last.oldest; b < static_cast<std::int64_t>(c); ++b) {
    const auto middle_at = static_cast<std::size_t>(b);
    const GreedyScene::Place& middle = places[middle_at];
    GreedyState& state = next[pair(c, b)];
    state = {};
    const std::int32_t gap = last.frame - middle.frame;
    if (gap == 0) continue;
    if (i == 1) {
      const float sum = own + cost(0, middle);
      state = {sum, go_on(sum, time(1, gap)), sum, middle.frame};
      continue;
    }
    float best = kInfinity<float>;
    std::int64_t from = -1;
    const std::int32_t farthest = middle.frame - terms_.left(gap);
    for (std::int64_t a = middle.oldest; a < b; ++a) {
      const GreedyScene::Place& first = places[static_cast<std::size_t>(a)];
      if (first.frame < farthest || first.frame == middle.frame) continue;
      const float so_far = states_[pair(middle_at, a)].so_far;
      if (!(so_far < best)) continue;
      const float energy = through(so_far, terms_.angles, mean_bend(i, last, middle, first));
      if (!(energy < best)) continue;
      best = energy;
      from = a;
    }
    if (from < 0) continue;
    const GreedyState& before = states_[pair(middle_at, from)];
    const float both = time(i, gap), energy = arrive(own, both, best);
    state = {energy, go_on(energy, both), before.appearance + own, before.first_frame};
    if (trace_) origins_.back()[pair(c, b)] = from;
  }
}

std::vector<std::int64_t> GreedyRecursion::best_path() const {
  std::vector<std::int64_t> path(model_.frames().size());
  std::int64_t c = last_, b = before_last_;
  for (std::size_t i = path.size() - 1; i > 0; --i) {
    path[i] = c;
    const std::int64_t a = origins_[i - 1][pair(static_cast<std::size_t>(c), b)];
    c = b;
    b = a;
  }
  path[0] = c;
  return path;
}

void GreedyRecursion::add_parts(const std::vector<std::int64_t>& path, FrameMatch& match) const {
  const auto place = [&](std::size_t i) {
    return scene_.places()[static_cast<std::size_t>(path[i])];
  };
  double appearance = 0, dummies = 0, times = 0, angles = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double all = cost(i, place(i));
    int not_seen = 0;
    const int count = model_.frames()[i].count;
    for (int n = 0; n < count; ++n)
      if (place(i).seen < 0 || points_.at(i, place(i).seen, n) < 0) ++not_seen;
    const double of_dummies = static_cast<double>(terms_.dummy) * not_seen / count;
    dummies += of_dummies;
    appearance += not_seen == count ? 0 : all - of_dummies;
    if (i < 2) continue;
    times += static_cast<double>(time(i, place(i).frame - place(i - 1).frame)) +
             static_cast<double>(time(i - 1, place(i - 1).frame - place(i - 2).frame));
    angles += static_cast<double>(terms_.angles) *
              static_cast<double>(mean_bend(i, place(i), place(i - 1), place(i - 2)));
  }
  match.appearance = static_cast<float>(appearance);
  match.dummies = static_cast<float>(dummies);
  match.time = static_cast<float>(times);
  match.angles = static_cast<float>(angles);
}

// The points of one rank, with the parts that they have as a chain of their own.
Strand GreedyRecursion::strand(const std::vector<std::int64_t>& path, int rank) const {
  Strand strand;
  Chain chain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const GreedyModel::Frame& frame = model_.frames()[i];
    if (rank >= frame.count) continue;
    const GreedyScene::Place& place = scene_.places()[static_cast<std::size_t>(path[i])];
    strand.points.push_back(frame.first + rank);
    strand.match.path.push_back(
        {place.seen < 0 ? -1 : points_.at(i, place.seen, rank), place.frame});
  }
  chain.features =
      Image<float>(model_.points().features.width(), static_cast<int>(strand.points.size()));
  for (const std::int32_t point : strand.points) {
    std::copy_n(model_.points().features.row(point), chain.features.width(),
                chain.features.row(chain.size()));
    chain.nodes.push_back(model_.points().nodes[static_cast<std::size_t>(point)]);
  }
  Match& match = strand.match;
  match.found = true;
  set_parts(chain, scene_.scene(), terms_, match);
  match.energy = match.appearance + match.dummies + match.time + match.angles;
  return strand;
}

FrameMatch GreedyRecursion::match() const {
  FrameMatch match;
  match.energy = best_.energy;
  if (last_ < 0) return match;
  match.found = true;
  const std::vector<std::int64_t> path = best_path();
  add_parts(path, match);
  match.strands.reserve(static_cast<std::size_t>(model_.ranks()));
  for (int n = 0; n < model_.ranks(); ++n) match.strands.push_back(strand(path, n));
  return match;
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
  return recursion.match();
}

}  // namespace fovea::actions::detail
