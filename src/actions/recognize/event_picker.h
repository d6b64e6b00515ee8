// Chooses among the events of one place.
#pragma once
#include <fovea/actions/recognize.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "actions/stream/stream_engine.h"

namespace fovea::actions {

// Chooses the nearest among overlapping events. One event waits at a time. A nearer one that
// overlaps it takes its place; it is reported when another begins after it, or when its patience is
// over.
class EventPicker {
 public:
  // Events that begin before the frame `from` are not wanted.
  explicit EventPicker(int patience, std::int64_t from = 0)
      : patience_(patience), reported_until_(from - 1) {}

  // Whether an event with these frames and this distance would be taken.
  bool wants(std::int64_t first, std::int64_t last, double distance) const;
  // The best of the matches that would be taken; null where there is none.
  const detail::DigestMatch* best_of(std::span<const detail::DigestMatch> matches) const;
  // Takes the event if it is wanted; an older one that does not overlap is reported.
  void offer(Event event, std::int64_t frame, std::vector<Event>& events);
  // Reports the waiting event when `frame` is far enough behind it.
  void advance(std::int64_t frame, std::vector<Event>& events);
  void finish(std::vector<Event>& events);
  // Returns the first frame that a later event may contain, if none begins before `earliest`.
  std::int64_t settled_until(std::int64_t earliest) const;

  const std::optional<Event>& waiting() const { return waiting_; }
  // Gives up the waiting event, because a nearer one was seen at the same place.
  void drop() { waiting_.reset(); }

 private:
  void report(std::vector<Event>& events);

  int patience_;
  std::int64_t reported_until_;  // last frame of the last event that was reported
  std::int64_t since_ = 0;       // frame in which the waiting event was taken
  std::optional<Event> waiting_;
};

}  // namespace fovea::actions
