#include "actions/match/match_costs.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

namespace fovea::actions {
namespace {

float squared_distance(const Nodes& a, int i, const Nodes& b, int j) {
  float sum = 0;
  for (int k = 0; k < a.features.width(); ++k)
    sum = detail::add_square(a.features.at(k, i), b.features.at(k, j), sum);
  return sum;
}

float way(const Node& from, const Node& to) {
  return detail::direction(to.x - from.x, to.y - from.y);
}

void check_path(const Chain& chain, const Scene& scene, const Match& match) {
  if (match.path.size() != chain.nodes.size())
    throw InvalidArgument(fmt::format("match: a path of {} nodes for a chain of {}",
                                      match.path.size(), chain.nodes.size()));
  for (const MatchedNode& node : match.path)
    if (node.point >= scene.points.size())
      throw InvalidArgument(fmt::format("match: a path leads to point {} of a scene with {}",
                                        node.point, scene.points.size()));
}

}  // namespace

namespace detail {

Bends node_bends(const Node& first, const Node& middle, const Node& last) {
  return bends_of(way(middle, last), way(first, middle), way(first, last));
}

NodeParts node_parts(const Chain& chain, const Scene& scene, std::span<const MatchedNode> path,
                     int node, const MatchTerms& terms) {
  NodeParts parts;
  const auto matched = [&](int i) { return path[static_cast<std::size_t>(i)]; };
  const auto model = [&](int i) { return chain.nodes[static_cast<std::size_t>(i)]; };
  if (const std::int32_t point = matched(node).point; point < 0) {
    parts.dummy = static_cast<double>(terms.dummy);
  } else {
    parts.appearance = static_cast<double>(
        appearance_cost(terms.appearance, squared_distance(chain, node, scene.points, point)));
  }
  if (node < 2) return parts;
  for (const int j : {node, node - 1})
    parts.time += static_cast<double>(
        time_cost(terms.time, static_cast<float>(model(j).frame - model(j - 1).frame),
                  static_cast<float>(matched(j).frame - matched(j - 1).frame)));
  for (int j = node - 2; j <= node; ++j)
    if (matched(j).point < 0) return parts;
  const auto place = [&](int j) {
    return scene.points.nodes[static_cast<std::size_t>(matched(j).point)];
  };
  parts.angles =
      static_cast<double>(terms.angles) *
      static_cast<double>(bend_distance(node_bends(model(node - 2), model(node - 1), model(node)),
                                        node_bends(place(node - 2), place(node - 1), place(node))));
  return parts;
}

void set_parts(const Chain& chain, const Scene& scene, const MatchTerms& terms, Match& match) {
  NodeParts sum;
  match.dummy_count = 0;
  for (int i = 0; i < chain.size(); ++i) {
    const NodeParts parts = node_parts(chain, scene, match.path, i, terms);
    sum.appearance += parts.appearance;
    sum.dummy += parts.dummy;
    sum.time += parts.time;
    sum.angles += parts.angles;
    if (match.path[static_cast<std::size_t>(i)].point < 0) ++match.dummy_count;
  }
  match.appearance = static_cast<float>(sum.appearance);
  match.dummies = static_cast<float>(sum.dummy);
  match.time = static_cast<float>(sum.time);
  match.angles = static_cast<float>(sum.angles);
}

}  // namespace detail

std::vector<NodeCost> node_costs(const Chain& chain, const Scene& scene, const Match& match,
                                 const MatchOptions& options) {
  check_options(options);
  if (!match.found) throw InvalidArgument("match: there is no match whose costs could be given");
  detail::check_points("the chain", chain, -1);
  detail::check_scene(scene, chain.features.width());
  check_path(chain, scene, match);
  const detail::MatchTerms terms(options);
  std::vector<NodeCost> costs;
  costs.reserve(chain.nodes.size());
  for (int i = 0; i < chain.size(); ++i) {
    const detail::NodeParts parts = detail::node_parts(chain, scene, match.path, i, terms);
    costs.push_back({static_cast<float>(parts.appearance), static_cast<float>(parts.dummy),
                     static_cast<float>(parts.time), static_cast<float>(parts.angles)});
  }
  return costs;
}

}  // namespace fovea::actions
