// Finds events in the points of a stream, frame by frame.
#pragma once
#include <fovea/actions/recognize.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "actions/recognize/event_blocks.h"
#include "actions/recognize/event_lane.h"
#include "actions/recognize/event_rules.h"
#include "actions/recognize/places.h"

namespace fovea::actions {

// Matches prototypes with frames and finds events. The caller sets their latency and times, because
// it knows the position in the video. The model must outlive this object.
//
// A stream has one lane of matching per place. While points lie at one place only, a single lane
// takes the points of the whole frame, as if there were no places.
class EventFinder {
 public:
  EventFinder(const Model& model, const RecognizeOptions& options);
  ~EventFinder();

  // Takes the points of the next frame, the most confident first; frames are counted from 0 without
  // gaps.
  void push(std::int64_t frame, std::span<const SpaceTimePoint> points,
            ImageView<const float> descriptors, std::vector<Event>& events);
  void finish(std::vector<Event>& events);
  // The least over all places; valid until the next call.
  std::span<const double> class_distances() const;
  // Returns the number of frames whose points are kept, for tests of memory.
  std::size_t kept_frames() const;
  // Returns the number of places that are matched apart from each other.
  std::size_t lanes() const { return lanes_.size(); }
  void set_frame_size(Extent size) { rules_.set_frame_size(size); }
  // Returns the number of frames, from the first, that no later event will include.
  std::int64_t settled_frames() const;

 private:
  // The points of a frame and their places, for places that are confirmed later.
  struct Divided {
    FramePoints points;
    std::vector<std::int32_t> places;
  };
  // What was reported, for other places.
  struct Reported {
    std::int32_t place = 0;
    std::int64_t first = 0, last = 0;
    Rect<float> box;
  };
  void divide(std::int64_t frame, std::span<const SpaceTimePoint> points,
              ImageView<const float> descriptors);
  void update_lanes(std::int64_t frame, std::vector<Event>& events);
  void add_lane(const PlaceTracker::Place& place, std::int64_t frame);
  void push_lane(EventLane& lane, const Divided& divided);
  void offer(EventLane& lane, std::optional<Event> event, std::int64_t frame);
  void report(EventLane& lane, std::int64_t frame, bool all, std::vector<Event>& events);

  EventRules rules_;
  std::optional<EventBlocks> blocks_;
  std::optional<Classifier> classifier_;
  std::vector<std::unique_ptr<EventLane>> lanes_;
  std::optional<PlaceTracker> tracker_;
  std::deque<Divided> divided_;  // the last PlaceTracker::kRecent frames
  std::deque<Reported> reported_;
  std::int32_t next_lane_ = 0;
  mutable std::vector<double> class_distances_;
  std::int64_t next_ = 0;
};

}  // namespace fovea::actions
