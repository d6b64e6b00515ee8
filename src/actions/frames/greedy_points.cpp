// The first step of greedy matching: the points of each model frame in each scene frame. A model
// frame needs the choices of the two before it, so frames are taken in their order. The cost is
// scene frames x model frames x window^2 x points of a scene frame x points of a model frame.
#include "actions/frames/greedy.h"

namespace fovea::actions::detail {
namespace {

// What one rank of a model frame reads.
struct RankAccess {
  const GreedyScene& scene;
  const GreedyPoints& taken;
  const std::vector<float>& costs;
  std::size_t i;
  int n;

  std::int32_t middle(std::int64_t frame) const { return taken.at(i - 1, frame, n); }
  std::int32_t first(std::int64_t frame) const { return taken.at(i - 2, frame, n); }
  float way(std::int32_t from, std::int32_t to) const { return scene.way(from, to); }
  float unary(std::int32_t point) const { return costs[static_cast<std::size_t>(point)]; }
};

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
    const GreedyModelFrame& frame = model.frames()[i];
    means.assign(frames_, {});
    for (int n = 0; n < frame.count; ++n) {
      scene.unary_costs(model.points().features.row(frame.first + n), terms.appearance, unary);
      const GreedyRank rank = model.rank(i, n);
      const RankAccess access{scene, *this, unary, i, n};
      for (std::size_t v = 0; v < frames_; ++v) {
        const auto at = static_cast<std::int64_t>(v);
        const GreedyChoice choice = choose_point(scene.frames().data(), terms, rank, at, access);
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
