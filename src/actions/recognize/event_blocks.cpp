#include "actions/recognize/event_blocks.h"

#include <algorithm>
#include <cmath>

#include "actions/infinity.h"

namespace fovea::actions {

EventBlocks::EventBlocks(const EventRules& rules, std::span<const Chain> chains,
                         const MatchOptions& match)
    : rules_(rules),
      matcher_(chains, match),
      class_distances_(rules.model().classes.size(), kInfinity<double>) {}

void EventBlocks::push(std::int64_t frame, std::span<const SpaceTimePoint> points,
                       ImageView<const float> descriptors, std::vector<Event>& events) {
  const auto most = static_cast<std::size_t>(rules_.model().scene_points);
  if (most > 0) points = points.first(std::min(points.size(), most));
  block_.push_back(rules_.nodes_of(frame, points, descriptors));
  kept_.push_back({frame, {points.begin(), points.end()}});
  next_ = frame + 1;
  const auto whole = static_cast<std::size_t>(rules_.options().block);
  if (kept_.size() > whole) kept_.pop_front();
  if (block_.size() == whole) match(events);
}

// The points of all frames, and the number of those before each frame.
Scene EventBlocks::scene_of(std::vector<int>& first_of_frame) const {
  Scene scene;
  scene.first_frame = static_cast<std::int32_t>(block_first_);
  scene.frames = static_cast<std::int32_t>(block_.size());
  int points = 0;
  for (const Nodes& frame : block_) points += frame.size();
  scene.points.features = Image<float>(block_.front().features.width(), points);
  first_of_frame.reserve(block_.size());
  for (const Nodes& frame : block_) {
    first_of_frame.push_back(scene.points.size());
    for (int i = 0; i < frame.size(); ++i) {
      std::copy_n(frame.features.row(i), frame.features.width(),
                  scene.points.features.row(scene.points.size()));
      scene.points.nodes.push_back(frame.nodes[static_cast<std::size_t>(i)]);
    }
  }
  return scene;
}

void EventBlocks::match(std::vector<Event>& events) {
  std::vector<int> first_of_frame;
  std::vector<Match> matches = matcher_.match(scene_of(first_of_frame));
  std::ranges::fill(class_distances_, kInfinity<double>);
  std::vector<Found> all, found;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    if (!match.found) continue;
    const Found one{static_cast<int>(i),
                    rules_.distance_of(i, match.energy, match.appearance + match.dummies),
                    match.path.front().frame, match.path.back().frame};
    double& of_class = class_distances_[static_cast<std::size_t>(rules_.label_of(one))];
    of_class = std::min(of_class, one.distance);
    all.push_back(one);
    if (rules_.allowed(one) && one.first > reported_until_) found.push_back(one);
  }
  std::ranges::stable_sort(found, {}, &Found::distance);
  std::vector<Found> chosen;
  for (const Found& one : found)
    if (std::ranges::all_of(chosen, [&](const Found& other) {
          return one.first > other.last || one.last < other.first;
        }))
      chosen.push_back(one);
  std::ranges::sort(chosen, {}, &Found::first);
  for (const Found& one : chosen) {
    std::vector<MatchedNode> path =
        std::move(matches[static_cast<std::size_t>(one.prototype)].path);
    for (MatchedNode& node : path)  // counted from the start of the frame, as in a stream
      if (node.point >= 0)
        node.point -= first_of_frame[static_cast<std::size_t>(node.frame - block_first_)];
    events.push_back(rules_.make_event(one, best_other(one, all), std::move(path), kept_));
    reported_until_ = one.last;
  }
  const auto shared = static_cast<std::size_t>(rules_.options().overlap);
  while (block_.size() > shared) block_.pop_front();
  block_first_ = next_ - static_cast<std::int64_t>(block_.size());
}

// A block may contain several actions: a nearer match of another class elsewhere in the block does
// not compete with this one.
double EventBlocks::best_other(const Found& found, std::span<const Found> all) const {
  double other = kInfinity<double>;
  for (const Found& one : all) {
    const bool overlaps = one.first <= found.last && one.last >= found.first;
    if (rules_.label_of(one) != rules_.label_of(found) &&
        (overlaps || one.distance >= found.distance))
      other = std::min(other, one.distance);
  }
  return other;
}

// The frames since the last block, with its overlap.
void EventBlocks::finish(std::vector<Event>& events) {
  if (!block_.empty() &&
      (block_first_ == 0 || static_cast<int>(block_.size()) > rules_.options().overlap))
    match(events);
}

std::int64_t EventBlocks::settled_frames() const {
  return std::max(block_first_, reported_until_ + 1);
}

}  // namespace fovea::actions
