// Recursive bisection of graphs that may consist of several pieces.
#include "ops/shortest_paths/partition.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "ops/shortest_paths/at.h"

namespace fovea::detail {
namespace {

constexpr int kMostGain = 64;       // greater gains count as this
constexpr int kMostPasses = 8;      // passes over a border
constexpr int kMostFruitless = 96;  // moves since the best border of a pass
constexpr int kSlack = 24;          // a half may be larger by a 24th of the whole

// Nodes by what moving them to the other side saves, the newest first. Outdated entries stay until
// they are reached.
class Gains {
 public:
  void push(std::int32_t node, int gain) {
    const int slot = std::clamp(gain, -kMostGain, kMostGain) + kMostGain;
    slots_[slot].push_back(node);
    top_ = std::max(top_, slot);
  }
  void clear() {
    for (auto& slot : slots_) slot.clear();
    top_ = -1;
  }
  template <class Holds>
  std::int32_t best(Holds holds) {  // -1 where there is none
    for (; top_ >= 0; --top_) {
      auto& slot = slots_[top_];
      while (!slot.empty() && !holds(slot.back(), top_ - kMostGain)) slot.pop_back();
      if (!slot.empty()) return slot.back();
    }
    return -1;
  }

 private:
  std::vector<std::int32_t> slots_[2 * kMostGain + 1];
  int top_ = -1;
};

}  // namespace

Bisection::Bisection(const Graph& graph)
    : graph_(graph),
      order_(at(graph.nodes())),
      first_{0, graph.nodes()},
      part_of_(order_.size(), 0),
      near_(order_.size()),
      far_(order_.size()),
      gain_(order_.size()),
      side_(order_.size()),
      moved_(order_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
}

// Visits the nodes of a part that can be reached from a node, in the order of their number of
// steps, and returns the last one.
int Bisection::walk(const Range& range, std::int32_t from, std::vector<std::int32_t>& distance,
                    std::vector<std::int32_t>& reached) {
  std::size_t next = reached.size();
  distance[at(from)] = 0;
  reached.push_back(from);
  for (; next < reached.size(); ++next)
    for (const std::int32_t to : graph_.neighbors(reached[next])) {
      if (part_of_[at(to)] != range.part || distance[at(to)] >= 0) continue;
      distance[at(to)] = distance[at(reached[next])] + 1;
      reached.push_back(to);
    }
  return reached.back();
}

// Moves nodes at the border of two sides while this reduces the number of arcs between them; the
// first side has about `left` nodes. The nodes are those of order_ in the range, and all are
// connected.
void Bisection::smooth(const Range& range, int left) {
  const std::span nodes(order_.data() + range.begin, at(range.end - range.begin));
  const int slack = (range.end - range.begin) / kSlack;
  const auto inside = [&](std::int32_t node) { return part_of_[at(node)] == range.part; };
  int now = left;
  Gains gains[2];
  // Nodes that may lie at the border: all in the first pass, then those that were at the border,
  // those that moved, and their neighbors.
  std::vector<std::int32_t> watched(nodes.begin(), nodes.end()), next, moves;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    for (Gains& each : gains) each.clear();
    next.clear();
    for (const std::int32_t node : watched) {
      int gain = 0;
      bool border = false;
      for (const std::int32_t to : graph_.neighbors(node)) {
        if (!inside(to)) continue;
        const bool across = side_[at(to)] != side_[at(node)];
        border = border || across;
        gain += across ? 1 : -1;
      }
      gain_[at(node)] = gain;
      moved_[at(node)] = 0;
      if (!border) continue;
      gains[side_[at(node)]].push(node, gain);
      next.push_back(node);
    }
    moves.clear();
    std::size_t kept = 0;
    int saved = 0, most = 0;
    while (moves.size() < kept + kMostFruitless) {
      std::int32_t chosen = -1;
      for (const int side : {0, 1}) {
        const int after = side == 0 ? now - 1 : now + 1;
        if (std::abs(after - left) > slack) continue;
        const std::int32_t node = gains[side].best([&](std::int32_t each, int gain) {
          return moved_[at(each)] == 0 && side_[at(each)] == side &&
                 std::clamp(gain_[at(each)], -kMostGain, kMostGain) == gain;
        });
        if (node < 0) continue;
        const bool heavier = (now > left) == (side == 0);
        if (chosen < 0 || gain_[at(node)] > gain_[at(chosen)] ||
            (gain_[at(node)] == gain_[at(chosen)] && heavier))
          chosen = node;
      }
      if (chosen < 0) break;
      saved += gain_[at(chosen)];
      now += side_[at(chosen)] == 0 ? -1 : 1;
      side_[at(chosen)] ^= 1U;
      moved_[at(chosen)] = 1;
      moves.push_back(chosen);
      next.push_back(chosen);
      for (const std::int32_t to : graph_.neighbors(chosen)) {
        if (!inside(to)) continue;
        next.push_back(to);
        gain_[at(to)] += side_[at(to)] == side_[at(chosen)] ? -2 : 2;
        if (moved_[at(to)] == 0) gains[side_[at(to)]].push(to, gain_[at(to)]);
      }
      if (saved > most) most = saved, kept = moves.size();
    }
    for (; moves.size() > kept; moves.pop_back()) {
      now += side_[at(moves.back())] == 0 ? -1 : 1;
      side_[at(moves.back())] ^= 1U;
    }
    if (most == 0) return;
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    watched.swap(next);
  }
}

// Puts the nodes of a part into the order of its two halves, and returns where the second half
// begins.
int Bisection::divide(const Range& range) {
  const int middle = range.begin + (range.end - range.begin) / 2;
  for (int i = range.begin; i < range.end; ++i) near_[at(order_[at(i)])] = -1;
  std::vector<std::int32_t>
      pieces;  // pieces that are not connected with each other, one after the other
  pieces.reserve(at(range.end - range.begin));
  Range piece{range.begin, range.begin, range.part};
  for (int i = range.begin; i < range.end; ++i) {
    const std::int32_t node = order_[at(i)];
    if (near_[at(node)] >= 0) continue;
    const auto begin = range.begin + static_cast<int>(pieces.size());
    walk(range, node, near_, pieces);
    const auto end = range.begin + static_cast<int>(pieces.size());
    if (begin <= middle && middle < end) piece = {begin, end, range.part};
  }
  std::copy(pieces.begin(), pieces.end(), order_.begin() + range.begin);
  if (piece.begin == middle) return middle;  // the border lies between two pieces

  const std::span nodes(order_.data() + piece.begin, at(piece.end - piece.begin));
  const auto forget = [&](std::vector<std::int32_t>& distance) {
    for (const std::int32_t node : nodes) distance[at(node)] = -1;
  };
  std::vector<std::int32_t> reached;
  reached.reserve(nodes.size());
  const std::int32_t one_end = nodes.back();
  forget(near_);
  const std::int32_t other_end = walk(range, one_end, near_, reached);
  forget(far_);
  reached.clear();
  walk(range, other_end, far_, reached);
  const auto key = [&](std::int32_t node) { return near_[at(node)] - far_[at(node)]; };
  const int left = middle - piece.begin;
  std::nth_element(
      nodes.begin(), nodes.begin() + left, nodes.end(),
      [&](std::int32_t a, std::int32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) side_[at(nodes[at(i)])] = i >= left;
  smooth(piece, left);
  const auto second = std::partition(nodes.begin(), nodes.end(),
                                     [&](std::int32_t node) { return side_[at(node)] == 0; });
  return piece.begin + static_cast<int>(second - nodes.begin());
}

void Bisection::halve(const Exec& exec) {
  const int parts = this->parts();
  std::vector<int> middles(at(parts));
  parallel_for(exec, parts, 1, [&](std::int64_t part, std::int64_t) {
    const auto p = static_cast<std::size_t>(part);
    const int begin = first_[p], end = first_[p + 1];
    const std::vector<std::int32_t> ordered(order_.begin() + begin, order_.begin() + end);
    middles[p] = divide({begin, end, static_cast<int>(part)});
    // Back in the order of the nodes, so that the next division does not depend on how this one
    // went.
    for (int i = begin; i < end; ++i) side_[at(order_[at(i)])] = i >= middles[p];
    int next[2] = {begin, middles[p]};
    for (const std::int32_t node : ordered) order_[at(next[side_[at(node)]]++)] = node;
  });
  std::vector<std::int32_t> first{0};
  for (std::size_t p = 0; p < middles.size(); ++p)
    for (const int end : {middles[p], first_[p + 1]})
      if (end > first.back()) first.push_back(end);
  first_ = std::move(first);
  for (std::size_t p = 0; p + 1 < first_.size(); ++p)
    for (int i = first_[p]; i < first_[p + 1]; ++i)
      part_of_[at(order_[at(i)])] = static_cast<std::int32_t>(p);
}

}  // namespace fovea::detail
