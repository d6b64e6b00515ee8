// Scenes packed for a GPU.
#include "actions/match/match_cells.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace fovea::actions::detail {
namespace {

// Returns the greatest number of points in any `frames` consecutive frames before a frame.
std::int32_t most_before(std::span<const std::int32_t> first_at, std::int32_t frames) {
  std::int32_t most = 0;
  if (frames <= 0) return most;
  for (std::int32_t f = 0; f < std::ssize(first_at); ++f)
    most = std::max(
        most,
        first_at[f] - first_at[std::max<std::int64_t>(0, static_cast<std::int64_t>(f) - frames)]);
  return most;
}

}  // namespace

CellNode node_of(const Chain& model, int i) {
  const auto node_at = [&](int at) -> const Node& {
    return model.nodes[static_cast<std::size_t>(at)];
  };
  const auto way = [&](int from, int to) {
    return direction(node_at(to).x - node_at(from).x, node_at(to).y - node_at(from).y);
  };
  CellNode node;
  if (i > 0) node.gap = static_cast<float>(node_at(i).frame - node_at(i - 1).frame);
  if (i > 1) node.bends = bends_of(way(i - 1, i), way(i - 2, i - 1), way(i - 2, i));
  return node;
}

void CellBatch::add(const Scene& scene, const MatchTerms& terms, bool counted) {
  const std::vector<Node>& nodes = scene.points.nodes;
  CellLayout layout;
  CellScene& shape = layout.shape;
  // Without dummies, only the frames from the first point to the last count.
  layout.first_frame = terms.dummies || nodes.empty() ? scene.first_frame : nodes.front().frame;
  shape.points = scene.points.size();
  if (terms.dummies) shape.span = shape.frames = scene.frames;
  else if (!nodes.empty()) shape.span = nodes.back().frame - nodes.front().frame + 1;
  layout.first_point = points;
  layout.first_at = std::ssize(first_at);
  layout.first_direction = directions;
  std::int32_t next = 0;
  for (std::int32_t f = 0; f <= shape.span; ++f) {
    while (next < shape.points && nodes[next].frame - layout.first_frame < f) ++next;
    first_at.push_back(next);
  }
  for (const Node& node : nodes) {
    frames.push_back(node.frame - layout.first_frame);
    places.push_back(node.x);
    places.push_back(node.y);
  }
  const std::span<const std::int32_t> table(first_at.data() + layout.first_at,
                                            static_cast<std::size_t>(shape.span) + 1);
  shape.reach = most_before(table, terms.pair);
  shape.seen = most_before(table, terms.triple);
  shape.gaps = std::max(0, std::min(terms.pair, shape.frames - 1));
  if (counted && shape.rows() >= kMostBefore)
    throw InvalidArgument(fmt::format(
        "match: a scene has {} nodes within the window before a frame; expected fewer than {} "
        "(take a smaller window or fewer points per frame)",
        shape.rows(), kMostBefore));
  points += shape.points;
  directions += static_cast<std::int64_t>(shape.seen) * shape.points;
  scenes.push_back(layout);
}

}  // namespace fovea::actions::detail
