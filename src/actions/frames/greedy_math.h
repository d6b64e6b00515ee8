// The arithmetic of greedy matching: which scene point a model point takes, and how the points of
// three frames make one triangle of frames. Numbers are combined in the order written here, by both
// twins.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>

#include "actions/match/match_math.h"
#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// A scene frame that has points.
struct GreedyFrame {
  std::int32_t frame = 0;
  std::int32_t first = 0, end = 0;  // range of points
  std::int64_t oldest = 0;          // the oldest frame with points that may be its neighbor
};

// Where a model frame may be: in a frame with points, or in any frame as a dummy.
struct GreedyPlace {
  std::int32_t frame = 0;
  std::int32_t seen = -1;   // index of the frame with points; -1: a dummy
  std::int64_t oldest = 0;  // the oldest place that may be its neighbor
};

// A frame of a model.
struct GreedyModelFrame {
  std::int32_t frame = 0;
  std::int32_t first = 0;  // first point
  std::int32_t count = 0;  // number of points
};

// The number of ranks that have a point in frame i of a model and in the two before it.
FOVEA_HD inline int ranks_of_triangle(const GreedyModelFrame* frames, std::int64_t i) {
  if (i < 2) return 0;
  int least = frames[i].count;
  for (std::int64_t j = i - 2; j < i; ++j)
    if (frames[j].count < least) least = frames[j].count;
  return least;
}

// Frames from one model frame to the next.
FOVEA_HD inline float model_gap(const GreedyModelFrame* frames, std::int64_t i) {
  return static_cast<float>(frames[i].frame - frames[i - 1].frame);
}

// Returns the weighted deformation of a triangle whose two differences of time cost `times`.
FOVEA_HD inline float deformation(float times, float angle_weight, const Bends& model,
                                  const Bends& scene) {
  return through(times, angle_weight, bend_distance(model, scene));
}

// The least cost so far of a model point in a scene frame, and the scene point that has it. Of
// equal ones the first counts.
struct GreedyChoice {
  float cost = 0;
  float unary = 0;
  std::int32_t point = -1;

  FOVEA_HD bool beaten_by(float other) const { return point < 0 || other < cost; }
};

// Sums over the points of a frame, or over the ranks of three frames.
struct GreedyMean {
  float sum = 0;
  int count = 0;

  FOVEA_HD void add(float value) {
    sum += value;
    ++count;
  }
  FOVEA_HD float value() const { return count > 0 ? sum / static_cast<float>(count) : 0.0F; }
};

// One rank of one model frame that may be the last of a triangle.
struct GreedyRank {
  bool has_triangle = false;
  float gap = 0, gap_before = 0;  // frames from the model frame before, and from the one before it
  Bends bends;
};

// Returns the least weighted deformation of a triangle whose last point is `point` in scene frame
// v, over all pairs of scene frames before it in which the rank has points; 0 if there is none.
// `at` knows which points the rank has taken one and two model frames before, by scene frame
// (middle, first; -1: none), and directions (way).
template <class Access>
FOVEA_HD float least_deformation(const GreedyFrame* frames, const MatchTerms& terms,
                                 const GreedyRank& rank, std::int64_t v, std::int32_t point,
                                 const Access& at) {
  const GreedyFrame last = frames[v];
  float best = INFINITY;
  for (std::int64_t b = v - 1; b >= last.oldest; --b) {
    const std::int32_t middle = at.middle(b);
    if (middle < 0) continue;
    const std::int32_t between = frames[b].frame;
    const std::int32_t gap = last.frame - between;
    const std::int32_t farthest = between - terms.left(gap);
    const float time = time_cost(terms.time, rank.gap, static_cast<float>(gap));
    if (!(time < best)) continue;
    const float to_last = at.way(middle, point);
    for (std::int64_t a = b - 1; a >= 0; --a) {
      const std::int32_t frame = frames[a].frame;
      if (frame < farthest) break;
      const std::int32_t first = at.first(a);
      if (first < 0) continue;
      const float times =
          time + time_cost(terms.time, rank.gap_before, static_cast<float>(between - frame));
      if (!(times < best)) continue;
      const float cost =
          deformation(times, terms.angles, rank.bends,
                      bends_of(to_last, at.way(first, middle), at.way(first, point)));
      if (cost < best) best = cost;
    }
  }
  return best < INFINITY ? best : 0.0F;
}

// Returns the point of scene frame v that a model point takes; at.unary() is l1 U of a point.
template <class Access>
FOVEA_HD GreedyChoice choose_point(const GreedyFrame* frames, const MatchTerms& terms,
                                   const GreedyRank& rank, std::int64_t v, const Access& at) {
  GreedyChoice choice;
  for (std::int32_t p = frames[v].first; p < frames[v].end; ++p) {
    const float cost = at.unary(p);
    if (terms.dummies && cost > terms.dummy) continue;
    if (!choice.beaten_by(cost)) continue;  // a deformation only adds to it
    const float whole =
        rank.has_triangle ? cost + least_deformation(frames, terms, rank, v, p, at) : cost;
    if (choice.beaten_by(whole)) choice = {whole, cost, p};
  }
  return choice;
}

// What the recursion knows about a pair of places.
struct GreedyState {
  float energy = INFINITY;
  float so_far = INFINITY;  // with the time of the last pair once more
  float appearance = 0;
  std::int32_t first_frame = 0;
};

// The place before a pair, with the energy up to there; none: from is -1.
struct GreedyFrom {
  float best = INFINITY;
  std::int64_t from = -1;
};

// Returns the best place before the middle one, b. Of equal energies the first place counts.
// at.so_far(a) is that of the pair (b, a), and at.bend(a) the mean deformation of the triangle.
template <class Access>
FOVEA_HD GreedyFrom least_before(const GreedyPlace* places, const MatchTerms& terms,
                                 std::int32_t last_frame, std::int64_t b, const Access& at) {
  GreedyFrom found;
  const GreedyPlace middle = places[b];
  const std::int32_t farthest = middle.frame - terms.left(last_frame - middle.frame);
  for (std::int64_t a = middle.oldest; a < b; ++a) {
    const std::int32_t frame = places[a].frame;
    if (frame < farthest || frame == middle.frame) continue;
    const float so_far = at.so_far(a);
    if (!(so_far < found.best)) continue;
    const float energy = through(so_far, terms.angles, at.bend(a));
    if (!(energy < found.best)) continue;
    found = {energy, a};
  }
  return found;
}

// The state of a pair that begins a match, and of one that continues another.
FOVEA_HD inline GreedyState begin_pair(float first, float second, float time,
                                       std::int32_t first_frame) {
  const float sum = second + first;
  return {sum, go_on(sum, time), sum, first_frame};
}
FOVEA_HD inline GreedyState continue_pair(const GreedyState& before, float own, float time,
                                          float best) {
  const float energy = arrive(own, time, best);
  return {energy, go_on(energy, time), before.appearance + own, before.first_frame};
}

}  // namespace fovea::actions::detail
