// Divides parts into two repeatedly. The next part to be divided is the one that gains most, as in
// Ward's method: by the distance between its representatives and the areas of its halves. Where the
// number of parts is to be chosen, the whole is divided at once first: there are no more parts than
// that gives, and fewer where the rules leave parts whole.
#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "mesh/divide/clusters.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh {
namespace {

struct Branch {
  std::vector<std::int32_t> faces;  // indices in the whole part
  Clusters halves;
  int depth = 0;
};

Part sub_part(const Part& whole, const std::vector<std::int32_t>& faces) {
  Part part;
  std::vector<std::int32_t> arcs;
  part.graph = part_of(whole.graph, faces, &arcs);
  for (const std::int32_t arc : arcs)
    part.costs.push_back(whole.costs[static_cast<std::size_t>(arc)]);
  part.own_costs = whole.own_costs;
  part.adjacency = Adjacency(faces.size(), part.graph.arcs);
  return part;
}

// Returns the mean of 1 - cos over the arcs.
double mean_bend(const DualGraph& graph) {
  double sum = 0;
  for (const DualArc& arc : graph.arcs) sum += one_minus_cosine(arc.angle);
  return graph.arcs.empty() ? 0 : sum / static_cast<double>(graph.arcs.size());
}

// Combines the areas of the halves in the way that parallel resistances are combined.
double common_area(const Part& part, const Clusters& halves) {
  double areas[2] = {0, 0};
  for (std::size_t face = 0; face < part.faces(); ++face)
    areas[halves.labels[face] == 1 ? 1 : 0] += static_cast<double>(part.graph.areas[face]);
  const double both = areas[0] + areas[1];
  return both > 0 ? areas[0] * areas[1] / both : 0;
}

class Hierarchy {
 public:
  Hierarchy(Divider& divider, const Part& whole, const SegmentOptions& options, int count)
      : divider_(divider),
        whole_(whole),
        rules_(options.hierarchy),
        chooses_(count == 0),
        count_(count) {
    result_ = one_cluster(whole);
    if (chooses_) choose_count();
    result_.tree.push_back({.part = 0, .representative = result_.representatives[0]});
    leaf_.push_back(0);
    if (options.keep_memberships) result_.shares.emplace_back(whole.faces(), 1.0F);
    bend_ = mean_bend(whole.graph);
  }

  Clusters run() {
    std::vector<std::int32_t> all(whole_.faces());
    std::iota(all.begin(), all.end(), 0);
    offer(std::move(all), 0);
    while (!queue_.empty() && result_.count < count_) {
      const std::size_t next = queue_.top().second;
      queue_.pop();
      split(next);
    }
    if (chooses_) say_why_so_many();
    return std::move(result_);
  }

 private:
  void choose_count() {
    Clusters all = divider_.divide(whole_, 0);
    count_ = all.count;
    result_.choice = std::move(all.choice);
    result_.seconds = all.seconds;
    result_.engine = std::move(all.engine);
  }
  void say_why_so_many() {
    if (result_.count < count_) result_.choice.rule = CountRule::kHierarchy;
    for (; !queue_.empty(); queue_.pop()) {
      const std::int32_t face = branches_[queue_.top().second].faces[0];
      const std::int32_t label = result_.labels[static_cast<std::size_t>(face)];
      result_.choice.stops.push_back({label, StopRule::kEnough});
    }
  }

  // Adds a part to the queue together with its two halves, if it may be divided.
  void offer(std::vector<std::int32_t> faces, int depth) {
    const std::int32_t label = result_.labels[static_cast<std::size_t>(faces[0])];
    const auto stop = [&](StopRule rule, double value, double limit) {
      result_.choice.stops.push_back({label, rule, value, limit});
    };
    const auto size = static_cast<double>(faces.size());
    if (chooses_ && depth >= rules_.depth) return stop(StopRule::kDepth, depth, rules_.depth);
    if (faces.size() < 2 || (chooses_ && size < rules_.least_faces))
      return stop(StopRule::kFewFaces, size, rules_.least_faces);
    const Part part = sub_part(whole_, faces);
    const double bend = mean_bend(part.graph);
    if (chooses_ && bend < rules_.least_angle * bend_)
      return stop(StopRule::kFlat, bend_ > 0 ? bend / bend_ : 0, rules_.least_angle);
    Branch branch{std::move(faces), divider_.divide(part, 2), depth};
    result_.seconds += branch.halves.seconds;
    if (!branch.halves.engine.empty()) result_.engine = branch.halves.engine;
    if (branch.halves.count < 2) return stop(StopRule::kWhole, 0, 0);
    const double apart = branch.halves.apart;
    if (first_ < 0) first_ = apart;
    if (chooses_ && apart < rules_.least_distance * first_)
      return stop(StopRule::kNear, first_ > 0 ? apart / first_ : 0, rules_.least_distance);
    branches_.push_back(std::move(branch));
    queue_.emplace(apart * common_area(part, branches_.back().halves), branches_.size() - 1);
  }

  void split(std::size_t which) {
    Branch branch = std::move(branches_[which]);
    const std::int32_t old = result_.labels[static_cast<std::size_t>(branch.faces[0])];
    const auto fresh = static_cast<std::int32_t>(result_.count++);
    std::vector<std::int32_t> sides[2];
    for (std::size_t i = 0; i < branch.faces.size(); ++i) {
      const auto face = static_cast<std::size_t>(branch.faces[i]);
      const bool other = branch.halves.labels[i] == 1;
      sides[other ? 1 : 0].push_back(branch.faces[i]);
      result_.labels[face] = other ? fresh : old;
      result_.membership[face] = std::min(result_.membership[face], branch.halves.membership[i]);
      if (branch.halves.second[i] >= 0)
        result_.second[face] = branch.halves.second[i] == 1 ? fresh : old;
    }
    if (!result_.shares.empty()) share_out(branch, sides, static_cast<std::size_t>(old));
    const auto seed = [&](std::size_t half) {
      return branch.faces[static_cast<std::size_t>(branch.halves.representatives[half])];
    };
    result_.representatives[static_cast<std::size_t>(old)] = seed(0);
    result_.representatives.push_back(seed(1));
    grow_tree(branch.halves.apart, old, fresh);
    for (std::vector<std::int32_t>& side : sides) offer(std::move(side), branch.depth + 1);
  }

  // Adds two nodes below that of a part, which the part and a new one become.
  void grow_tree(double apart, std::int32_t old, std::int32_t fresh) {
    const std::int32_t parent = leaf_[static_cast<std::size_t>(old)];
    const auto first = static_cast<std::int32_t>(result_.tree.size());
    HierarchyNode& node = result_.tree[static_cast<std::size_t>(parent)];
    node.children = {first, first + 1};
    node.apart = apart;
    const std::int32_t level = node.level + 1;
    for (const std::int32_t part : {old, fresh})
      result_.tree.push_back(
          {.parent = parent,
           .level = level,
           .part = part,
           .representative = result_.representatives[static_cast<std::size_t>(part)]});
    leaf_[static_cast<std::size_t>(old)] = first;
    leaf_.push_back(first + 1);
  }

  // Shares out the memberships in a part between its halves: faces of the part by their memberships
  // in the halves, others by the halves' areas.
  void share_out(const Branch& branch, const std::vector<std::int32_t> (&sides)[2],
                 std::size_t old) {
    double areas[2] = {0, 0};
    for (const int side : {0, 1})
      for (const std::int32_t face : sides[side])
        areas[side] += static_cast<double>(whole_.graph.areas[static_cast<std::size_t>(face)]);
    const double both = areas[0] + areas[1];
    const auto other = static_cast<float>(both > 0 ? areas[1] / both : 0.5);
    std::vector<float> second(whole_.faces(), other);
    for (std::size_t i = 0; i < branch.faces.size(); ++i)
      second[static_cast<std::size_t>(branch.faces[i])] = branch.halves.shares[1][i];
    std::vector<float>& first = result_.shares[old];
    for (std::size_t face = 0; face < second.size(); ++face) {
      const float before = first[face];
      first[face] = before * (1 - second[face]);
      second[face] *= before;
    }
    result_.shares.push_back(std::move(second));
  }

  Divider& divider_;
  const Part& whole_;
  const HierarchyOptions& rules_;
  bool chooses_;  // the number of parts, which is at most count_
  int count_;
  double bend_ = 0;
  double first_ = -1;
  Clusters result_;
  std::vector<std::int32_t> leaf_;  // one per part: its node
  std::vector<Branch> branches_;
  std::priority_queue<std::pair<double, std::size_t>> queue_;
};

}  // namespace

Clusters divide_by_halves(Divider& divider, const Part& part, const SegmentOptions& options,
                          int count) {
  return Hierarchy(divider, part, options, count).run();
}

}  // namespace fovea::mesh
