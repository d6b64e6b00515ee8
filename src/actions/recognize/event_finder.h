// Finds events in the points of a stream, frame by frame.
#pragma once
#include <fovea/actions/recognize.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fovea::actions {

// Chooses the nearest among overlapping events. One event waits at a time. A nearer one that
// overlaps it takes its place; it is reported when another begins after it, or when its patience is
// over.
class EventPicker {
 public:
  explicit EventPicker(int patience) : patience_(patience) {}

  // Whether an event with these frames and this distance would be taken.
  bool wants(std::int64_t first, std::int64_t last, double distance) const;
  // Takes the event if it is wanted; an older one that does not overlap is reported.
  void offer(Event event, std::int64_t frame, std::vector<Event>& events);
  // Reports the waiting event when `frame` is far enough behind it.
  void advance(std::int64_t frame, std::vector<Event>& events);
  void finish(std::vector<Event>& events);
  // Returns the first frame that a later event may contain, if none begins before `earliest`.
  std::int64_t settled_until(std::int64_t earliest) const;

 private:
  void report(std::vector<Event>& events);

  int patience_;
  std::int64_t reported_until_ = -1;  // last frame of the last event that was reported
  std::int64_t since_ = 0;            // frame in which the waiting event was taken
  std::optional<Event> waiting_;
};

// The points of one frame, without descriptors.
struct KeptPoints {
  std::int64_t frame = 0;
  std::vector<SpaceTimePoint> points;
};

// Matches prototypes with frames and finds events. The caller sets their latency and times, because
// it knows the position in the video. The model must outlive this object.
class EventFinder {
 public:
  EventFinder(const Model& model, const RecognizeOptions& options);
  ~EventFinder();

  // Takes the points of the next frame, the most confident first; frames are counted from 0 without
  // gaps.
  void push(std::int64_t frame, std::span<const SpaceTimePoint> points,
            ImageView<const float> descriptors, std::vector<Event>& events);
  void finish(std::vector<Event>& events);
  std::span<const double> class_distances() const { return class_distances_; }
  // Returns the number of frames whose points are kept, for tests of memory.
  std::size_t kept_frames() const { return kept_.size(); }
  void set_frame_size(Extent size) { size_ = size; }
  // Returns the number of frames, from the first, that no later event will include.
  std::int64_t settled_frames() const;

 private:
  struct Engine;
  // A match of a prototype.
  struct Found {
    int prototype = -1;
    double distance = 0;
    std::int64_t first = 0, last = 0;
  };
  void push_stream(std::int64_t frame, const Nodes& nodes, std::vector<Event>& events);
  void push_block(std::int64_t frame, const Nodes& nodes, std::vector<Event>& events);
  void match_block(std::int64_t last, std::vector<Event>& events);
  // Returns the greatest distance at which matches of a prototype are reported; infinite if there
  // is no limit.
  double limit_of(int prototype) const;
  bool allowed(const Found& found) const;
  void note_distances(std::span<const double> nearest);
  std::int32_t label_of(const Found& found) const {
    return model_.prototypes[static_cast<std::size_t>(found.prototype)].label;
  }
  double best_other(const Found& found, std::span<const Found> all) const;
  Event make_event(const Found& found, double other, std::vector<MatchedNode> path) const;
  Rect<float> box_around(std::span<const MatchedNode> path) const;

  const Model& model_;
  RecognizeOptions options_;
  std::unique_ptr<Engine> engine_;
  EventPicker picker_;
  std::deque<KeptPoints> kept_;
  std::size_t most_kept_ = 0;
  std::deque<std::vector<double>> recent_;  // distances of classes in the last frames
  std::vector<double> class_distances_;     // the least of them
  Extent size_;
  std::int64_t longest_ =
      0;  // greatest number of frames from the first to the last node of a match
  std::int64_t block_first_ = 0;
  std::int64_t reported_until_ = -1;  // for matching in blocks
  std::int64_t next_ = 0;
};

}  // namespace fovea::actions
