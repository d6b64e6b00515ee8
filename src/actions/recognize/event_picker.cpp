#include "actions/recognize/event_picker.h"

#include <algorithm>

namespace fovea::actions {

bool EventPicker::wants(std::int64_t first, std::int64_t last, double distance) const {
  if (first <= reported_until_) return false;
  if (!waiting_) return true;
  const bool apart = first > waiting_->last_frame || last < waiting_->first_frame;
  return apart ? first > waiting_->last_frame : distance < waiting_->distance;
}

// The best match that begins after a frame is the last one of those that do. All of them end later
// than the waiting event begins.
const detail::DigestMatch* EventPicker::best_of(
    std::span<const detail::DigestMatch> matches) const {
  const auto best_after = [&](std::int64_t frame) -> const detail::DigestMatch* {
    const detail::DigestMatch* best = nullptr;
    for (const detail::DigestMatch& match : matches)
      if (match.first_frame > frame) best = &match;
    return best;
  };
  const detail::DigestMatch* const best = best_after(reported_until_);
  if (!waiting_ || best == nullptr || best->distance < waiting_->distance) return best;
  return best_after(std::max(reported_until_, waiting_->last_frame));
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

}  // namespace fovea::actions
