#include "actions/recognize/event_finder.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>

#include "actions/infinity.h"

namespace fovea::actions {
namespace {

constexpr float kSamePlace = 0.5F;  // share of the smaller box that both have in common

bool same_place(const Rect<float>& a, const Rect<float>& b) {
  const Rect<float> common = intersect(a, b);
  const float least = std::min(a.width * a.height, b.width * b.height);
  return common.width > 0 && common.height > 0 && common.width * common.height > kSamePlace * least;
}

std::vector<Chain> checked_chains(const Model& model, const RecognizeOptions& options) {
  check_options(options);
  if (model.prototypes.empty()) throw InvalidArgument("recognize: the model has no prototypes");
  if (model.cut.points > 1)
    throw InvalidArgument(fmt::format(
        "recognize: the model has {} points per frame, but streams are matched with one; train it "
        "with the variant single, or classify whole clips",
        model.cut.points));
  if (options.overlap >= options.block)
    throw InvalidArgument(fmt::format("recognize: blocks of {} frames cannot overlap by {}",
                                      options.block, options.overlap));
  if (options.mode == StreamMode::kBlocks && options.classify)
    throw InvalidArgument(
        "recognize: blocks are matched as the paper does, and their events are not classified as "
        "clips; leave classify out, or use the mode stream");
  return model.chains();
}

}  // namespace

EventFinder::EventFinder(const Model& model, const RecognizeOptions& options)
    : rules_(model, options, checked_chains(model, options)),
      class_distances_(model.classes.size(), kInfinity<double>) {
  const std::vector<Chain> chains = model.chains();
  MatchOptions match = model.match;
  match.exec = options.exec;
  if (options.classify) {
    ClassifyOptions classify{.reject = 0};  // the rules of events decide what is reported
    classify.exec = options.exec;
    classify.exec.progress = {};
    // The caller keeps the model alive.
    classifier_.emplace(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &model),
                        classify);
  }
  if (options.mode == StreamMode::kBlocks) blocks_.emplace(rules_, chains, match);
  else
    lanes_.push_back(
        std::make_unique<EventLane>(rules_, StreamMatcher(chains, match), next_lane_++));
}

EventFinder::~EventFinder() = default;

void EventFinder::push(std::int64_t frame, std::span<const SpaceTimePoint> points,
                       ImageView<const float> descriptors, std::vector<Event>& events) {
  if (frame != next_)
    throw InvalidArgument(fmt::format("recognize: frame {} after {}", frame, next_ - 1));
  ++next_;
  if (blocks_) return blocks_->push(frame, points, descriptors, events);
  if (rules_.options().places > 1) {
    divide(frame, points, descriptors);
    update_lanes(frame, events);
  }
  const std::size_t before = events.size();
  if (lanes_.size() == 1) {
    offer(*lanes_[0], lanes_[0]->push(frame, points, descriptors), frame);
  } else {
    for (const auto& lane : lanes_) push_lane(*lane, divided_.back());
  }
  for (const auto& lane : lanes_) report(*lane, frame, false, events);
  std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(before), events.end(),
                   [](const Event& a, const Event& b) { return a.last_frame < b.last_frame; });
}

void EventFinder::divide(std::int64_t frame, std::span<const SpaceTimePoint> points,
                         ImageView<const float> descriptors) {
  if (!tracker_) {
    PlaceReach reach = learn_reach(rules_.model(), rules_.frame_size());
    const auto factor = static_cast<float>(rules_.options().reach);
    tracker_.emplace(PlaceReach{reach.x * factor, reach.y * factor}, rules_.options().places);
  }
  const std::span<const std::int32_t> places = tracker_->push(frame, points);
  Divided divided{.points = {.frame = frame, .points = {points.begin(), points.end()}},
                  .places = {places.begin(), places.end()}};
  if (!points.empty()) divided.points.descriptors = clone(descriptors);
  divided_.push_back(std::move(divided));
  if (std::ssize(divided_) > PlaceTracker::kRecent) divided_.pop_front();
}

// One lane per confirmed place, and one where there is none.
void EventFinder::update_lanes(std::int64_t frame, std::vector<Event>& events) {
  const std::span<const PlaceTracker::Place> places = tracker_->places();
  const auto counts = [&](std::int32_t id) {
    return std::ranges::any_of(
        places, [&](const auto& place) { return place.confirmed && place.id == id; });
  };
  for (const auto& lane : lanes_)
    if (lane->place >= 0 && !counts(lane->place)) lane->place = -1;
  for (const PlaceTracker::Place& place : places) {
    if (!place.confirmed ||
        std::ranges::any_of(lanes_, [&](const auto& lane) { return lane->place == place.id; }))
      continue;
    const auto idle = std::ranges::find(lanes_, -1, [](const auto& lane) { return lane->place; });
    // A lane whose place has gone ends below; the only lane, which has seen everything, goes on.
    if (lanes_.size() == 1 && idle != lanes_.end()) (*idle)->place = place.id;
    else add_lane(place, frame);
  }
  for (std::size_t i = 0; i < lanes_.size() && lanes_.size() > 1;) {
    if (lanes_[i]->place >= 0) {
      ++i;
      continue;
    }
    report(*lanes_[i], frame, true, events);
    lanes_.erase(lanes_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// The frames in which the place was not confirmed yet are matched too, all but the newest.
void EventFinder::add_lane(const PlaceTracker::Place& place, std::int64_t frame) {
  const std::int64_t first = std::max(place.born, divided_.front().points.frame);
  lanes_.push_back(
      std::make_unique<EventLane>(rules_, lanes_[0]->another_matcher(), next_lane_++, first));
  lanes_.back()->place = place.id;
  for (const Divided& divided : divided_)
    if (divided.points.frame >= first && divided.points.frame < frame)
      push_lane(*lanes_.back(), divided);
}

void EventFinder::push_lane(EventLane& lane, const Divided& divided) {
  const FramePoints& all = divided.points;
  std::vector<SpaceTimePoint> points;
  std::vector<int> rows;
  for (std::size_t i = 0; i < all.points.size(); ++i)
    if (divided.places[i] == lane.place) {
      points.push_back(all.points[i]);
      rows.push_back(static_cast<int>(i));
    }
  Image<float> descriptors(kDescriptorSize, static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(all.descriptors.row(rows[i]), kDescriptorSize,
                descriptors.row(static_cast<int>(i)));
  offer(lane, lane.push(all.frame, points, descriptors.view()), all.frame);
}

// Among events that overlap in time and place, the nearest is reported, whichever lane it is of.
void EventFinder::offer(EventLane& lane, std::optional<Event> event, std::int64_t frame) {
  if (!event) return;
  const auto overlaps = [&](std::int64_t first, std::int64_t last, const Rect<float>& box) {
    return event->first_frame <= last && event->last_frame >= first && same_place(event->box, box);
  };
  for (const Reported& other : reported_)
    if (other.place != lane.number() && overlaps(other.first, other.last, other.box)) return;
  for (const bool drops : {false, true})
    for (const auto& other : lanes_) {
      const std::optional<Event>& waiting = other->picker().waiting();
      if (other.get() == &lane || !waiting ||
          !overlaps(waiting->first_frame, waiting->last_frame, waiting->box))
        continue;
      if (drops) other->picker().drop();
      else if (waiting->distance <= event->distance) return;
    }
  lane.offer(std::move(*event), frame);
}

void EventFinder::report(EventLane& lane, std::int64_t frame, bool all,
                         std::vector<Event>& events) {
  const std::size_t before = events.size();
  lane.report(frame, all, classifier_ ? &*classifier_ : nullptr, events);
  if (rules_.options().places == 1) return;
  for (std::size_t i = before; i < events.size(); ++i)
    reported_.push_back(
        {events[i].place, events[i].first_frame, events[i].last_frame, events[i].box});
  std::erase_if(reported_,
                [&](const Reported& one) { return one.last < frame - rules_.longest(); });
}

void EventFinder::finish(std::vector<Event>& events) {
  if (blocks_) return blocks_->finish(events);
  for (const auto& lane : lanes_) report(*lane, next_ - 1, true, events);
}

std::span<const double> EventFinder::class_distances() const {
  if (blocks_) return blocks_->class_distances();
  std::ranges::fill(class_distances_, kInfinity<double>);
  for (const auto& lane : lanes_)
    for (std::size_t c = 0; c < class_distances_.size(); ++c)
      class_distances_[c] = std::min(class_distances_[c], lane->class_distances()[c]);
  return class_distances_;
}

std::size_t EventFinder::kept_frames() const {
  if (blocks_) return blocks_->kept_frames();
  std::size_t frames = divided_.size() + reported_.size();
  for (const auto& lane : lanes_) frames += lane->kept_frames();
  return frames;
}

// A place that is confirmed later has events from its first point on, which is kRecent frames back
// at most.
std::int64_t EventFinder::settled_frames() const {
  if (blocks_) return blocks_->settled_frames();
  const std::int64_t earliest = std::max<std::int64_t>(0, next_ - rules_.longest());
  std::int64_t settled = rules_.options().places == 1
                             ? next_
                             : std::max<std::int64_t>(0, next_ - PlaceTracker::kRecent);
  settled = std::max(settled, earliest);
  for (const auto& lane : lanes_)
    settled = std::min(settled, lane->picker().settled_until(earliest));
  return settled;
}

}  // namespace fovea::actions
