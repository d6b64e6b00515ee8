// Divides the energy of a match among nodes and triangles by node_costs(), strand by strand.
#include "actions/explain/shares.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "actions/infinity.h"

namespace fovea::actions {
namespace {

Chain strand_chain(const FrameModel& model, std::span<const std::int32_t> points) {
  Chain chain;
  chain.features = Image<float>(model.features.width(), static_cast<int>(points.size()));
  chain.nodes.reserve(points.size());
  for (const std::int32_t point : points) {
    std::copy_n(model.features.row(point), model.features.width(),
                chain.features.row(chain.size()));
    chain.nodes.push_back(model.nodes[static_cast<std::size_t>(point)]);
  }
  return chain;
}

// The frames of a model that have points, numbered from 0, and how many points each has.
struct ModelFrames {
  explicit ModelFrames(const FrameModel& model) {
    for (const Node& node : model.nodes) {
      number.emplace(node.frame, static_cast<int>(number.size()));
      ++points[node.frame];
    }
  }
  // Whether three nodes lie in frames that follow each other.
  bool follow(const Node& a, const Node& b, const Node& c) const {
    return number.at(b.frame) == number.at(a.frame) + 1 &&
           number.at(c.frame) == number.at(b.frame) + 1;
  }
  std::map<std::int32_t, int> number{}, points{};
};

void add_strand(const ChainTask& task, int number, const ModelFrames& frames, ChainShares& shares) {
  const Strand& strand = task.match.strands[static_cast<std::size_t>(number)];
  const Chain chain = strand_chain(task.model, strand.points);
  Match match = strand.match;
  match.found = true;
  const std::vector<NodeCost> costs = node_costs(chain, task.scene, match, task.options);
  const bool greedy = task.variant == Variant::kGreedy;
  const auto first = static_cast<int>(shares.nodes.size());
  for (int i = 0; i < chain.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const MatchedNode& matched = match.path[at];
    NodeShare node{.strand = number, .model = chain.nodes[at], .frame = matched.frame};
    if (matched.point >= 0) {
      const Node& place = task.scene.points.nodes[static_cast<std::size_t>(matched.point)];
      node.seen = true;
      node.x = place.x;
      node.y = place.y;
    }
    // The frame's U is the mean over its points.
    const double share = greedy ? 1.0 / frames.points.at(chain.nodes[at].frame) : 1.0;
    node.appearance = share * static_cast<double>(costs[at].appearance);
    node.dummy = share * static_cast<double>(costs[at].dummy);
    shares.nodes.push_back(node);
    if (i < 2) continue;
    // Greedy matching counts the frames that follow each other, and the times of frames once. Where
    // there is a first point in every frame, the first strand has all of them.
    if (greedy && !frames.follow(chain.nodes[at - 2], chain.nodes[at - 1], chain.nodes[at]))
      continue;
    shares.triangles.push_back(
        {.strand = number,
         .nodes = {first + i - 2, first + i - 1, first + i},
         .time = greedy && number > 0 ? 0.0 : static_cast<double>(costs[at].time),
         .angles = static_cast<double>(costs[at].angles)});
  }
}

// The angles of three frames are the mean over the ranks that are seen in all of them.
void average_angles(ChainShares& shares) {
  std::map<std::int32_t, int> ranks;
  const auto seen = [&](const TriangleShare& one) {
    return std::ranges::all_of(
        one.nodes, [&](int i) { return shares.nodes[static_cast<std::size_t>(i)].seen; });
  };
  const auto last = [&](const TriangleShare& one) {
    return shares.nodes[static_cast<std::size_t>(one.nodes[2])].model.frame;
  };
  for (const TriangleShare& one : shares.triangles)
    if (seen(one)) ++ranks[last(one)];
  for (TriangleShare& one : shares.triangles)
    if (seen(one)) one.angles /= ranks[last(one)];
}

// A strand counts per node, and strands count the same.
void average_strands(ChainShares& shares, int strands) {
  std::vector<int> sizes(static_cast<std::size_t>(strands), 0);
  for (const NodeShare& node : shares.nodes) ++sizes[static_cast<std::size_t>(node.strand)];
  const auto share = [&](int strand) {
    return shares.frames / (static_cast<double>(sizes[static_cast<std::size_t>(strand)]) * strands);
  };
  for (NodeShare& node : shares.nodes) {
    node.appearance *= share(node.strand);
    node.dummy *= share(node.strand);
  }
  for (TriangleShare& one : shares.triangles) {
    one.time *= share(one.strand);
    one.angles *= share(one.strand);
  }
}

}  // namespace

ChainShares chain_shares(const ChainTask& task) {
  ChainShares shares;
  shares.frames = frame_count(task.model);
  if (!task.match.found) {
    shares.energy = shares.distance = kInfinity<double>;
    return shares;
  }
  shares.found = true;
  shares.energy = static_cast<double>(task.match.energy);
  const ModelFrames frames(task.model);
  const auto strands = static_cast<int>(task.match.strands.size());
  for (int i = 0; i < strands; ++i) add_strand(task, i, frames, shares);
  if (task.variant == Variant::kGreedy) average_angles(shares);
  if (task.variant == Variant::kChains) average_strands(shares, strands);
  return shares;
}

ChainShares prototype_shares(const Model& model, int prototype, const Scene& scene) {
  const Prototype& known = model.prototypes[static_cast<std::size_t>(prototype)];
  const FrameModel chain = model.chain(prototype);
  MatchOptions options = model.match;
  options.exec = {.device = Device::cpu()};
  const FrameMatch match = FrameMatcher({&chain, 1}, model.cut.variant, options).match(scene)[0];
  ChainShares shares = chain_shares({chain, scene, match, model.cut.variant, options});
  shares.prototype = prototype;
  shares.label = known.label;
  shares.mirrored = known.mirrored;
  const MatchScore score{.energy = match.energy, .appearance = match.appearance + match.dummies};
  if (match.found)
    shares.distance = static_cast<double>(distance_per_node(score, model.score.score, known.nodes));
  return shares;
}

}  // namespace fovea::actions
