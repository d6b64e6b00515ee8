#pragma once
#include <fovea/actions/recognize.h>
#include <fovea/actions/train.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::actions {

// What moves between two clips: nothing, a textured patch that wanders, the picture as under a
// camera that shakes, or these two in turn. One clip's last frame meanwhile fades into the first
// frame of the next.
enum class GapMotion : unsigned char { kNone, kTexture, kShake, kMixed };
FOVEA_API std::span<const Choice> choices(GapMotion);

// How clips become one video.
struct JoinOptions {
  int people = 1;  // clips side by side, each in its own order
  int gap = 40;    // frames between clips
  GapMotion motion = GapMotion::kMixed;
  std::uint64_t max_pixels = io::VideoReadOptions{}.max_pixels;
  std::uint64_t seed = 1234;  // of the order of clips and of what moves between them
};
FOVEA_API void describe(OptionVisitor& visit, JoinOptions& options);

// An action that takes place in a video.
struct TrueEvent {
  std::int32_t label = 0;
  std::int64_t first_frame = 0;
  std::int64_t last_frame = 0;
  Rect<float> area{};      // the part of the picture that shows it
  std::int32_t clip = -1;  // by its place in JoinedClips::shown(); -1: not known
};

// A clip that a joined video shows, of a known action or not.
struct ShownClip {
  std::string path{};      // of its own video
  std::int32_t first = 0;  // frame of that video with which it begins
  std::int32_t label = -1;
  std::int64_t first_frame = 0;  // of the joined video, and so the next one
  std::int64_t last_frame = 0;
  Rect<float> area{};
};

// A video without end in sight: clips in random order, with unrelated motion between them. One clip
// per person is in memory at a time. Clips with a label below 0 show unrelated motion, too. All
// clips must have frames of one size. Throws InvalidArgument otherwise, and what reading throws.
class FOVEA_API JoinedClips {
 public:
  JoinedClips(std::span<const Clip> clips, const JoinOptions& options);
  ~JoinedClips();
  JoinedClips(JoinedClips&&) noexcept;
  JoinedClips& operator=(JoinedClips&&) noexcept;

  // Draws the next frame, gray, and returns whether there is one.
  bool next(Image<std::uint8_t>& frame);
  // The actions that have begun so far.
  std::span<const TrueEvent> truth() const;
  // The clips that have begun so far.
  std::span<const ShownClip> shown() const;
  // The number of frames that show a clip of the given labels, over all people.
  std::int64_t action_frames() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Makes one event out of consecutive ones of one class and place with at most `gap` frames between
// them. An action that goes on is several matches of prototypes.
FOVEA_API std::vector<Event> join_events(std::span<const Event> events, int gap);

// How many events are right. An event is right if its label is that of a true one, the center of
// its box lies in its area, and the frames that both have in common are at least `overlap` of those
// that either has. Each true event makes one event right, those with more in common first.
struct EventCounts {
  int truths = 0;
  int events = 0;
  int correct = 0;
  double delay_frames = 0;  // sum over correct events: from the end of the action to the report
  std::string name{};       // of the class; empty where all are counted

  double precision() const;  // NaN without any event
  double recall() const;     // NaN without any true event
  double f1() const;
  double mean_delay() const;  // 0 where none is correct
  EventCounts& operator+=(const EventCounts& other);
};
FOVEA_API void describe(FieldVisitor& visit, EventCounts& counts);
// An action that was not found, or an event that is not right, and the clip that shows it.
struct EventMistake {
  std::int32_t truth = -1;  // the action; -1: none of those that are known
  std::int32_t found = -1;  // the label of the event; -1: none. That of `truth` where the event has
                            // too few frames in common with it
  double score = 0;         // of the event
  bool between = false;     // the event lies between clips; this is the nearest one
  bool surplus = false;     // the event lies in a clip of `truth`, which another event is about
  std::string path{};       // the clip's own video
  std::int32_t frame = 0;   // of that video
  bool operator==(const EventMistake&) const = default;
};
FOVEA_API void describe(FieldVisitor& visit, EventMistake& mistake);
struct EventReport {
  double overlap = 0;
  EventCounts all;
  std::vector<EventCounts> classes;
  std::vector<EventMistake> mistakes{};  // of evaluate_stream(); actions that were not found come
                                         // first
  EventReport& operator+=(const EventReport& other);
};
FOVEA_API void describe(FieldVisitor& visit, EventReport& report);
FOVEA_API EventReport count_events(std::span<const TrueEvent> truth, std::span<const Event> events,
                                   int classes, double overlap);
// What is wrong, by the same rules. An event that belongs to no true one is looked for in `shown`.
FOVEA_API std::vector<EventMistake> event_mistakes(std::span<const TrueEvent> truth,
                                                   std::span<const Event> events, double overlap,
                                                   std::span<const ShownClip> shown);

struct StreamEvaluateOptions {
  JoinOptions joined{};
  int join = 20;                             // gap of events that count as one, in frames
  std::vector<double> overlaps{0.5, 0.2};    // of frames, for an event to be right
  std::vector<double> rejects{0.9, 1, 1.1};  // factors of the reject levels: one point of the
                                             // curve of precision and recall each
  RecognizeOptions recognize{};              // its reject and exec are not used
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, StreamEvaluateOptions& options);

// One point of the curve.
struct StreamPoint {
  double reject = 0;
  std::vector<EventReport> overlaps;  // one per overlap
  std::int64_t raw_events = 0;        // before they are joined
};
FOVEA_API void describe(FieldVisitor& visit, StreamPoint& point);
struct StreamReport {
  std::vector<StreamPoint> points;  // one per reject factor
  std::int64_t frames = 0;
  std::int64_t action_frames = 0;  // frames of clips; the others show unrelated motion
  double seconds = 0;              // time of points and matching
  // Adds another video of the same classes and options.
  StreamReport& operator+=(const StreamReport& other);
};
FOVEA_API void describe(FieldVisitor& visit, StreamReport& report);
// Recognizes actions in joined clips. Labels of clips are those of the model.
FOVEA_API StreamReport evaluate_stream(const std::shared_ptr<const Model>& model,
                                       std::span<const Clip> clips,
                                       const StreamEvaluateOptions& options = {});

// Which streams are measured.
struct ModelStreams {
  std::vector<std::string> unknown{};   // actions
  std::vector<std::string> subjects{};  // empty: all
};

// Leaves out each subject in turn: trains on the others and recognizes what it does. Clips of the
// classes `unknown` are not trained on; they are unrelated motion in the videos. Throws
// InvalidArgument for names that are no classes and where fewer than two classes are left.
FOVEA_API StreamReport evaluate_streams(const Corpus& corpus, std::span<const PointSet> points,
                                        std::span<const std::string> unknown,
                                        const TrainOptions& train,
                                        const StreamEvaluateOptions& options = {});
FOVEA_API StreamReport evaluate_streams(const Corpus& corpus, const PackedClips& points,
                                        std::span<const std::string> unknown,
                                        const TrainOptions& train,
                                        const StreamEvaluateOptions& options = {});
// The same for some of the subjects; the report of all is the sum of theirs. Throws InvalidArgument
// for names that are no subjects.
FOVEA_API StreamReport evaluate_subject_streams(const Corpus& corpus, const PackedClips& points,
                                                const ModelStreams& which,
                                                const TrainOptions& train,
                                                const StreamEvaluateOptions& options = {});
// Measures a given model on one video per subject, of all or of some. Clips of actions that the
// model does not know, or that are named as unknown, are unrelated motion. Throws InvalidArgument
// for names that are no subjects.
FOVEA_API StreamReport evaluate_model_streams(const std::shared_ptr<const Model>& model,
                                              const Corpus& corpus, const ModelStreams& which,
                                              const StreamEvaluateOptions& options = {});
// The classes of a corpus without the unknown ones.
FOVEA_API std::vector<std::string> known_classes(const Corpus& corpus,
                                                 std::span<const std::string> unknown);

}  // namespace fovea::actions
