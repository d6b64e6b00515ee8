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
  if (options.mode == StreamMode::kBlocks && options.explain)
    throw InvalidArgument(
        "recognize: events of blocks are not explained; leave explain out, or use the mode stream");
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
    searches_.push_back(std::make_unique<EventSearch>(
        rules_, make_host_matcher(rules_, StreamMatcher(chains, match)), next_search_++));
}

EventFinder::EventFinder(const Model& model, const RecognizeOptions& options,
                         std::shared_ptr<const DevicePrototypes> prototypes)
    : rules_(model, options, checked_chains(model, options)),
      class_distances_(model.classes.size(), kInfinity<double>) {
  device_.emplace(
      prototypes ? std::move(prototypes)
                 : std::make_shared<const DevicePrototypes>(rules_, model.chains(), options.exec));
  searches_.push_back(
      std::make_unique<EventSearch>(rules_, device_->first_matcher(), next_search_++));
}

EventFinder::~EventFinder() = default;

void EventFinder::push(std::int64_t frame, std::span<const SpaceTimePoint> points,
                       ImageView<const float> descriptors, std::vector<Event>& events) {
  if (frame != next_)
    throw InvalidArgument(fmt::format("recognize: frame {} after {}", frame, next_ - 1));
  if (blocks_) {
    ++next_;
    return blocks_->push(frame, points, descriptors, events);
  }
  Divided one{.points = {.frame = frame, .points = {points.begin(), points.end()}}};
  if (!points.empty()) one.points.descriptors = clone(descriptors);
  divide(one);
  push(std::move(one), events);
}

void EventFinder::push(Divided one, std::vector<Event>& events) {
  const std::int64_t frame = one.points.frame;
  ++next_;
  divided_.push_back(std::move(one));
  const Divided& now = divided_.back();
  // Without places, no later search wants earlier frames.
  const auto recent = rules_.options().places > 1 ? PlaceTracker::kRecent : 1;
  while (std::ssize(divided_) > recent) divided_.pop_front();
  if (rules_.options().places > 1) update_searches(now, events);
  const std::size_t before = events.size();
  if (searches_.size() == 1) {
    offer(*searches_[0], searches_[0]->push(frame, now.all()), frame);
  } else {
    for (const auto& search : searches_) push_points(*search, now);
  }
  for (const auto& search : searches_) report(*search, frame, false, events);
  std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(before), events.end(),
                   [](const Event& a, const Event& b) { return a.last_frame < b.last_frame; });
}

// Which points a search may take: the most confident ones of the frame, and those of each place.
std::vector<int> EventFinder::wanted_points(const Divided& frame, int first) const {
  const int most = rules_.model().scene_points;
  const auto count = static_cast<int>(frame.points.points.size());
  std::vector<int> wanted;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool takes =
        most == 0 || i < most ||
        (!frame.places.empty() && frame.places[at] >= 0 &&
         std::count(frame.places.begin(), frame.places.begin() + i, frame.places[at]) < most);
    if (takes) wanted.push_back(first + i);
  }
  return wanted;
}

void EventFinder::prepare(std::vector<FramePoints> frames, const PointBlocks::Describe& describe) {
  const std::size_t before = ahead_.size();
  std::vector<int> wanted;
  int first = 0;
  for (FramePoints& frame : frames) {
    Divided one{.points = std::move(frame)};
    divide(one);
    const auto count = static_cast<int>(one.points.points.size());
    one.rows.assign(static_cast<std::size_t>(count), -1);
    for (const int point : wanted_points(one, first)) {
      one.rows[static_cast<std::size_t>(point - first)] = std::ssize(wanted);
      wanted.push_back(point);
    }
    first += count;
    ahead_.push_back(std::move(one));
  }
  const std::int64_t first_row = device_->rows();
  std::int64_t oldest = first_row;
  for (const Divided& one : divided_)
    for (const std::int64_t row : one.rows)
      if (row >= 0) oldest = std::min(oldest, row);
  for (std::size_t i = 0; i < before; ++i)
    for (const std::int64_t row : ahead_[i].rows)
      if (row >= 0) oldest = std::min(oldest, row);
  device_->forget_before(oldest);
  if (!wanted.empty()) device_->add(describe(wanted), static_cast<int>(wanted.size()));
  bool one_search = searches_.size() == 1 && before == 0;
  std::vector<PlaceFrame> next;
  next.reserve(ahead_.size() - before);
  for (std::size_t i = before; i < ahead_.size(); ++i) {
    Divided& one = ahead_[i];
    for (std::int64_t& row : one.rows)
      if (row >= 0) row += first_row;
    one_search = one_search && one.confirmed.size() <= 1;
    next.push_back({one.points.frame, one.all()});
  }
  // With one place at most, the only search takes all of these frames.
  if (one_search) searches_[0]->prepare(next);
}

void EventFinder::push_prepared(std::vector<Event>& events) {
  Divided one = std::move(ahead_.front());
  ahead_.pop_front();
  push(std::move(one), events);
}

void EventFinder::divide(Divided& frame) {
  if (rules_.options().places == 1) return;
  if (!tracker_) {
    PlaceReach reach = learn_reach(rules_.model(), rules_.frame_size());
    const auto factor = static_cast<float>(rules_.options().reach);
    tracker_.emplace(PlaceReach{reach.x * factor, reach.y * factor}, rules_.options().places);
  }
  const std::span<const std::int32_t> places =
      tracker_->push(frame.points.frame, frame.points.points);
  frame.places.assign(places.begin(), places.end());
  for (const PlaceTracker::Place& place : tracker_->places())
    if (place.confirmed) frame.confirmed.push_back({place.id, place.born});
}

// One search per confirmed place, and one where there is none.
void EventFinder::update_searches(const Divided& now, std::vector<Event>& events) {
  const std::int64_t frame = now.points.frame;
  const auto counts = [&](std::int32_t id) {
    return std::ranges::any_of(now.confirmed, [&](const auto& place) { return place.id == id; });
  };
  for (const auto& search : searches_)
    if (search->place >= 0 && !counts(search->place)) search->place = -1;
  for (const Confirmed& place : now.confirmed) {
    if (std::ranges::any_of(searches_,
                            [&](const auto& search) { return search->place == place.id; }))
      continue;
    const auto idle =
        std::ranges::find(searches_, -1, [](const auto& search) { return search->place; });
    // A search whose place has gone ends below; the only search, which has seen everything, goes
    // on.
    if (searches_.size() == 1 && idle != searches_.end()) (*idle)->place = place.id;
    else add_search(place, frame);
  }
  for (std::size_t i = 0; i < searches_.size() && searches_.size() > 1;) {
    if (searches_[i]->place >= 0) {
      ++i;
      continue;
    }
    report(*searches_[i], frame, true, events);
    searches_.erase(searches_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// The frames in which the place was not confirmed yet are matched too, all but the newest.
void EventFinder::add_search(const Confirmed& place, std::int64_t frame) {
  const std::int64_t first = std::max(place.born, divided_.front().points.frame);
  searches_.push_back(std::make_unique<EventSearch>(rules_, searches_[0]->another_matcher(),
                                                    next_search_++, first));
  searches_.back()->place = place.id;
  for (const Divided& divided : divided_)
    if (divided.points.frame >= first && divided.points.frame < frame)
      push_points(*searches_.back(), divided);
}

void EventFinder::push_points(EventSearch& search, const Divided& divided) {
  const FramePoints& all = divided.points;
  std::vector<SpaceTimePoint> points;
  std::vector<std::int64_t> rows;
  std::vector<int> which;
  for (std::size_t i = 0; i < all.points.size(); ++i)
    if (divided.places[i] == search.place) {
      points.push_back(all.points[i]);
      if (device_) rows.push_back(divided.rows[i]);
      which.push_back(static_cast<int>(i));
    }
  Image<float> descriptors;
  if (!device_) {
    descriptors = Image<float>(kDescriptorSize, static_cast<int>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i)
      std::copy_n(all.descriptors.row(which[i]), kDescriptorSize,
                  descriptors.row(static_cast<int>(i)));
  }
  offer(search, search.push(all.frame, {points, descriptors.view(), rows}), all.frame);
}

// Among events that overlap in time and place, the nearest is reported, whichever search it is of.
void EventFinder::offer(EventSearch& search, std::optional<Event> event, std::int64_t frame) {
  if (!event) return;
  const auto overlaps = [&](std::int64_t first, std::int64_t last, const Rect<float>& box) {
    return event->first_frame <= last && event->last_frame >= first && same_place(event->box, box);
  };
  for (const Reported& other : reported_)
    if (other.place != search.number() && overlaps(other.first, other.last, other.box)) return;
  for (const bool drops : {false, true})
    for (const auto& other : searches_) {
      const std::optional<Event>& waiting = other->picker().waiting();
      if (other.get() == &search || !waiting ||
          !overlaps(waiting->first_frame, waiting->last_frame, waiting->box))
        continue;
      if (drops) other->picker().drop();
      else if (waiting->distance <= event->distance) return;
    }
  search.offer(std::move(*event), frame);
}

void EventFinder::report(EventSearch& search, std::int64_t frame, bool all,
                         std::vector<Event>& events) {
  const std::size_t before = events.size();
  search.report(frame, all, classifier_ ? &*classifier_ : nullptr, events);
  if (rules_.options().places == 1) return;
  for (std::size_t i = before; i < events.size(); ++i)
    reported_.push_back(
        {events[i].place, events[i].first_frame, events[i].last_frame, events[i].box});
  std::erase_if(reported_,
                [&](const Reported& one) { return one.last < frame - rules_.longest(); });
}

void EventFinder::finish(std::vector<Event>& events) {
  if (blocks_) return blocks_->finish(events);
  for (const auto& search : searches_) report(*search, next_ - 1, true, events);
}

std::span<const double> EventFinder::class_distances() const {
  if (blocks_) return blocks_->class_distances();
  std::ranges::fill(class_distances_, kInfinity<double>);
  for (const auto& search : searches_)
    for (std::size_t c = 0; c < class_distances_.size(); ++c)
      class_distances_[c] = std::min(class_distances_[c], search->class_distances()[c]);
  return class_distances_;
}

std::size_t EventFinder::kept_frames() const {
  if (blocks_) return blocks_->kept_frames();
  std::size_t frames = reported_.size();
  if (rules_.options().places > 1) frames += divided_.size();
  for (const auto& search : searches_) frames += search->kept_frames();
  return frames;
}

std::int64_t EventFinder::copied_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& search : searches_) bytes += search->copied_bytes();
  return bytes;
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
  for (const auto& search : searches_)
    settled = std::min(settled, search->picker().settled_until(earliest));
  return settled;
}

}  // namespace fovea::actions
