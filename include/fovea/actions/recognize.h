#pragma once
#include <fovea/actions/model.h>
#include <fovea/core/geometry.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::actions {

struct EventEvidence;  // fovea/actions/explain.h

// An action that was seen in a stream.
struct Event {
  std::int32_t label = 0;  // index of the action in Model::classes
  std::string name;        // its name
  // How far the distance lies below the greatest one that is reported: 1 for a match without any
  // difference, 0 for one at the limit. The limit is the prototype's reject level times
  // RecognizeOptions::reject, or the cost of dummies alone where that is less.
  double score = 0;
  Rect<float> box{};  // around the matched points and their extent, within the frame
  std::int64_t first_frame = 0;
  std::int64_t last_frame = 0;
  double start_seconds = 0;  // when the first frame begins
  double end_seconds = 0;    // when the last frame ends
  double distance = 0;       // energy or appearance of the match per node, as the model says
  double margin = 0;         // by which share of `distance` the best other class is farther away;
                             // of events that late fusion classified, see ClipClass::margin
  int prototype = 0;         // index in Model::prototypes
  int dummies = 0;           // nodes of the prototype that were not seen
  std::int32_t place = 0;    // number of the place: events of different places may overlap in time
  std::int64_t latency_frames = 0;  // frames from the last one until the event was reported
  std::vector<MatchedNode> path;    // points are numbered within their frame by confidence, from 0
  // What explain() of fovea/actions/explain.h needs; null unless RecognizeOptions::explain asks.
  std::shared_ptr<const EventEvidence> evidence{};
};
FOVEA_API void describe(FieldVisitor& visit, Event& event);

// stream matches an endless video exactly. blocks matches overlapping blocks one after the other,
// as the paper does.
enum class StreamMode : unsigned char { kStream, kBlocks };
FOVEA_API std::span<const Choice> choices(StreamMode);

struct RecognizeOptions {
  StreamMode mode = StreamMode::kStream;
  int block = 60;     // number of frames of a block
  int overlap = 30;   // frames that a block shares with the one before it
  double reject = 1;  // factor of the prototypes' reject levels: a greater one reports more. With 0
                      // every match that is better than dummies alone is reported
  int patience = 15;  // frames that an event waits for a better match before it is reported. Among
                      // overlapping events of one place only the nearest is reported
  // Greatest number of places, such as people side by side, whose points are matched apart from
  // each other; matching takes as many times as long while there are several. While points lie at
  // one place, or with 1, the points of the whole frame are matched together. For kStream only.
  int places = 4;
  double reach = 1;  // factor of the distance within which points belong to one place. The distance
                     // is that of near nodes of the model, scaled by the height of the frame
  // Classifies the frames of each event as a clip, by the score of the model, best prototypes,
  // symmetric distances and fusion included, before it is reported. For kStream only.
  bool classify = false;
  // Keeps with each event what explains it: Event::evidence. For kStream only. Points are then
  // matched from host memory, whatever the device.
  bool explain = false;
  std::optional<double> frame_rate{};  // frames per second, for the times of events; absent: 25
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, RecognizeOptions& options);

// Recognizes actions while they happen, in bounded memory. Each event is one match of one
// prototype. The mean over several prototypes, fusion and symmetric distances, which the score
// options of a model may contain, apply with RecognizeOptions::classify.
//
// On a GPU everything from a frame to its matches stays there in StreamMode::kStream: a frame is
// uploaded once (or not at all where it lies on the GPU already). What comes back are the places of
// its points and, for each group of points that is matched by itself, one distance per class, that
// of its best match, and the few matches that may become an event. Points are found in blocks of
// PointOptions::block frames, which adds to the latency. The events are those of the CPU, to the
// bit, apart from their latency.
//
// A recognizer serves one video, and different recognizers may be used by different threads at the
// same time. On a GPU each has streams of its own, and one small video leaves most of the GPU idle:
// for many cameras make one recognizer per camera by another() and push to them from several
// threads.
class FOVEA_API Recognizer {
 public:
  // The name of a shipped model, such as "actions/weizmann", or a file: see load_model().
  explicit Recognizer(std::string_view model, const RecognizeOptions& options = {});
  // A model that the recognizer shares and keeps alive.
  explicit Recognizer(std::shared_ptr<const Model> model, const RecognizeOptions& options = {});
  ~Recognizer();
  Recognizer(Recognizer&&) noexcept;
  Recognizer& operator=(Recognizer&&) noexcept;

  // A recognizer with the same model and options for a video of its own. Both share the memory of
  // the prototypes, on a GPU too.
  Recognizer another() const;

  // Takes the next frame, gray or RGB, in host memory or on the GPU that does the work, and returns
  // the events that have become certain. They are valid until the next call.
  std::span<const Event> push(ImageView<const std::uint8_t> frame);
  // Takes the points of the next frame instead of the frame itself: points of a file, or of a
  // PointStream. Frames are numbered from 0 and none is left out, with points or without. `size` is
  // that of the video, within which boxes lie; {} where it is not known. A recognizer takes either
  // frames or points. Throws InvalidArgument for another number, or points without descriptors.
  std::span<const Event> push(const FramePoints& points, Extent size = {});
  // Returns the remaining events after the last frame.
  std::span<const Event> finish();

  const Model& model() const;
  const RecognizeOptions& options() const;
  // The number of frames that pass until the points of a frame are known.
  int latency() const;
  // The number of frames, from the first, that no later event will include. A program that draws
  // events may show these frames now.
  std::int64_t settled_frames() const;
  // One distance per class, for timelines: in StreamMode::kStream the least one over the last
  // `patience` frames whose points are known, in StreamMode::kBlocks the least one in the last
  // block. It is infinite for a class without a match.
  std::span<const double> class_distances() const;

 private:
  struct Impl;
  explicit Recognizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::actions
