#include "actions/recognize/event_finder.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

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

bool EventPicker::wants(std::int64_t first, std::int64_t last, double distance) const {
  if (first <= reported_until_) return false;
  if (!waiting_) return true;
  const bool apart = first > waiting_->last_frame || last < waiting_->first_frame;
  return apart ? first > waiting_->last_frame : distance < waiting_->distance;
}

void EventPicker::offer(Event event, std::int64_t frame, std::vector<Event>& events) {
  if (!wants(event.first_frame, event.last_frame, event.distance)) return;
  if (waiting_ && event.first_frame > waiting_->last_frame) report(events);
  waiting_ = std::move(event);
  since_ = frame;
}

void EventPicker::advance(std::int64_t frame, std::vector<Event>& events) {
  if (waiting_ && frame - since_ >= patience_) report(events);
}

void EventPicker::finish(std::vector<Event>& events) {
  if (waiting_) report(events);
}

void EventPicker::report(std::vector<Event>& events) {
  reported_until_ = waiting_->last_frame;
  events.push_back(std::move(*waiting_));
  waiting_.reset();
}

std::int64_t EventPicker::settled_until(std::int64_t earliest) const {
  const std::int64_t next = std::max(reported_until_ + 1, earliest);
  return waiting_ ? std::min(waiting_->first_frame, next) : next;
}

// One of the two ways to match, with its memory.
struct EventFinder::Engine {
  std::optional<StreamMatcher> stream;
  std::optional<Matcher> matcher;
  std::vector<int> nodes;     // number of nodes of each prototype
  std::deque<Nodes> block{};  // one element per frame
};

EventFinder::EventFinder(const Model& model, const RecognizeOptions& options)
    : model_(model),
      options_(options),
      engine_(std::make_unique<Engine>()),
      picker_(options.patience),
      class_distances_(model.classes.size(), kInfinity<double>) {
  check_options(options);
  if (model.prototypes.empty()) throw InvalidArgument("recognize: the model has no prototypes");
  if (options.mode == StreamMode::kBlocks && options.overlap >= options.block)
    throw InvalidArgument(fmt::format("recognize: blocks of {} frames cannot overlap by {}",
                                      options.block, options.overlap));
  const std::vector<Chain> chains = model.chains();
  int most_nodes = 0;
  for (const Chain& chain : chains) {
    engine_->nodes.push_back(chain.size());
    most_nodes = std::max(most_nodes, chain.size());
  }
  MatchOptions match = model.match;
  match.exec = options.exec;
  longest_ = longest_match(most_nodes, match);
  if (options.mode == StreamMode::kStream) {
    engine_->stream.emplace(chains, match);
    most_kept_ =
        static_cast<std::size_t>(most_nodes) * static_cast<std::size_t>(model.match.window);
  } else {
    engine_->matcher.emplace(chains, match);
    most_kept_ = static_cast<std::size_t>(options.block);
  }
}

EventFinder::~EventFinder() = default;

void EventFinder::push(std::int64_t frame, std::span<const SpaceTimePoint> points,
                       ImageView<const float> descriptors, std::vector<Event>& events) {
  if (frame != next_)
    throw InvalidArgument(fmt::format("recognize: frame {} after {}", frame, next_ - 1));
  ++next_;
  const std::size_t most =
      model_.scene_points == 0
          ? points.size()
          : std::min(points.size(), static_cast<std::size_t>(model_.scene_points));
  // The frame is treated as a video of its own: its features do not depend on other frames.
  PointSet set;
  set.frames = 1;
  set.descriptors = Image<float>(kDescriptorSize, static_cast<int>(most));
  for (std::size_t i = 0; i < most; ++i) {
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
  kept_.push_back({frame, {points.begin(), points.begin() + static_cast<std::ptrdiff_t>(most)}});
  if (kept_.size() > most_kept_) kept_.pop_front();
  if (engine_->stream) push_stream(frame, nodes, events);
  else push_block(frame, nodes, events);
}

// A match that is no better than dummies alone does not count, whatever the reject levels are.
double EventFinder::limit_of(int prototype) const {
  const double dummies = model_.match.appearance * model_.match.dummy_cost;
  const float level = model_.prototypes[static_cast<std::size_t>(prototype)].reject;
  return std::min(
      model_.match.dummies ? kWorthReporting * dummies : kInfinity<double>,
      options_.reject > 0 ? options_.reject * static_cast<double>(level) : kInfinity<double>);
}

bool EventFinder::allowed(const Found& found) const {
  return std::isfinite(found.distance) && found.distance <= limit_of(found.prototype);
}

std::int64_t EventFinder::settled_frames() const {
  if (engine_->stream) return picker_.settled_until(std::max<std::int64_t>(0, next_ - longest_));
  return std::max(block_first_, reported_until_ + 1);
}

// Margins look back over as many frames as an event waits, because other classes may end a little
// earlier.
void EventFinder::note_distances(std::span<const double> nearest) {
  recent_.emplace_back(nearest.begin(), nearest.end());
  if (recent_.size() > static_cast<std::size_t>(std::max(options_.patience, 1)))
    recent_.pop_front();
  std::ranges::fill(class_distances_, kInfinity<double>);
  for (const std::vector<double>& frame : recent_)
    for (std::size_t c = 0; c < frame.size(); ++c)
      class_distances_[c] = std::min(class_distances_[c], frame[c]);
}

void EventFinder::push_stream(std::int64_t frame, const Nodes& nodes, std::vector<Event>& events) {
  const std::span<const MatchScore> scores =
      engine_->stream->push(static_cast<std::int32_t>(frame), nodes);
  std::vector<double> nearest(model_.classes.size(), kInfinity<double>);
  Found best;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i].energy)) continue;
    const float value =
        model_.score.score == Score::kEnergy ? scores[i].energy : scores[i].appearance;
    const Found found{static_cast<int>(i), static_cast<double>(value) / engine_->nodes[i],
                      scores[i].first_frame, scores[i].last_frame};
    double& of_class = nearest[static_cast<std::size_t>(model_.prototypes[i].label)];
    of_class = std::min(of_class, found.distance);
    if ((best.prototype < 0 || found.distance < best.distance) && allowed(found) &&
        picker_.wants(found.first, found.last, found.distance))
      best = found;
  }
  note_distances(nearest);
  if (best.prototype >= 0) {
    double other = kInfinity<double>;
    for (std::size_t c = 0; c < class_distances_.size(); ++c)
      if (static_cast<std::int32_t>(c) != label_of(best))
        other = std::min(other, class_distances_[c]);
    picker_.offer(make_event(best, other, engine_->stream->path(best.prototype)), frame, events);
  }
  picker_.advance(frame, events);
}

void EventFinder::push_block(std::int64_t frame, const Nodes& nodes, std::vector<Event>& events) {
  Nodes own;
  own.nodes = nodes.nodes;
  own.features = fovea::clone(nodes.features);
  engine_->block.push_back(std::move(own));
  if (static_cast<int>(engine_->block.size()) == options_.block) match_block(frame, events);
}

void EventFinder::match_block(std::int64_t last, std::vector<Event>& events) {
  Scene scene;
  scene.first_frame = static_cast<std::int32_t>(block_first_);
  scene.frames = static_cast<std::int32_t>(engine_->block.size());
  int points = 0;
  for (const Nodes& frame : engine_->block) points += frame.size();
  scene.points.features = Image<float>(engine_->block.front().features.width(), points);
  std::vector<int> first_of_frame;
  for (const Nodes& frame : engine_->block) {
    first_of_frame.push_back(scene.points.size());
    for (int i = 0; i < frame.size(); ++i) {
      std::copy_n(frame.features.row(i), frame.features.width(),
                  scene.points.features.row(scene.points.size()));
      scene.points.nodes.push_back(frame.nodes[static_cast<std::size_t>(i)]);
    }
  }
  std::vector<Match> matches = engine_->matcher->match(scene);
  std::vector<double> nearest(model_.classes.size(), kInfinity<double>);
  std::vector<Found> all, found;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    if (!match.found) continue;
    const float value =
        model_.score.score == Score::kEnergy ? match.energy : match.appearance + match.dummies;
    const Found one{static_cast<int>(i), static_cast<double>(value) / engine_->nodes[i],
                    match.path.front().frame, match.path.back().frame};
    double& of_class = nearest[static_cast<std::size_t>(model_.prototypes[i].label)];
    of_class = std::min(of_class, one.distance);
    all.push_back(one);
    if (allowed(one) && one.first > reported_until_) found.push_back(one);
  }
  recent_.clear();
  note_distances(nearest);
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
    events.push_back(make_event(one, best_other(one, all), std::move(path)));
    reported_until_ = one.last;
  }
  const auto kept = static_cast<std::size_t>(options_.overlap);
  while (engine_->block.size() > kept) engine_->block.pop_front();
  block_first_ = last + 1 - static_cast<std::int64_t>(engine_->block.size());
}

// A block may contain several actions: a nearer match of another class elsewhere in the block does
// not compete with this one.
double EventFinder::best_other(const Found& found, std::span<const Found> all) const {
  double other = kInfinity<double>;
  for (const Found& one : all) {
    const bool overlaps = one.first <= found.last && one.last >= found.first;
    if (label_of(one) != label_of(found) && (overlaps || one.distance >= found.distance))
      other = std::min(other, one.distance);
  }
  return other;
}

void EventFinder::finish(std::vector<Event>& events) {
  if (engine_->stream) picker_.finish(events);
  // The frames since the last block, with its overlap.
  else if (!engine_->block.empty() &&
           (block_first_ == 0 || static_cast<int>(engine_->block.size()) > options_.overlap))
    match_block(next_ - 1, events);
}

Event EventFinder::make_event(const Found& found, double other,
                              std::vector<MatchedNode> path) const {
  Event event;
  event.prototype = found.prototype;
  event.label = label_of(found);
  event.name = model_.classes[static_cast<std::size_t>(event.label)];
  event.first_frame = found.first;
  event.last_frame = found.last;
  event.distance = found.distance;
  if (std::isfinite(other) && found.distance > 0)
    event.margin = (other - found.distance) / found.distance;
  const double limit = limit_of(found.prototype);
  const double reference =
      std::isfinite(limit)
          ? limit
          : static_cast<double>(
                model_.prototypes[static_cast<std::size_t>(found.prototype)].reject);
  if (reference > 0) event.score = std::max(0.0, 1 - found.distance / reference);
  event.dummies = static_cast<int>(
      std::ranges::count_if(path, [](const MatchedNode& node) { return node.point < 0; }));
  event.box = box_around(path);
  event.path = std::move(path);
  return event;
}

Rect<float> EventFinder::box_around(std::span<const MatchedNode> path) const {
  constexpr float kFar = kInfinity<float>;
  float left = kFar, top = kFar, right = -kFar, bottom = -kFar;
  for (const MatchedNode& node : path) {
    if (node.point < 0) continue;
    const auto frame = std::ranges::find(kept_, node.frame, &KeptPoints::frame);
    if (frame == kept_.end() || node.point >= static_cast<int>(frame->points.size())) continue;
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
