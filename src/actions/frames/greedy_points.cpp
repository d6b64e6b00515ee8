// The first step of greedy matching: the points of each model frame in each scene frame. A model
// frame needs the choices of the two before it, so frames are taken in their order. The cost is
// scene frames x model frames x window^2 x points of a scene frame x points of a model frame.
#include "actions/frames/greedy.h"
#include "actions/frames/greedy_math.h"
#include "actions/infinity.h"

namespace fovea::actions::detail {
namespace {

// One rank of one model frame.
struct Rank {
  std::size_t i;  // model frame
  int n;          // rank
  bool has_triangle;
  float gap, gap_before;  // frames from the model frame before, and from the one before that
};

// Returns the least weighted deformation of a triangle whose last point is `point` in scene frame
// v, over all pairs of scene frames before it in which the rank has points; 0 if there is none.
float least_deformation(const GreedyModel& model, const GreedyScene& scene, const MatchTerms& terms,
                        const GreedyPoints& taken, const Rank& rank, std::int64_t v,
                        std::int32_t point) {
  const auto& frames = scene.frames();
  const GreedyScene::Frame& last = frames[static_cast<std::size_t>(v)];
  const Bends& bends = model.bends(rank.i, rank.n);
  float best = kInfinity<float>;
  for (std::int64_t b = v - 1; b >= last.oldest; --b) {
    const std::int32_t middle = taken.at(rank.i - 1, b, rank.n);
    if (middle < 0) continue;
    const GreedyScene::Frame& between = frames[static_cast<std::size_t>(b)];
    const std::int32_t gap = last.frame - between.frame;
    const std::int32_t farthest = between.frame - terms.left(gap);
    const float time = time_cost(terms.time, rank.gap, static_cast<float>(gap));
    if (!(time < best)) continue;
    const float to_last = scene.way(middle, point);
    for (std::int64_t a = b - 1; a >= 0; --a) {
      const std::int32_t frame = frames[static_cast<std::size_t>(a)].frame;
      if (frame < farthest) break;
      const std::int32_t first = taken.at(rank.i - 2, a, rank.n);
      if (first < 0) continue;
      const float times =
          time + time_cost(terms.time, rank.gap_before, static_cast<float>(between.frame - frame));
      if (!(times < best)) continue;
      const float cost =
          deformation(times, terms.angles, bends,
                      bends_of(to_last, scene.way(first, middle), scene.way(first, point)));
      if (cost < best) best = cost;
    }
  }
  return best < kInfinity<float> ? best : 0.0F;
}

}  // namespace

GreedyPoints::GreedyPoints(const GreedyModel& model, const GreedyScene& scene,
                           const MatchTerms& terms)
    : ranks_(model.ranks()),
      frames_(scene.frames().size()),
      points_(model.frames().size() * frames_ * static_cast<std::size_t>(ranks_), -1),
      costs_(model.frames().size() * frames_) {
  std::vector<float> unary;
  std::vector<GreedyMean> means(frames_);
  for (std::size_t i = 0; i < model.frames().size(); ++i) {
    const GreedyModel::Frame& frame = model.frames()[i];
    means.assign(frames_, {});
    for (int n = 0; n < frame.count; ++n) {
      scene.unary_costs(model.points().features.row(frame.first + n), terms.appearance, unary);
      Rank rank{i, n, n < model.ranks_of_triangle(i), 0, 0};
      if (rank.has_triangle) {
        const auto& frames = model.frames();
        rank.gap = static_cast<float>(frames[i].frame - frames[i - 1].frame);
        rank.gap_before = static_cast<float>(frames[i - 1].frame - frames[i - 2].frame);
      }
      for (std::size_t v = 0; v < frames_; ++v) {
        const auto at = static_cast<std::int64_t>(v);
        GreedyChoice choice;
        for (std::int32_t p = scene.frames()[v].first; p < scene.frames()[v].end; ++p) {
          const float cost = unary[static_cast<std::size_t>(p)];
          if (terms.dummies && cost > terms.dummy) continue;
          if (!choice.beaten_by(cost)) continue;  // a deformation only adds to it
          const float whole =
              rank.has_triangle ? cost + least_deformation(model, scene, terms, *this, rank, at, p)
                                : cost;
          if (choice.beaten_by(whole)) choice = {whole, cost, p};
        }
        points_[index(i, at) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(n)] =
            choice.point;
        means[v].add(choice.point >= 0 ? choice.unary : terms.dummy);
      }
    }
    for (std::size_t v = 0; v < frames_; ++v)
      costs_[index(i, static_cast<std::int64_t>(v))] = means[v].value();
  }
}

}  // namespace fovea::actions::detail
