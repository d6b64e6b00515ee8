#include "actions/recognize/places.h"

#include <algorithm>
#include <cmath>

namespace fovea::actions {
namespace {

constexpr float kFollow = 0.3F;      // share by which a center moves to the points of a frame
constexpr float kNear = 0.6F;        // places whose centers are nearer than this reach are one
constexpr std::size_t kWaiting = 8;  // places that are not confirmed yet
constexpr std::size_t kApart = 5;    // nodes whose distance is learned: parts of a body move fast
constexpr double kShare = 0.99;      // of such nodes lie within the reach
constexpr float kLeastReach = 4;     // pixels

float quantile(std::vector<float>& values) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(kShare * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

PlaceReach learn_reach(const Model& model, Extent frame) {
  std::vector<float> across, down;
  int height = 0;
  for (const PointSet& clip : model.clips) {
    height = std::max(height, clip.size.height);
    for (std::size_t i = kApart; i < clip.points.size(); ++i) {
      const SpaceTimePoint &later = clip.points[i], &earlier = clip.points[i - kApart];
      across.push_back(std::abs(later.x - earlier.x));
      down.push_back(std::abs(later.y - earlier.y));
    }
  }
  const float scale = height > 0 && frame.height > 0
                          ? static_cast<float>(frame.height) / static_cast<float>(height)
                          : 1.0F;
  return {std::max(kLeastReach, scale * quantile(across)),
          std::max(kLeastReach, scale * quantile(down))};
}

float PlaceTracker::distance(const Place& place, float x, float y) const {
  return std::max(std::abs(place.x - x) / reach_.x, std::abs(place.y - y) / reach_.y);
}

// Returns the index of the nearest place in reach, or of a new one.
std::size_t PlaceTracker::place_of(const SpaceTimePoint& point, std::int64_t frame) {
  std::size_t best = places_.size();
  float least = 1;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (const float there = distance(places_[i], point.x, point.y);
        there < least || (there == least && best == places_.size())) {
      least = there;
      best = i;
    }
  if (best < places_.size()) return best;
  if (places_.size() - static_cast<std::size_t>(confirmed()) >= kWaiting) {
    // The one that has had no points for the longest time makes room.
    auto oldest = places_.end();
    for (auto place = places_.begin(); place != places_.end(); ++place)
      if (!place->confirmed && (oldest == places_.end() || place->last < oldest->last))
        oldest = place;
    if (oldest->last == frame) return places_.size();  // all of them have points in this frame
    places_.erase(oldest);
  }
  places_.push_back({.id = next_id_++, .x = point.x, .y = point.y, .born = frame, .last = frame});
  return places_.size() - 1;
}

std::span<const std::int32_t> PlaceTracker::push(std::int64_t frame,
                                                 std::span<const SpaceTimePoint> points) {
  forget(frame);
  ids_.clear();
  ids_.reserve(points.size());
  for (const SpaceTimePoint& point : points) {
    const std::size_t place = place_of(point, frame);
    ids_.push_back(place < places_.size() ? places_[place].id : -1);
    if (place < places_.size()) places_[place].last = frame;
  }
  for (Place& place : places_) {
    float x = 0, y = 0;
    int count = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (ids_[i] == place.id) {
        x += points[i].x;
        y += points[i].y;
        ++count;
      }
    if (count == 0) continue;
    place.x += kFollow * (x / static_cast<float>(count) - place.x);
    place.y += kFollow * (y / static_cast<float>(count) - place.y);
    place.seen.push_back(frame);
  }
  join_near();
  for (Place& place : places_)
    if (!place.confirmed && confirmed() < most_ && place.seen.size() >= kConfirming)
      place.confirmed = true;
  return ids_;
}

void PlaceTracker::forget(std::int64_t frame) {
  for (Place& place : places_)
    while (!place.seen.empty() && place.seen.front() <= frame - kRecent) place.seen.pop_front();
  std::erase_if(places_, [&](const Place& place) {
    return frame - place.last > (place.confirmed ? kForgotten : kRecent);
  });
}

// The older of two places that have come together goes on. A place that counts goes before one that
// does not.
void PlaceTracker::join_near() {
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (std::size_t j = i + 1; j < places_.size();) {
      if (distance(places_[i], places_[j].x, places_[j].y) >= kNear) {
        ++j;
        continue;
      }
      const bool later = places_[j].confirmed && !places_[i].confirmed;
      const std::int32_t from = places_[later ? i : j].id, to = places_[later ? j : i].id;
      for (std::int32_t& id : ids_)
        if (id == from) id = to;
      if (later) places_[i] = places_[j];
      places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

int PlaceTracker::confirmed() const {
  return static_cast<int>(std::ranges::count_if(places_, &Place::confirmed));
}

}  // namespace fovea::actions
