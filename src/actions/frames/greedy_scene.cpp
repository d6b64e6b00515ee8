// Models and scenes as greedy matching uses them.
#include <algorithm>

#include "actions/frames/greedy.h"
#include "actions/match/match_costs.h"

namespace fovea::actions::detail {
namespace {

constexpr std::int64_t kMostWays = 1 << 25;  // directions that are kept in a table

}  // namespace

float way_between(const Node& from, const Node& to) {
  return direction(to.x - from.x, to.y - from.y);
}

GreedyModel::GreedyModel(const FrameModel& model) : points_{model.nodes, clone(model.features)} {
  for (std::int32_t i = 0; i < points_.size(); ++i) {
    const std::int32_t frame = points_.nodes[static_cast<std::size_t>(i)].frame;
    if (frames_.empty() || frames_.back().frame != frame)
      frames_.push_back({.frame = frame, .first = i});
    ranks_ = std::max(ranks_, ++frames_.back().count);
  }
  bends_.resize(frames_.size() * static_cast<std::size_t>(ranks_));
  for (std::size_t i = 2; i < frames_.size(); ++i)
    for (int n = 0; n < ranks_of_triangle(frames_.data(), static_cast<std::int64_t>(i)); ++n) {
      const auto node = [&](std::size_t at) {
        return *(points_.nodes.begin() + frames_[at].first + n);
      };
      bends_[i * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(n)] =
          node_bends(node(i - 2), node(i - 1), node(i));
    }
}

GreedyRank GreedyModel::rank(std::size_t i, int n) const {
  GreedyRank rank;
  const auto at = static_cast<std::int64_t>(i);
  if (n >= ranks_of_triangle(frames_.data(), at)) return rank;
  return {true, model_gap(frames_.data(), at), model_gap(frames_.data(), at - 1), bends(i, n)};
}

GreedyLayout::GreedyLayout(const Scene& scene, const MatchTerms& terms) : scene_(scene) {
  add_frames(terms);
  add_places(terms);
}

GreedyScene::GreedyScene(const Scene& scene, const MatchTerms& terms) : GreedyLayout(scene, terms) {
  add_ways(terms);
  const auto points = static_cast<std::size_t>(scene.points.size());
  const int width = scene.points.features.width();
  columns_.resize(points * static_cast<std::size_t>(width));
  for (std::size_t p = 0; p < points; ++p) {
    const float* const row = scene.points.features.row(static_cast<int>(p));
    for (int k = 0; k < width; ++k) columns_[static_cast<std::size_t>(k) * points + p] = row[k];
  }
}

void GreedyLayout::add_frames(const MatchTerms& terms) {
  const std::vector<Node>& nodes = scene_.points.nodes;
  std::int64_t oldest = 0;
  for (std::int32_t p = 0; p < scene_.points.size(); ++p) {
    const std::int32_t frame = nodes[static_cast<std::size_t>(p)].frame;
    if (frames_.empty() || frames_.back().frame != frame) {
      frames_.push_back({.frame = frame, .first = p});
      // A window of one frame has no neighbors at all, not even the frame itself.
      while (oldest + 1 < std::ssize(frames_) &&
             frames_[static_cast<std::size_t>(oldest)].frame < frame - terms.pair)
        ++oldest;
      frames_.back().oldest = oldest;
    }
    frames_.back().end = p + 1;
  }
}

void GreedyLayout::add_places(const MatchTerms& terms) {
  std::int32_t seen = 0;
  const auto frames = static_cast<std::int32_t>(frames_.size());
  places_.reserve(frames_.size() + static_cast<std::size_t>(terms.dummies ? scene_.frames : 0));
  if (terms.dummies) {
    for (std::int32_t f = 0; f < scene_.frames; ++f) {
      const std::int32_t frame = scene_.first_frame + f;
      if (seen < frames && frames_[static_cast<std::size_t>(seen)].frame == frame)
        places_.push_back({.frame = frame, .seen = seen++});
      places_.push_back({.frame = frame});
    }
  } else {
    for (; seen < frames; ++seen)
      places_.push_back({.frame = frames_[static_cast<std::size_t>(seen)].frame, .seen = seen});
  }
  first_pairs_.reserve(places_.size() + 1);
  first_pairs_.push_back(0);
  std::int64_t oldest = 0;
  for (std::size_t c = 0; c < places_.size(); ++c) {
    while (oldest < static_cast<std::int64_t>(c) &&
           places_[static_cast<std::size_t>(oldest)].frame < places_[c].frame - terms.pair)
      ++oldest;
    places_[c].oldest = oldest;
    first_pairs_.push_back(first_pairs_.back() + static_cast<std::int64_t>(c) - oldest);
  }
}

void GreedyScene::add_ways(const MatchTerms& terms) {
  const std::vector<Node>& nodes = scene().points.nodes;
  way_rows_.reserve(nodes.size() + 1);
  way_firsts_.reserve(nodes.size());
  way_rows_.push_back(0);
  std::int32_t first = 0;
  for (std::int32_t p = 0; p < scene().points.size(); ++p) {
    while (nodes[static_cast<std::size_t>(first)].frame <
           nodes[static_cast<std::size_t>(p)].frame - terms.triple)
      ++first;
    way_firsts_.push_back(first);
    way_rows_.push_back(way_rows_.back() + p - first);
  }
  if (way_rows_.back() > kMostWays) return;
  ways_.reserve(static_cast<std::size_t>(way_rows_.back()));
  for (std::size_t p = 0; p < nodes.size(); ++p)
    for (auto q = static_cast<std::size_t>(way_firsts_[p]); q < p; ++q)
      ways_.push_back(way_between(nodes[q], nodes[p]));
}

float GreedyScene::way(std::int32_t from, std::int32_t to) const {
  const auto at = static_cast<std::size_t>(to);
  if (ways_.empty())
    return way_between(scene().points.nodes[static_cast<std::size_t>(from)],
                       scene().points.nodes[at]);
  return ways_[static_cast<std::size_t>(way_rows_[at] + from - way_firsts_[at])];
}

// Numbers are added in order for each point, as add_square() is used everywhere; points are side
// by side, so that the compiler makes vectors of them.
void GreedyScene::unary_costs(const float* feature, float weight, std::vector<float>& costs) const {
  const auto points = static_cast<std::size_t>(scene().points.size());
  costs.assign(points, 0.0F);
  float* const sums = costs.data();
  for (int k = 0; k < scene().points.features.width(); ++k) {
    const float* const column = columns_.data() + static_cast<std::size_t>(k) * points;
    const float value = feature[k];
    for (std::size_t p = 0; p < points; ++p) sums[p] = add_square(value, column[p], sums[p]);
  }
  for (float& cost : costs) cost = appearance_cost(weight, cost);
}

}  // namespace fovea::actions::detail
