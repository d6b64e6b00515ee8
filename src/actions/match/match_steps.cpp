// The steps of scenes and streams.
#include "actions/match/match_steps.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>

#include "actions/match/match_math.h"

namespace fovea::actions::detail {
namespace {

// Old steps are only removed when they are the greater part, so that the cost per step does not
// depend on the length of a stream.
template <class T>
void drop_front(std::vector<T>& items, std::size_t count) {
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

void StepWindow::push(std::int32_t frame, std::span<const Node> points) {
  const int nodes = static_cast<int>(points.size()) + (terms_.dummies ? 1 : 0);
  if (nodes == 0) return;
  Step step;
  step.frame = frame;
  step.points = static_cast<std::int32_t>(points.size());
  step.nodes = nodes;
  if (!steps_.empty()) {
    const Step& last = steps_.back();
    step.first = last.first + last.nodes;
    step.first_point = last.first_point + last.points;
    step.directions = last.directions + static_cast<std::size_t>(last.points) * last.seen();
  }
  const auto oldest_within = [&](std::int32_t frames) {
    return std::partition_point(steps_.begin(), steps_.end(),
                                [=](const Step& other) { return other.frame < frame - frames; });
  };
  const auto neighbor = oldest_within(terms_.pair), seen = oldest_within(terms_.triple);
  step.oldest = dropped_ + (neighbor - steps_.begin());
  step.oldest_node = neighbor == steps_.end() ? step.first : neighbor->first;
  step.oldest_seen = seen == steps_.end() ? step.first_point : seen->first_point;
  if (step.first - step.oldest_node >= kMostBefore)
    throw InvalidArgument(fmt::format(
        "match: frame {} has {} scene nodes within the window before it; expected fewer than {} "
        "(take a smaller window or fewer points per frame)",
        frame, step.first - step.oldest_node, kMostBefore));
  for (const Node& point : points) {
    const Node* const from = points_.data() + (step.oldest_seen - dropped_points_);
    for (int i = 0; i < step.seen(); ++i)
      directions_.push_back(direction(point.x - from[i].x, point.y - from[i].y));
  }
  points_.insert(points_.end(), points.begin(), points.end());
  steps_.push_back(step);
}

void StepWindow::drop_before(std::int32_t frame) {
  const auto kept = std::partition_point(steps_.begin(), steps_.end(),
                                         [=](const Step& step) { return step.frame < frame; });
  const auto count = static_cast<std::size_t>(kept - steps_.begin());
  if (count == 0 || (2 * count < steps_.size()) || kept == steps_.end()) return;
  const std::int64_t points = kept->first_point - dropped_points_;
  const std::size_t directions = kept->directions - dropped_directions_;
  drop_front(points_, static_cast<std::size_t>(points));
  drop_front(directions_, directions);
  drop_front(steps_, count);
  dropped_ += static_cast<std::int64_t>(count);
  dropped_points_ += points;
  dropped_directions_ += directions;
}

std::int64_t StepWindow::step_of(std::int64_t node, std::int64_t from, std::int64_t to) const {
  const auto after =
      std::partition_point(steps_.begin() + (from - dropped_), steps_.begin() + (to - dropped_),
                           [=](const Step& step) { return step.first <= node; });
  return dropped_ + (after - steps_.begin()) - 1;
}

MatchedNode StepWindow::matched(std::int64_t node) const {
  const Step& step = (*this)[step_of(node, begin(), end())];
  const std::int64_t place = node - step.first;
  return {place < step.points ? static_cast<std::int32_t>(step.first_point + place) : -1,
          step.frame};
}

StepWindow steps_of(const Scene& scene, const MatchTerms& terms) {
  StepWindow steps(terms);
  const std::vector<Node>& nodes = scene.points.nodes;
  std::size_t begin = 0;
  const auto push = [&](std::int32_t frame) {
    std::size_t end = begin;
    while (end < nodes.size() && nodes[end].frame == frame) ++end;
    steps.push(frame, {nodes.data() + begin, end - begin});
    begin = end;
  };
  if (terms.dummies) {
    for (std::int32_t frame = 0; frame < scene.frames; ++frame) push(scene.first_frame + frame);
  } else {
    while (begin < nodes.size()) push(nodes[begin].frame);
  }
  return steps;
}

}  // namespace fovea::actions::detail
