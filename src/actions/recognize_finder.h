// Events out of the points of a stream, frame by frame.
#pragma once
#include <fovea/actions/recognize.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fovea::actions {

// Of overlapping events the nearest counts. One waits at a time: a nearer one that overlaps takes
// its place, one that begins after it lets it go, and so does patience.
class EventPicker {
 public:
  explicit EventPicker(int patience) : patience_(patience) {}

  // Whether an event with these frames and distance would wait now.
  bool wants(std::int64_t first, std::int64_t last, double distance) const;
  // Takes it, where it is wanted; an older one that does not overlap is told.
  void offer(Event event, std::int64_t frame, std::vector<Event>& told);
  // Lets the waiting one go once `frame` is far enough.
  void advance(std::int64_t frame, std::vector<Event>& told);
  void finish(std::vector<Event>& told);

 private:
  void let_go(std::vector<Event>& told);

  int patience_;
  std::int64_t told_until_ = -1;  // last frame of what was told
  std::int64_t since_ = 0;        // frame in which the waiting one came
  std::optional<Event> waiting_;
};

// The points of one frame.
struct FramePoints {
  std::int64_t frame = 0;
  std::vector<SpaceTimePoint> points;
};

// Matches prototypes against frames and tells events. Latencies are filled in by who knows how far
// the video is.
class EventFinder {
 public:
  EventFinder(const Model& model, const RecognizeOptions& options, const Exec& exec);
  ~EventFinder();

  // Points of the next frame, the most confident first; frames are counted from 0, without a gap.
  void push(std::int64_t frame, std::span<const SpaceTimePoint> points,
            ImageView<const float> descriptors, std::vector<Event>& told);
  void finish(std::vector<Event>& told);
  std::span<const double> class_distances() const { return class_distances_; }
  // Frames whose points are kept; for tests of memory.
  std::size_t kept_frames() const { return kept_.size(); }
  void set_frame_size(int width, int height) {
    width_ = width;
    height_ = height;
  }

 private:
  struct Engine;
  // A match of a prototype.
  struct Found {
    int prototype = -1;
    double distance = 0;
    std::int64_t first = 0, last = 0;
  };
  void push_stream(std::int64_t frame, const Nodes& nodes, std::vector<Event>& told);
  void push_block(std::int64_t frame, const Nodes& nodes, std::vector<Event>& told);
  void match_block(std::int64_t last, std::vector<Event>& told);
  bool allowed(const Found& found) const;
  void note_distances(std::span<const double> nearest);
  std::int32_t label_of(const Found& found) const {
    return model_.prototypes[static_cast<std::size_t>(found.prototype)].label;
  }
  double best_other(const Found& found, std::span<const Found> all) const;
  Event make_event(const Found& found, double other, std::vector<MatchedNode> path) const;

  const Model& model_;
  RecognizeOptions options_;
  std::unique_ptr<Engine> engine_;
  EventPicker picker_;
  std::deque<FramePoints> kept_;
  std::size_t most_kept_ = 0;
  std::deque<std::vector<double>> recent_;  // distances of classes in the last frames
  std::vector<double> class_distances_;     // the least of them
  int width_ = 0, height_ = 0;
  std::int64_t block_first_ = 0;
  std::int64_t told_until_ = -1;  // of blocks
  std::int64_t next_ = 0;
};

}  // namespace fovea::actions
