// The recursion over frames. Points are assigned beforehand, for each pair of a model frame and a
// scene frame separately, so that a pair of frames has one direction per rank.
#include <algorithm>

#include "actions/infinity.h"
#include "actions/match/match_frames.h"
#include "actions/match/match_math.h"
#include "core/parallel.h"

namespace fovea::actions::detail {
namespace {

// A frame of the scene: either with its points or skipped by a dummy.
struct Place {
  std::int32_t frame = 0;
  std::int32_t first = 0, end = 0;  // range of points; empty for a dummy
  std::int64_t oldest = 0;          // the oldest place that may be its neighbor
  std::int64_t oldest_seen = 0;     // the oldest place that may be its neighbor's neighbor
};

struct State {
  double energy = kInfinity<double>;
  double appearance = 0;
  std::int32_t first_frame = 0;
};

std::vector<Place> places_of(const Scene& scene, const MatchTerms& terms) {
  std::vector<Place> places;
  const std::vector<Node>& nodes = scene.points.nodes;
  std::int32_t at = 0;
  const auto add = [&](std::int32_t frame) {
    Place place{.frame = frame, .first = at};
    while (at < scene.points.size() && nodes[at].frame == frame) ++at;
    place.end = at;
    if (place.end > place.first) places.push_back(place);
    if (terms.dummies) places.push_back({.frame = frame});
  };
  if (terms.dummies) {
    for (std::int32_t f = 0; f < scene.frames; ++f) add(scene.first_frame + f);
  } else {
    while (at < scene.points.size()) add(nodes[at].frame);
  }
  for (Place& place : places) {
    const auto within = [&](std::int32_t frames) {
      return std::partition_point(
                 places.begin(), places.end(),
                 [&](const Place& other) { return other.frame < place.frame - frames; }) -
             places.begin();
    };
    place.oldest = within(terms.pair);
    place.oldest_seen = within(terms.triple);
  }
  return places;
}

// The points of a model frame in a scene frame: the point that each one took, or -1, and the cost.
struct Assignment {
  std::vector<std::int32_t> points;
  double cost = 0;
};

double distance(const Nodes& a, int i, const Nodes& b, int j) {
  float sum = 0;
  for (int k = 0; k < a.features.width(); ++k)
    sum = add_square(a.features.at(k, i), b.features.at(k, j), sum);
  return std::sqrt(static_cast<double>(sum));
}

Assignment assign(const Nodes& model, const Scene& scene, const Place& place,
                  const MatchTerms& terms) {
  Assignment assignment;
  if (place.first == place.end) {
    assignment.points.assign(static_cast<std::size_t>(model.size()), -1);
    assignment.cost = terms.dummy;
    return assignment;
  }
  std::vector<bool> taken(static_cast<std::size_t>(place.end - place.first));
  double sum = 0;
  int counted = 0;
  for (int n = 0; n < model.size(); ++n) {
    double best = kInfinity<double>;
    std::int32_t nearest = -1;
    for (std::int32_t p = place.first; p < place.end; ++p) {
      if (taken[p - place.first]) continue;
      if (const double far = distance(model, n, scene.points, p); far < best) {
        best = far;
        nearest = p;
      }
    }
    assignment.points.push_back(nearest);
    if (nearest >= 0) taken[nearest - place.first] = true;
    if (nearest < 0 && !terms.dummies) continue;
    sum += nearest >= 0 ? terms.appearance * best : terms.dummy;
    ++counted;
  }
  assignment.cost = sum / counted;
  return assignment;
}

// What the recursion needs to know about one model frame.
struct Layer {
  std::int32_t frame = 0;
  const Nodes* model = nullptr;
  std::vector<Assignment> at;  // one per place
};

class Recursion {
 public:
  Recursion(const FrameModel& model, const Scene& scene, const MatchTerms& terms)
      : scene_(scene), terms_(terms), places_(places_of(scene, terms)) {
    for (const Nodes& frame : model.frames) {
      Layer layer{frame.nodes.front().frame, &frame, {}};
      for (const Place& place : places_) layer.at.push_back(assign(frame, scene, place, terms));
      layers_.push_back(std::move(layer));
      ranks_ = std::max(ranks_, frame.size());
    }
    for (std::size_t c = 0; c < places_.size(); ++c) {
      rows_.push_back(pairs_);
      pairs_ += static_cast<std::int64_t>(c) - places_[c].oldest;
    }
    states_.resize(static_cast<std::size_t>(pairs_));
    ways_.resize(static_cast<std::size_t>(pairs_ * ranks_));
  }

  MatchScore run(const Exec& exec) {
    State best;
    std::int32_t last_frame = 0;
    for (std::size_t i = 1; i < layers_.size(); ++i) {
      std::vector<State> next(states_.size());
      std::vector<float> ways(ways_.size());
      parallel_for(exec, std::ssize(places_), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t c = begin; c < end; ++c) fill_row(i, c, next, ways);
      });
      states_.swap(next);
      ways_.swap(ways);
    }
    for (std::size_t c = 0; c < places_.size(); ++c)
      for (std::int64_t b = places_[c].oldest; b < static_cast<std::int64_t>(c); ++b)
        if (const State& state = states_[rows_[c] + b - places_[c].oldest];
            state.energy < best.energy) {
          best = state;
          last_frame = places_[c].frame;
        }
    if (best.energy == kInfinity<double>) return {.energy = kInfinity<float>};
    return {static_cast<float>(best.energy), static_cast<float>(best.appearance), best.first_frame,
            last_frame};
  }

 private:
  // Returns the direction from the point that rank n took at `from` to the one that it took at
  // `to`.
  float scene_way(const Assignment& from, const Assignment& to, int n) const {
    const Node& a = scene_.points.nodes[from.points[n]];
    const Node& b = scene_.points.nodes[to.points[n]];
    return direction(b.x - a.x, b.y - a.y);
  }
  float model_way(std::size_t from, std::size_t to, int n) const {
    const Node& a = layers_[from].model->nodes[n];
    const Node& b = layers_[to].model->nodes[n];
    return direction(b.x - a.x, b.y - a.y);
  }
  static bool has(const Assignment& assignment, int n) {
    return n < static_cast<int>(assignment.points.size()) && assignment.points[n] >= 0;
  }
  double time(std::size_t i, std::int64_t c, std::int64_t b) const {
    return time_cost(terms_.time, static_cast<float>(layers_[i].frame - layers_[i - 1].frame),
                     static_cast<float>(places_[c].frame - places_[b].frame));
  }

  // Computes place c for model frame i, with all places that may be its neighbors.
  void fill_row(std::size_t i, std::int64_t c, std::vector<State>& next,
                std::vector<float>& ways) const {
    const Place& place = places_[c];
    const Assignment& last = layers_[i].at[c];
    // Directions to c from the places where model frame i-2 may be.
    std::vector<float> seen(static_cast<std::size_t>((c - place.oldest_seen) * ranks_));
    for (std::int64_t a = place.oldest_seen; i > 1 && a < c; ++a)
      for (int n = 0; n < ranks_; ++n)
        if (const Assignment& from = layers_[i - 2].at[a]; has(from, n) && has(last, n))
          seen[(a - place.oldest_seen) * ranks_ + n] = scene_way(from, last, n);
    for (std::int64_t b = place.oldest; b < c; ++b) {
      if (places_[b].frame == place.frame) continue;
      const std::int64_t pair = rows_[c] + b - place.oldest;
      const Assignment& middle = layers_[i - 1].at[b];
      for (int n = 0; n < ranks_; ++n)
        if (has(middle, n) && has(last, n)) ways[pair * ranks_ + n] = scene_way(middle, last, n);
      State state;
      if (i == 1) {
        state = {last.cost + middle.cost, last.cost + middle.cost, places_[b].frame};
      } else {
        state = best_before(i, c, b, seen, ways.data() + pair * ranks_);
        state.energy += last.cost + time(i, c, b);
        state.appearance += last.cost;
      }
      next[pair] = state;
    }
  }

  State best_before(std::size_t i, std::int64_t c, std::int64_t b, const std::vector<float>& seen,
                    const float* to_last) const {
    State best;
    const Place &last = places_[c], &middle = places_[b];
    const std::int32_t left = terms_.left(last.frame - middle.frame);
    for (std::int64_t a = middle.oldest; a < b; ++a) {
      if (places_[a].frame == middle.frame || places_[a].frame < middle.frame - left) continue;
      const std::int64_t pair = rows_[b] + a - middle.oldest;
      const State& before = states_[pair];
      double energy = before.energy + time(i - 1, b, a);
      double bends = 0;
      int counted = 0;
      for (int n = 0; n < ranks_; ++n) {
        if (!has(layers_[i].at[c], n) || !has(layers_[i - 1].at[b], n) ||
            !has(layers_[i - 2].at[a], n))
          continue;
        const Bends model =
            bends_of(model_way(i - 1, i, n), model_way(i - 2, i - 1, n), model_way(i - 2, i, n));
        const Bends scene = bends_of(to_last[n], ways_[pair * ranks_ + n],
                                     seen[(a - last.oldest_seen) * ranks_ + n]);
        bends += bend_distance(model, scene);
        ++counted;
      }
      if (counted > 0) energy += terms_.angles * bends / counted;
      if (energy < best.energy) best = {energy, before.appearance, before.first_frame};
    }
    return best;
  }

  const Scene& scene_;
  MatchTerms terms_;
  std::vector<Place> places_;
  std::vector<Layer> layers_;
  int ranks_ = 0;
  std::vector<std::int64_t> rows_;  // index of the first pair of each place
  std::int64_t pairs_ = 0;
  std::vector<State> states_;
  std::vector<float> ways_;  // one direction per pair and rank
};

}  // namespace

MatchScore match_greedily(const FrameModel& model, const Scene& scene, const MatchTerms& terms,
                          const Exec& exec) {
  return Recursion(model, scene, terms).run(exec);
}

}  // namespace fovea::actions::detail
