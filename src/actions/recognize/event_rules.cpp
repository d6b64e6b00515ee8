#include "actions/recognize/event_rules.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "actions/infinity.h"

namespace fovea::actions {
namespace {

constexpr double kWorthReporting = 0.999;  // share of the cost of dummies alone, so that rounding
                                           // does not make an event
constexpr float kBoxReach = 2;             // standard deviations of a point that a box encloses

// Returns the most frames from the first to the last node of a match of so many nodes.
std::int64_t longest_match(int nodes, const MatchOptions& options) {
  const std::int64_t gaps = nodes - 1, most_gap = options.window - 1;
  // With kSpan two consecutive gaps together fit into the window; otherwise each of them does.
  return (options.closeness == Closeness::kSpan ? (gaps + 1) / 2 : gaps) * most_gap;
}

}  // namespace

EventRules::EventRules(const Model& model, const RecognizeOptions& options,
                       std::span<const Chain> chains)
    : model_(model), options_(options) {
  nodes_.reserve(chains.size());
  for (const Chain& chain : chains) {
    nodes_.push_back(chain.size());
    most_nodes_ = std::max(most_nodes_, chain.size());
  }
  longest_ = longest_match(most_nodes_, model.match);
}

double EventRules::distance_of(std::size_t prototype, float energy, float appearance) const {
  const float value = model_.score.score == Score::kEnergy ? energy : appearance;
  return static_cast<double>(value) / nodes_[prototype];
}

// A match that is no better than dummies alone does not count, whatever the reject levels are.
double EventRules::limit_of(int prototype) const {
  const double dummies = model_.match.appearance * model_.match.dummy_cost;
  const float level = model_.prototypes[static_cast<std::size_t>(prototype)].reject;
  return std::min(
      model_.match.dummies ? kWorthReporting * dummies : kInfinity<double>,
      options_.reject > 0 ? options_.reject * static_cast<double>(level) : kInfinity<double>);
}

detail::DigestRules EventRules::digest_rules() const {
  detail::DigestRules rules;
  rules.classes = static_cast<std::int32_t>(model_.classes.size());
  rules.by_energy = model_.score.score == Score::kEnergy;
  rules.labels.reserve(nodes_.size());
  rules.limits.reserve(nodes_.size());
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
    rules.labels.push_back(model_.prototypes[static_cast<std::size_t>(i)].label);
    rules.limits.push_back(limit_of(i));
  }
  rules.nodes.assign(nodes_.begin(), nodes_.end());
  return rules;
}

bool EventRules::allowed(const Found& found) const {
  return std::isfinite(found.distance) && found.distance <= limit_of(found.prototype);
}

double EventRules::score_of(const Found& found) const {
  const double limit = limit_of(found.prototype);
  const double reference =
      std::isfinite(limit)
          ? limit
          : static_cast<double>(
                model_.prototypes[static_cast<std::size_t>(found.prototype)].reject);
  return reference > 0 ? std::max(0.0, 1 - found.distance / reference) : 0;
}

// The frame is treated as a video of its own: its features do not depend on other frames.
Nodes EventRules::nodes_of(std::int64_t frame, std::span<const SpaceTimePoint> points,
                           ImageView<const float> descriptors) const {
  PointSet set;
  set.frames = 1;
  set.descriptors = Image<float>(kDescriptorSize, static_cast<int>(points.size()));
  set.points.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    set.points.push_back(points[i]);
    set.points.back().frame = 0;
    if (descriptors.width != kDescriptorSize)
      throw InvalidArgument(fmt::format("recognize: descriptors of {} numbers, expected {}",
                                        descriptors.width, kDescriptorSize));
    std::copy_n(descriptors.row(static_cast<int>(i)), kDescriptorSize,
                set.descriptors.row(static_cast<int>(i)));
  }
  Nodes nodes = make_nodes(set, 0, model_.features);
  for (Node& node : nodes.nodes) node.frame = static_cast<std::int32_t>(frame);
  return nodes;
}

Event EventRules::make_event(const Found& found, double other, std::vector<MatchedNode> path,
                             const std::deque<KeptPoints>& kept) const {
  Event event;
  event.prototype = found.prototype;
  event.label = label_of(found);
  event.name = model_.classes[static_cast<std::size_t>(event.label)];
  event.first_frame = found.first;
  event.last_frame = found.last;
  event.distance = found.distance;
  if (std::isfinite(other)) {
    const double more = other - found.distance;
    if (found.distance > 0) event.margin = more / found.distance;
    else if (more > 0) event.margin = kInfinity<double>;
  }
  event.score = score_of(found);
  event.dummies = static_cast<int>(
      std::ranges::count_if(path, [](const MatchedNode& node) { return node.point < 0; }));
  event.box = box_around(path, kept);
  event.path = std::move(path);
  return event;
}

Rect<float> EventRules::box_around(std::span<const MatchedNode> path,
                                   const std::deque<KeptPoints>& kept) const {
  constexpr float kFar = kInfinity<float>;
  float left = kFar, top = kFar, right = -kFar, bottom = -kFar;
  for (const MatchedNode& node : path) {
    if (node.point < 0) continue;
    const auto frame = std::ranges::find(kept, node.frame, &KeptPoints::frame);
    if (frame == kept.end() || node.point >= static_cast<int>(frame->points.size())) continue;
    const SpaceTimePoint& point = frame->points[static_cast<std::size_t>(node.point)];
    const float reach = kBoxReach * std::sqrt(std::max(point.sigma2, 0.0F));
    left = std::min(left, point.x - reach);
    top = std::min(top, point.y - reach);
    right = std::max(right, point.x + reach);
    bottom = std::max(bottom, point.y + reach);
  }
  if (left > right) return {};
  const Rect<float> box{left, top, right - left, bottom - top};
  if (size_.width == 0) return box;
  return intersect(box, {0, 0, static_cast<float>(size_.width), static_cast<float>(size_.height)});
}

}  // namespace fovea::actions
