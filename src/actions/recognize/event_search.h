// The events of one place of a stream.
#pragma once
#include <fovea/actions/classify.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "actions/recognize/event_picker.h"
#include "actions/recognize/event_rules.h"
#include "actions/recognize/place_matcher.h"

namespace fovea::actions {

// Matches prototypes with the points of one place. Its memory is bounded. The rules must outlive
// it.
class EventSearch {
 public:
  // `number` is the place of its events; none of them begins before `first_frame`.
  EventSearch(const EventRules& rules, std::unique_ptr<PlaceMatcher> matcher, std::int32_t number,
              std::int64_t first_frame = 0);

  // Takes points of a later frame, the most confident first, and returns the nearest match that
  // ends there, if it is an event that the picker wants.
  std::optional<Event> push(std::int64_t frame, const PlacePoints& points);
  // Frames that will be pushed next, with these very points.
  void prepare(std::span<const PlaceFrame> frames);
  void offer(Event event, std::int64_t frame);
  // Reports what has waited long enough, or with `all` whatever waits. Where there is a classifier,
  // events are classified as clips first.
  void report(std::int64_t frame, bool all, Classifier* classifier, std::vector<Event>& events);

  EventPicker& picker() { return picker_; }
  const EventPicker& picker() const { return picker_; }
  std::int32_t number() const { return number_; }
  std::int32_t place = -1;  // id of the tracked place; -1: none
  // One number per class: the least distance of its prototypes over the last frames.
  std::span<const double> class_distances() const { return class_distances_; }
  std::int64_t copied_bytes() const { return matcher_->copied_bytes(); }
  std::size_t kept_frames() const { return kept_.size() + clip_.size(); }
  // A matcher of the same prototypes, for another place.
  std::unique_ptr<PlaceMatcher> another_matcher() const { return matcher_->another(); }

 private:
  // The points that matching takes.
  PlacePoints matched(const PlacePoints& points) const;
  void note_distances(std::span<const double> nearest);
  void keep_clip(std::int64_t frame, const PlacePoints& all);
  bool classify(Event& event, Classifier& classifier) const;
  std::shared_ptr<const EventEvidence> evidence_of(const Event& event) const;

  const EventRules& rules_;
  std::unique_ptr<PlaceMatcher> matcher_;
  std::int32_t number_;
  EventPicker picker_;
  std::size_t most_kept_;
  std::deque<KeptPoints> kept_;
  std::deque<Nodes> kept_nodes_;            // of the same frames, where events are explained
  std::deque<FramePoints> clip_;            // with descriptors, where events are classified
  std::deque<std::vector<double>> recent_;  // distances of classes in the last frames
  std::vector<double> class_distances_;     // the least of them
  std::vector<Event> picked_;
};

}  // namespace fovea::actions
