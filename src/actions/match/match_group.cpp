// Makes groups of models.
#include "actions/match/match_group.h"

#include "actions/infinity.h"
#include "actions/match/match_math.h"

namespace fovea::actions::cpu {
namespace {

void place_model(const Chain& chain, int first, LaneGroup& group) {
  const std::vector<Node>& nodes = chain.nodes;
  const auto way = [&](int from, int to) {
    return detail::direction(nodes[to].x - nodes[from].x, nodes[to].y - nodes[from].y);
  };
  for (int i = 0; i < chain.size(); ++i) {
    const int lane = first + i;
    if (i > 0) {
      group.gaps[lane] = static_cast<float>(nodes[i].frame - nodes[i - 1].frame);
      group.closed[lane] = 0;
    }
    if (i == 1) group.second[lane] = 0;
    if (i > 1) {
      group.timed[lane] = 1;
      const detail::Bends bends = detail::bends_of(way(i - 1, i), way(i - 2, i - 1), way(i - 2, i));
      group.at_middle[lane] = bends.at_middle;
      group.at_last[lane] = bends.at_last;
    }
    for (int k = 0; k < group.features; ++k)
      group.values[static_cast<std::size_t>(k) * group.lanes + lane] = chain.features.at(k, i);
  }
}

void fill_group(std::span<const Chain> models, LaneGroup& group) {
  const auto lanes = static_cast<std::size_t>(group.lanes);
  group.gaps.assign(lanes, 0);
  group.at_middle.assign(lanes, 0);
  group.at_last.assign(lanes, 0);
  group.closed.assign(lanes, kInfinity<float>);
  group.timed.assign(lanes, 0);
  group.second.assign(lanes, kInfinity<float>);
  group.features = models.front().features.width();
  group.values.assign(lanes * group.features, 0);
  for (const LaneGroup::Model& model : group.models)
    place_model(models[model.index], model.first, group);
}

}  // namespace

std::vector<LaneGroup> make_groups(std::span<const Chain> models, int most_lanes) {
  std::vector<LaneGroup> groups;
  for (int i = 0; i < static_cast<int>(models.size()); ++i) {
    const int nodes = models[i].size();
    if (groups.empty() || groups.back().lanes + nodes > most_lanes) groups.emplace_back();
    groups.back().models.push_back({i, groups.back().lanes, nodes});
    groups.back().lanes += nodes;
  }
  for (LaneGroup& group : groups) {
    group.lanes = (group.lanes + LaneGroup::kRound - 1) / LaneGroup::kRound * LaneGroup::kRound;
    fill_group(models, group);
  }
  return groups;
}

}  // namespace fovea::actions::cpu
