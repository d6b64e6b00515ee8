// Shortest paths from 16 sources at a time. Sources that are close together reach a node at nearly
// the same distance, so that one visit of a node serves all of them, with one source per lane.
// Nodes wait in buckets of distance (Dial 1969, Meyer and Sanders 2003) and are visited again where
// a lane has improved since. This gives the bits of Dijkstra's algorithm whatever the order of
// visits: sums of floats never fall when a term grows, so that the least sum over all paths is one
// number.
#include "ops/shortest_paths/backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/shortest_paths/dijkstra_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "ops/shortest_paths/lane_queue.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Computes the distances of 16 lanes per node, from the distances that are set and the nodes in the
// queue.
void settle(const Graph& graph, float cutoff, LaneQueue& queue, float* HWY_RESTRICT distances) {
  const hn::CappedTag<float, kPathLanes> d;
  constexpr std::size_t kWidth = hn::MaxLanes(hn::CappedTag<float, kPathLanes>());
  constexpr std::size_t kVectors = kPathLanes / kWidth;
  const auto unreachable = hn::Set(d, kUnreachable);
  const auto most = hn::Set(d, cutoff);
  for (std::int32_t node = queue.pop(); node >= 0; node = queue.pop()) {
    const float* from = distances + static_cast<std::size_t>(node) * kPathLanes;
    hn::Vec<decltype(d)> lanes[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) lanes[v] = hn::Load(d, from + v * kWidth);
    const auto neighbors = graph.neighbors(node);
    const auto costs = graph.costs(node);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      float* to = distances + static_cast<std::size_t>(neighbors[i]) * kPathLanes;
      const auto cost = hn::Set(d, costs[i]);
      auto key = unreachable;
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto old = hn::Load(d, to + v * kWidth);
        const auto sum = hn::Add(lanes[v], cost);
        const auto better = hn::And(hn::Lt(sum, old), hn::Le(sum, most));
        hn::Store(hn::IfThenElse(better, sum, old), d, to + v * kWidth);
        key = hn::Min(key, hn::IfThenElse(better, sum, unreachable));
      }
      // On some targets the minimum begins with the greatest finite number.
      const float least = hn::GetLane(hn::MinOfLanes(d, key));
      if (least < std::numeric_limits<float>::max()) queue.push(neighbors[i], least);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {
HWY_EXPORT(settle);

// Nodes in an order in which 16 consecutive ones are close together: each group grows around the
// first node that is in no group yet.
std::vector<std::int32_t> huddled(const Graph& graph) {
  std::vector<std::int32_t> order, seeds;
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(graph.nodes()), 0);
  order.reserve(taken.size());
  const auto take = [&](std::int32_t node) {
    if (taken[static_cast<std::size_t>(node)] != 0) return;
    taken[static_cast<std::size_t>(node)] = 1;
    order.push_back(node);
  };
  std::size_t waiting = 0;  // first of the seeds, which are nodes beside a group
  for (int lowest = 0; order.size() < taken.size();) {
    const std::size_t begin = order.size();
    const std::size_t end = std::min(taken.size(), begin + kPathLanes);
    while (order.size() < end) {
      if (order.size() == begin || begin == end) {
        while (waiting < seeds.size() && taken[static_cast<std::size_t>(seeds[waiting])] != 0)
          ++waiting;
      }
      const std::size_t before = order.size();
      if (waiting < seeds.size() && order.size() == begin) take(seeds[waiting++]);
      if (order.size() == before) {
        while (taken[static_cast<std::size_t>(lowest)] != 0) ++lowest;
        take(lowest);
      }
      for (std::size_t next = before; next < order.size() && order.size() < end; ++next)
        for (const std::int32_t to : graph.neighbors(order[next]))
          if (order.size() < end) take(to);
    }
    for (std::size_t i = begin; i < end; ++i)
      for (const std::int32_t to : graph.neighbors(order[i]))
        if (taken[static_cast<std::size_t>(to)] == 0) seeds.push_back(to);
  }
  return order;
}

// Memory for one group of sources, kept from group to group.
class Lanes {
 public:
  Lanes(const Graph& graph, const BucketWidth& width, float cutoff)
      : graph_(graph),
        cutoff_(cutoff),
        queue_(graph.nodes(), width),
        distances_(static_cast<std::size_t>(graph.nodes()) * kPathLanes) {}

  void run(std::span<const std::int32_t> sources) {
    std::fill(distances_.begin(), distances_.end(), kUnreachable);
    queue_.clear();
    for (std::size_t lane = 0; lane < sources.size(); ++lane) {
      distances_[static_cast<std::size_t>(sources[lane]) * kPathLanes + lane] = 0;
      queue_.push(sources[lane], 0);
    }
    HWY_DYNAMIC_DISPATCH(settle)(graph_, cutoff_, queue_, distances_.data());
  }
  // The distances of one lane to the first `count` nodes.
  void copy(std::size_t lane, std::size_t count, float* to) const {
    const float* from = distances_.data() + lane;
    for (std::size_t node = 0; node < count; ++node) to[node] = from[node * kPathLanes];
  }

 private:
  const Graph& graph_;
  float cutoff_;
  LaneQueue queue_;
  Array<float> distances_;
};

// Calls body(lanes, sources of the group, index of its first) for each group.
template <class Body>
void for_groups(const Graph& graph, const PathOptions& options,
                std::span<const std::int32_t> sources, Body body) {
  constexpr std::int64_t kGroups = 4;  // groups per piece of work
  const BucketWidth width = bucket_width(graph);
  const auto count = static_cast<std::int64_t>(sources.size());
  constexpr std::int64_t kPiece = kGroups * static_cast<std::int64_t>(kPathLanes);
  constexpr std::int64_t kReport = 64 * kPiece;  // sources between two progress reports
  for (std::int64_t start = 0; start < count; start += kReport) {
    const std::int64_t end = std::min(count, start + kReport);
    parallel_for(
        options.exec, end - start, kPiece, [&](std::int64_t piece, std::int64_t piece_end) {
          Lanes lanes(graph, width, options.cutoff);
          for (std::int64_t i = start + piece; i < start + piece_end; i += kPathLanes) {
            throw_if_stopped(options.exec);  // a group of a large graph takes long
            const auto group = sources.subspan(static_cast<std::size_t>(i),
                                               static_cast<std::size_t>(std::min<std::int64_t>(
                                                   kPathLanes, start + piece_end - i)));
            lanes.run(group);
            body(lanes, group, static_cast<std::size_t>(i));
          }
        });
    if (options.exec.progress)
      options.exec.progress({"distances", static_cast<double>(end), static_cast<double>(count)});
  }
}

}  // namespace

void dijkstra(const Graph& graph, const PathOptions& options, std::span<float> lower) {
  const std::vector<std::int32_t> order = huddled(graph);
  for_groups(graph, options, order,
             [&](const Lanes& lanes, std::span<const std::int32_t> group, std::size_t) {
               for (std::size_t lane = 0; lane < group.size(); ++lane) {
                 const auto node = static_cast<std::size_t>(group[lane]);
                 lanes.copy(lane, node + 1, lower.data() + node * (node + 1) / 2);
               }
             });
}

void dijkstra_rows(const Graph& graph, std::span<const std::int32_t> sources,
                   const PathOptions& options, ImageView<float> rows) {
  // The position of each source in this order, in which sources that are close in the graph are
  // close together.
  std::vector<std::int32_t> places(sources.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int32_t>(i);
  if (sources.size() > kPathLanes) {
    const std::vector<std::int32_t> order = huddled(graph);
    std::vector<std::int32_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    std::stable_sort(places.begin(), places.end(), [&](std::int32_t a, std::int32_t b) {
      return rank[static_cast<std::size_t>(sources[static_cast<std::size_t>(a)])] <
             rank[static_cast<std::size_t>(sources[static_cast<std::size_t>(b)])];
    });
  }
  std::vector<std::int32_t> ordered(sources.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    ordered[i] = sources[static_cast<std::size_t>(places[i])];
  for_groups(graph, options, ordered,
             [&](const Lanes& lanes, std::span<const std::int32_t> group, std::size_t first) {
               for (std::size_t lane = 0; lane < group.size(); ++lane)
                 lanes.copy(lane, static_cast<std::size_t>(graph.nodes()),
                            rows.row(places[first + lane]));
             });
}

}  // namespace fovea::cpu
#endif
