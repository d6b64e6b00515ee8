// Nodes that wait in buckets of distance, each in at most one bucket. Buckets are processed in
// turn; a node whose distance falls below the current bucket waits in the current one. Inside a
// bucket the first node in is the first out, which bounds the number of visits even where one
// bucket holds all nodes (Bellman and Ford).
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace fovea::cpu {

inline constexpr std::size_t kPathLanes =
    16;  // sources that are processed together: one cache line

struct BucketWidth {
  float per_cost = 0;          // buckets per unit of cost
  std::uint32_t buckets = 64;  // a power of two
};

// A bucket is as wide as a mean arc divided by the number of arcs of a node, because the shorter
// arcs matter. There are as many buckets as the longest arc spans, within reason.
inline BucketWidth bucket_width(const Graph& graph) {
  constexpr double kMost = 1U << 16U;
  double sum = 0, longest = 0;
  for (int node = 0; node < graph.nodes(); ++node)
    for (const float cost : graph.costs(node)) {
      sum += static_cast<double>(cost);
      longest = std::max(longest, static_cast<double>(cost));
    }
  if (sum <= 0) return {};
  const double mean = sum / (2.0 * static_cast<double>(graph.arcs()));
  const double degree = 2.0 * static_cast<double>(graph.arcs()) / graph.nodes();
  const double width = std::max(mean / std::max(1.0, degree), longest / (kMost - 2));
  const auto span = static_cast<std::uint32_t>(longest / width) + 2;
  return {static_cast<float>(1 / width), std::bit_ceil(std::max(span, 64U))};
}

class LaneQueue {
 public:
  LaneQueue(int nodes, const BucketWidth& width)
      : width_(width),
        ends_(width.buckets),
        full_(width.buckets / 64, 0),
        places_(static_cast<std::size_t>(nodes)) {}

  // To be called after all nodes were popped.
  void clear() { now_ = 0; }

  void push(std::int32_t node, float distance) {
    // Distances are distinguished up to the reach of the ring; nodes beyond it wait at its end.
    const auto wanted = static_cast<std::int64_t>(std::min(distance * width_.per_cost, 9e15F));
    const std::int64_t bucket = std::clamp(wanted, now_, now_ + width_.buckets - 1);
    Place& place = places_[static_cast<std::size_t>(node)];
    if (place.bucket >= 0) {
      if (place.bucket <= bucket) return;
      unlink(node);
    }
    const std::size_t slot = slot_of(bucket);
    Ends& ends = ends_[slot];
    place = {bucket, -1, ends.last};
    if (ends.last >= 0) places_[static_cast<std::size_t>(ends.last)].after = node;
    else ends.first = node;
    ends.last = node;
    full_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  // Returns -1 where no node waits.
  std::int32_t pop() {
    std::size_t slot = slot_of(now_);
    if (ends_[slot].first < 0) {
      const std::int64_t steps = next_full(slot);
      if (steps < 0) return -1;
      now_ += steps;
      slot = slot_of(now_);
    }
    const std::int32_t node = ends_[slot].first;
    unlink(node);
    return node;
  }

 private:
  struct Place {
    std::int64_t bucket = -1;  // -1: the node does not wait
    std::int32_t after = -1;
    std::int32_t before = -1;
  };

  struct Ends {
    std::int32_t first = -1;
    std::int32_t last = -1;
  };

  std::size_t slot_of(std::int64_t bucket) const {
    return static_cast<std::size_t>(bucket) & (width_.buckets - 1);
  }
  void unlink(std::int32_t node) {
    Place& place = places_[static_cast<std::size_t>(node)];
    const std::size_t slot = slot_of(place.bucket);
    Ends& ends = ends_[slot];
    if (place.before >= 0) places_[static_cast<std::size_t>(place.before)].after = place.after;
    else ends.first = place.after;
    if (place.after >= 0) places_[static_cast<std::size_t>(place.after)].before = place.before;
    else ends.last = place.before;
    if (ends.first < 0) full_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    place.bucket = -1;
  }
  // The number of buckets from a slot to the first one that holds a node, around the ring.
  std::int64_t next_full(std::size_t slot) const {
    const std::size_t words = full_.size();
    for (std::size_t i = 0; i <= words; ++i) {
      const std::size_t word = (slot / 64 + i) % words;
      std::uint64_t bits = full_[word];
      if (i == 0) bits &= ~std::uint64_t{0} << (slot % 64);
      if (bits == 0) continue;
      const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return static_cast<std::int64_t>((found - slot) & (width_.buckets - 1));
    }
    return -1;
  }

  BucketWidth width_;
  std::int64_t now_ = 0;
  std::vector<Ends> ends_;           // first and last node of each bucket in the ring
  std::vector<std::uint64_t> full_;  // one bit per bucket
  std::vector<Place> places_;
};

}  // namespace fovea::cpu
