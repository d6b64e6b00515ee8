// Finds events in the points of a stream, frame by frame.
#pragma once
#include <fovea/actions/recognize.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "actions/points/points_blocks.h"
#include "actions/recognize/device_places.h"
#include "actions/recognize/event_blocks.h"
#include "actions/recognize/event_rules.h"
#include "actions/recognize/event_search.h"
#include "actions/recognize/places.h"

namespace fovea::actions {

// Matches prototypes with frames and finds events. The caller sets their latency and times, because
// it knows the position in the video. The model must outlive this object.
//
// A stream has one search of events per place. While points lie at one place only, a single
// search takes the points of the whole frame, as if there were no places.
class EventFinder {
 public:
  EventFinder(const Model& model, const RecognizeOptions& options);
  // Points are on a GPU: prepare() takes them.
  EventFinder(const Model& model, const RecognizeOptions& options,
              std::shared_ptr<const DevicePrototypes> prototypes);
  ~EventFinder();

  // Takes the points of the next frame, the most confident first; frames are counted from 0 without
  // gaps.
  void push(std::int64_t frame, std::span<const SpaceTimePoint> points,
            ImageView<const float> descriptors, std::vector<Event>& events);
  // Takes the next frames, whose points are on a GPU, and matches them there where it is certain
  // already which searches they belong to. push_prepared() then takes one after the other; all of
  // them before the next call.
  void prepare(std::vector<FramePoints> frames, const PointBlocks::Describe& describe);
  void push_prepared(std::vector<Event>& events);
  std::size_t prepared() const { return ahead_.size(); }
  // Null where points are in host memory.
  const DevicePlaces* device() const { return device_ ? &*device_ : nullptr; }
  // Bytes that searches have copied to a GPU where points are there already, for tests.
  std::int64_t copied_bytes() const;
  void finish(std::vector<Event>& events);
  // The least over all places; valid until the next call.
  std::span<const double> class_distances() const;
  // Returns the number of frames whose points are kept, for tests of memory.
  std::size_t kept_frames() const;
  // Returns the number of places that are matched apart from each other.
  std::size_t searches() const { return searches_.size(); }
  void set_frame_size(Extent size) { rules_.set_frame_size(size); }
  // Returns the number of frames, from the first, that no later event will include.
  std::int64_t settled_frames() const;

 private:
  // A place that counts.
  struct Confirmed {
    std::int32_t id = 0;
    std::int64_t born = 0;
  };
  // The points of a frame and their places, for places that are confirmed later.
  struct Divided {
    FramePoints points;
    std::vector<std::int64_t> rows{};    // of points on a GPU
    std::vector<std::int32_t> places{};  // of each point
    std::vector<Confirmed> confirmed{};  // places after this frame
    PlacePoints all() const { return {points.points, points.descriptors.view(), rows}; }
  };
  // What was reported, for other places.
  struct Reported {
    std::int32_t place = 0;
    std::int64_t first = 0, last = 0;
    Rect<float> box;
  };
  void divide(Divided& frame);
  std::vector<int> wanted_points(const Divided& frame, int first) const;
  void push(Divided frame, std::vector<Event>& events);
  void update_searches(const Divided& now, std::vector<Event>& events);
  void add_search(const Confirmed& place, std::int64_t frame);
  void push_points(EventSearch& search, const Divided& divided);
  void offer(EventSearch& search, std::optional<Event> event, std::int64_t frame);
  void report(EventSearch& search, std::int64_t frame, bool all, std::vector<Event>& events);

  EventRules rules_;
  std::optional<DevicePlaces> device_;  // outlives the searches
  std::optional<EventBlocks> blocks_;
  std::optional<Classifier> classifier_;
  std::vector<std::unique_ptr<EventSearch>> searches_;
  std::optional<PlaceTracker> tracker_;
  std::deque<Divided> divided_;  // the last PlaceTracker::kRecent frames
  std::deque<Divided> ahead_;    // prepared frames
  std::deque<Reported> reported_;
  std::int32_t next_search_ = 0;
  mutable std::vector<double> class_distances_;
  std::int64_t next_ = 0;
};

}  // namespace fovea::actions
