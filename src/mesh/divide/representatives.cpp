#include "mesh/divide/representatives.h"

#include <fovea/core/random.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace fovea::mesh {
namespace {

constexpr int kMostRounds = 30;

// Moves each center to the weighted mean of the points with its label; a center without weight
// stays.
void move_centers(const Points& points, Groups& groups) {
  const auto dimensions = static_cast<std::size_t>(points.dimensions);
  const std::size_t count = groups.centers.size() / std::max<std::size_t>(dimensions, 1);
  std::vector<double> sums(groups.centers.size(), 0);
  std::vector<double> weights(count, 0);
  for (std::size_t point = 0; point < points.count(); ++point) {
    const auto label = static_cast<std::size_t>(groups.labels[point]);
    weights[label] += points.weights[point];
    for (std::size_t i = 0; i < dimensions; ++i)
      sums[label * dimensions + i] += points.weights[point] * points.at(point)[i];
  }
  for (std::size_t label = 0; label < count; ++label)
    if (weights[label] > 0)
      for (std::size_t i = 0; i < dimensions; ++i)
        groups.centers[label * dimensions + i] = sums[label * dimensions + i] / weights[label];
}

// Returns whether a label changed. A group that lost its last point takes the point that is
// farthest from its center.
bool assign(const Points& points, std::size_t count, Groups& groups) {
  const auto dimensions = static_cast<std::size_t>(points.dimensions);
  bool changed = false;
  groups.spread = 0;
  std::vector<std::int64_t> sizes(count, 0);
  std::vector<double> far(points.count());
  for (std::size_t point = 0; point < points.count(); ++point) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t label = 0; label < count; ++label) {
      const double distance = squared_distance(
          points.at(point), groups.centers.data() + label * dimensions, points.dimensions);
      if (distance < least) std::tie(least, best) = std::tie(distance, label);
    }
    changed |= groups.labels[point] != static_cast<std::int32_t>(best);
    groups.labels[point] = static_cast<std::int32_t>(best);
    far[point] = points.weights[point] * least;
    groups.spread += far[point];
    ++sizes[best];
  }
  for (std::size_t label = 0; label < count; ++label) {
    if (sizes[label] > 0) continue;
    std::size_t taken = points.count();
    for (std::size_t point = 0; point < points.count(); ++point)
      if (sizes[static_cast<std::size_t>(groups.labels[point])] > 1 &&
          (taken == points.count() || far[point] > far[taken]))
        taken = point;
    --sizes[static_cast<std::size_t>(groups.labels[taken])];
    groups.labels[taken] = static_cast<std::int32_t>(label);
    far[taken] = 0;
    ++sizes[label];
    changed = true;
  }
  return changed;
}

void settle(const Points& points, std::size_t count, Groups& groups) {
  for (int round = 0; round < kMostRounds; ++round) {
    move_centers(points, groups);
    if (!assign(points, count, groups)) break;
  }
}

Groups drawn(const Points& points, std::size_t count, Random& random) {
  const auto dimensions = static_cast<std::size_t>(points.dimensions);
  Groups groups;
  groups.labels.assign(points.count(), -1);
  std::vector<double> nearest(points.count(), std::numeric_limits<double>::infinity());
  std::size_t next = random.below(static_cast<std::uint32_t>(points.count()));
  for (;;) {
    groups.centers.insert(groups.centers.end(), points.at(next), points.at(next) + dimensions);
    if (groups.centers.size() == count * dimensions) break;
    double sum = 0;
    for (std::size_t point = 0; point < points.count(); ++point) {
      nearest[point] = std::min(
          nearest[point], squared_distance(points.at(point), points.at(next), points.dimensions));
      sum += points.weights[point] * nearest[point];
    }
    double left = static_cast<double>(random.uniform()) * sum;
    next = 0;
    while (next + 1 < points.count() && (left -= points.weights[next] * nearest[next]) >= 0) ++next;
  }
  assign(points, count, groups);
  settle(points, count, groups);
  return groups;
}

struct Merge {
  double cost;
  std::int32_t a, b;
  std::int32_t version_a, version_b;
  bool operator>(const Merge& other) const {
    return std::tie(cost, a, b) > std::tie(other.cost, other.a, other.b);
  }
};

// Merges the neighbors that increase the spread least.
class Ward {
 public:
  Ward(const Points& points, std::span<const Conductance> links)
      : points_(points),
        sums_(points.numbers),
        weights_(points.weights),
        version_(points.count(), 0),
        into_(points.count()),
        beside_(points.count()) {
    for (std::size_t i = 0; i < into_.size(); ++i) into_[i] = static_cast<std::int32_t>(i);
    for (const Conductance& link : links) {
      beside_[static_cast<std::size_t>(link.a)].push_back(link.b);
      beside_[static_cast<std::size_t>(link.b)].push_back(link.a);
      offer(link.a, link.b);
    }
  }

  Groups down_to(std::size_t count) {
    for (std::size_t left = points_.count(); left > count;) {
      if (queue_.empty()) offer_all();
      const Merge merge = queue_.top();
      queue_.pop();
      if (version_[static_cast<std::size_t>(merge.a)] != merge.version_a ||
          version_[static_cast<std::size_t>(merge.b)] != merge.version_b)
        continue;
      join(static_cast<std::size_t>(merge.a), static_cast<std::size_t>(merge.b));
      --left;
    }
    return labels();
  }

 private:
  void offer(std::int32_t a, std::int32_t b) {
    const auto at_a = static_cast<std::size_t>(std::min(a, b));
    const auto at_b = static_cast<std::size_t>(std::max(a, b));
    const auto dimensions = static_cast<std::size_t>(points_.dimensions);
    const double both = weights_[at_a] + weights_[at_b];
    const double cost =
        both > 0 ? weights_[at_a] * weights_[at_b] / both *
                       squared_distance(sums_.data() + at_a * dimensions,
                                        sums_.data() + at_b * dimensions, points_.dimensions)
                 : 0;
    queue_.push({cost, std::min(a, b), std::max(a, b), version_[at_a], version_[at_b]});
  }
  // If the links leave more pieces than groups are wanted, any two pieces may be merged.
  void offer_all() {
    std::vector<std::int32_t> roots;
    for (std::size_t i = 0; i < into_.size(); ++i)
      if (into_[i] == static_cast<std::int32_t>(i)) roots.push_back(into_[i]);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      auto& around = beside_[static_cast<std::size_t>(roots[i])];
      around = roots;
      std::erase(around, roots[i]);
      for (std::size_t j = i + 1; j < roots.size(); ++j) offer(roots[i], roots[j]);
    }
  }
  void join(std::size_t a, std::size_t b) {
    const auto dimensions = static_cast<std::size_t>(points_.dimensions);
    const double both = weights_[a] + weights_[b];
    for (std::size_t i = 0; i < dimensions && both > 0; ++i)
      sums_[a * dimensions + i] =
          (weights_[a] * sums_[a * dimensions + i] + weights_[b] * sums_[b * dimensions + i]) /
          both;
    weights_[a] = both;
    ++version_[a];
    version_[b] = -1;
    into_[b] = static_cast<std::int32_t>(a);
    std::vector<std::int32_t> around = std::move(beside_[a]);
    around.insert(around.end(), beside_[b].begin(), beside_[b].end());
    beside_[b].clear();
    for (std::int32_t& other : around) other = root(other);
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    std::erase(around, static_cast<std::int32_t>(a));
    for (const std::int32_t other : around) offer(static_cast<std::int32_t>(a), other);
    beside_[a] = std::move(around);
  }
  std::int32_t root(std::int32_t node) const {
    while (into_[static_cast<std::size_t>(node)] != node)
      node = into_[static_cast<std::size_t>(node)];
    return node;
  }
  Groups labels() const {
    Groups groups;
    groups.labels.resize(points_.count());
    std::vector<std::int32_t> number(points_.count(), -1);
    std::int32_t count = 0;
    for (std::size_t point = 0; point < points_.count(); ++point) {
      std::int32_t& of = number[static_cast<std::size_t>(root(static_cast<std::int32_t>(point)))];
      if (of < 0) of = count++;
      groups.labels[point] = of;
    }
    groups.centers.assign(
        static_cast<std::size_t>(count) * static_cast<std::size_t>(points_.dimensions), 0);
    return groups;
  }

  const Points& points_;
  std::vector<double> sums_;  // in fact means
  std::vector<double> weights_;
  std::vector<std::int32_t> version_;  // -1 if it was merged into another
  std::vector<std::int32_t> into_;
  std::vector<std::vector<std::int32_t>> beside_;
  std::priority_queue<Merge, std::vector<Merge>, std::greater<>> queue_;
};

}  // namespace

double squared_distance(const double* a, const double* b, int dimensions) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

Groups group_points(const Points& points, std::span<const Conductance> links,
                    const GroupOptions& options) {
  const auto count = static_cast<std::size_t>(options.groups);
  if (count <= 1 || points.dimensions == 0) {
    Groups one;
    one.labels.assign(points.count(), 0);
    one.centers.assign(static_cast<std::size_t>(points.dimensions), 0);
    move_centers(points, one);
    return one;
  }
  Groups best = Ward(points, links).down_to(count);
  settle(points, count, best);
  for (int restart = 0; restart < options.restarts; ++restart) {
    Random random(options.seed, static_cast<std::uint64_t>(restart));
    Groups tried = drawn(points, count, random);
    if (tried.spread < best.spread) best = std::move(tried);
  }
  return best;
}

}  // namespace fovea::mesh
