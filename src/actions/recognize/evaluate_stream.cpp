// Measures recognition in continuous video: joined clips of people who were not trained on.
#include <fovea/actions/evaluate_stream.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>

#include "actions/recognize/event_finder.h"
#include "actions/train/clip_source.h"
#include "core/timing/seconds.h"

namespace fovea::actions {
namespace {

// One finder of events per reject factor, over the same points.
class Contestants {
 public:
  Contestants(const Model& model, const StreamEvaluateOptions& options) {
    for (const double reject : options.rejects) {
      RecognizeOptions own = options.recognize;
      own.reject = reject;
      own.exec = options.exec;
      own.exec.progress = {};
      finders_.push_back(std::make_unique<EventFinder>(model, own));
    }
    events_.resize(finders_.size());
  }

  void push(std::span<const FramePoints> ready, Extent size, std::int64_t pushed) {
    for (std::size_t i = 0; i < finders_.size(); ++i) {
      finders_[i]->set_frame_size(size);
      const std::size_t before = events_[i].size();
      for (const FramePoints& frame : ready)
        finders_[i]->push(frame.frame, frame.points, frame.descriptors.view(), events_[i]);
      set_latency(i, before, pushed);
    }
  }
  void finish(std::int64_t pushed) {
    for (std::size_t i = 0; i < finders_.size(); ++i) {
      const std::size_t before = events_[i].size();
      finders_[i]->finish(events_[i]);
      set_latency(i, before, pushed);
    }
  }
  const std::vector<Event>& events(std::size_t i) const { return events_[i]; }

 private:
  void set_latency(std::size_t i, std::size_t before, std::int64_t pushed) {
    for (std::size_t e = before; e < events_[i].size(); ++e) {
      events_[i][e].latency_frames = pushed - 1 - events_[i][e].last_frame;
      events_[i][e].path = {};  // not needed any more
    }
  }

  std::vector<std::unique_ptr<EventFinder>> finders_;
  std::vector<std::vector<Event>> events_;
};

}  // namespace

void describe(OptionVisitor& visit, StreamEvaluateOptions& options) {
  describe(visit, options.joined);
  visit("join", options.join,
        "events of one action and place that are at most this number of frames apart count as one",
        0, 1e6);
  visit("overlaps", options.overlaps,
        "shares of the frames that a right event has in common with the true one", 0, 1);
  visit("rejects", options.rejects,
        "factors of the reject levels, each a point of the curve of precision and recall", 0, 100);
  RecognizeOptions& recognize = options.recognize;
  visit("patience", recognize.patience,
        "frames that an event waits for a better match before it is reported", 0, 1e6);
  visit("places", recognize.places,
        "greatest number of places that are matched apart from each other", 1, 64);
  visit("reach", recognize.reach,
        "factor of the distance, learned by the model, within which points belong to one place",
        0.01, 100);
  visit("classify", recognize.classify,
        "classify the frames of each event as a clip before it is reported");
}

StreamReport& StreamReport::operator+=(const StreamReport& other) {
  if (points.empty()) {
    points = other.points;
  } else {
    for (std::size_t i = 0; i < points.size() && i < other.points.size(); ++i) {
      points[i].raw_events += other.points[i].raw_events;
      for (std::size_t o = 0; o < points[i].overlaps.size(); ++o)
        points[i].overlaps[o] += other.points[i].overlaps[o];
    }
  }
  frames += other.frames;
  action_frames += other.action_frames;
  seconds += other.seconds;
  return *this;
}

StreamReport evaluate_stream(const std::shared_ptr<const Model>& model, std::span<const Clip> clips,
                             const StreamEvaluateOptions& options) {
  if (!model) throw InvalidArgument("evaluate_stream: the model is a null pointer");
  check_options(options);
  if (options.rejects.empty() || options.overlaps.empty())
    throw InvalidArgument("evaluate_stream: expected at least one reject factor and one overlap");
  const double start = fovea::detail::seconds_now();
  JoinedClips video(clips, options.joined);
  PointOptions points = model->points;
  points.descriptors = true;
  points.exec = options.exec;
  points.exec.progress = {};
  PointStream stream(points);
  Contestants contestants(*model, options);
  StreamReport report;
  Image<std::uint8_t> frame;
  Extent size;
  while (video.next(frame)) {
    throw_if_stopped(options.exec);
    size = {frame.width(), frame.height()};
    const std::span<const FramePoints> ready = stream.push(frame);
    contestants.push(ready, size, ++report.frames);
  }
  contestants.push(stream.finish(), size, report.frames);
  contestants.finish(report.frames);
  report.action_frames = video.action_frames();
  const auto classes = static_cast<int>(model->classes.size());
  for (std::size_t i = 0; i < options.rejects.size(); ++i) {
    StreamPoint point{.reject = options.rejects[i], .overlaps = {}};
    point.raw_events = std::ssize(contestants.events(i));
    const std::vector<Event> joined = join_events(contestants.events(i), options.join);
    for (const double overlap : options.overlaps) {
      point.overlaps.push_back(count_events(video.truth(), joined, classes, overlap));
      for (std::size_t c = 0; c < model->classes.size(); ++c)
        point.overlaps.back().classes[c].name = model->classes[c];
      point.overlaps.back().mistakes =
          event_mistakes(video.truth(), joined, overlap, video.shown());
    }
    report.points.push_back(std::move(point));
  }
  report.seconds = fovea::detail::seconds_now() - start;
  return report;
}

std::vector<std::string> known_classes(const Corpus& corpus, std::span<const std::string> unknown) {
  for (const std::string& name : unknown)
    if (std::ranges::find(corpus.classes, name) == corpus.classes.end())
      throw InvalidArgument(fmt::format("there is no action {}; expected some of {}", name,
                                        fmt::join(corpus.classes, ", ")));
  std::vector<std::string> known;
  for (const std::string& name : corpus.classes)
    if (std::ranges::find(unknown, name) == unknown.end()) known.push_back(name);
  if (known.size() < 2)
    throw InvalidArgument(
        fmt::format("{} of {} actions are unknown; expected two or more that are known",
                    unknown.size(), corpus.classes.size()));
  return known;
}

namespace {

// What subjects other than one show of the known actions.
struct KnownLessons {
  Corpus corpus;
  PackedClips points{};
  std::vector<Clip> tested{};  // the clips of that one
};
KnownLessons without_subject(std::span<const Clip> clips, const ClipSource& points,
                             const std::string& subject) {
  KnownLessons lessons;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (clips[i].subject == subject) {
      lessons.tested.push_back(clips[i]);
    } else if (clips[i].label >= 0) {
      PointSet room;
      lessons.corpus.clips.push_back(clips[i]);
      lessons.points.add(points.get(static_cast<int>(i), room));
    }
  }
  return lessons;
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void check_stream_subjects(const std::vector<std::string>& names,
                           const std::vector<std::string>& subjects) {
  for (const std::string& name : names)
    if (!is_among(subjects, name))
      throw InvalidArgument(fmt::format("there is no subject {}; expected some of {}", name,
                                        fmt::join(subjects, ", ")));
}

StreamReport streams_of(const Corpus& corpus, const ClipSource& points, const ModelStreams& which,
                        const TrainOptions& train_with, const StreamEvaluateOptions& options) {
  const std::vector<std::string> known = known_classes(corpus, which.unknown);
  if (points.size() != static_cast<int>(corpus.clips.size()))
    throw InvalidArgument(fmt::format("evaluate_streams: points of {} clips, expected {}",
                                      points.size(), corpus.clips.size()));
  std::vector<Clip> clips = corpus.clips;
  for (Clip& clip : clips) {
    const auto& name = corpus.classes[static_cast<std::size_t>(clip.label)];
    const auto at = std::ranges::find(known, name);
    clip.label = at == known.end() ? -1 : static_cast<std::int32_t>(at - known.begin());
  }
  const std::vector<std::string> subjects = corpus.subjects();
  if (subjects.size() < 2)
    throw InvalidArgument("the clips have one subject; expected two or more, to leave one out");
  check_stream_subjects(which.subjects, subjects);
  StreamReport report;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    if (!which.subjects.empty() && !is_among(which.subjects, subjects[s])) continue;
    if (options.exec.progress)
      options.exec.progress(
          {"subjects", static_cast<double>(s), static_cast<double>(subjects.size())});
    KnownLessons lessons = without_subject(clips, points, subjects[s]);
    lessons.corpus.classes = known;
    TrainOptions own = train_with;
    own.exec = options.exec;
    own.exec.progress = {};
    if (!options.recognize.classify) own.late_fusion = false;  // which is for whole clips only
    const auto model = std::make_shared<const Model>(train(lessons.corpus, lessons.points, own));
    report += evaluate_stream(model, lessons.tested, options);
  }
  return report;
}

}  // namespace

StreamReport evaluate_streams(const Corpus& corpus, std::span<const PointSet> points,
                              std::span<const std::string> unknown, const TrainOptions& train_with,
                              const StreamEvaluateOptions& options) {
  return streams_of(corpus, points, {.unknown = {unknown.begin(), unknown.end()}}, train_with,
                    options);
}
StreamReport evaluate_streams(const Corpus& corpus, const PackedClips& points,
                              std::span<const std::string> unknown, const TrainOptions& train_with,
                              const StreamEvaluateOptions& options) {
  return streams_of(corpus, points, {.unknown = {unknown.begin(), unknown.end()}}, train_with,
                    options);
}
StreamReport evaluate_subject_streams(const Corpus& corpus, const PackedClips& points,
                                      const ModelStreams& which, const TrainOptions& train_with,
                                      const StreamEvaluateOptions& options) {
  return streams_of(corpus, points, which, train_with, options);
}

StreamReport evaluate_model_streams(const std::shared_ptr<const Model>& model, const Corpus& corpus,
                                    const ModelStreams& which,
                                    const StreamEvaluateOptions& options) {
  const std::vector<std::string> subjects = corpus.subjects();
  check_stream_subjects(which.subjects, subjects);
  for (const std::string& name : which.unknown)
    if (!is_among(corpus.classes, name))
      throw InvalidArgument(fmt::format("there is no action {}; expected some of {}", name,
                                        fmt::join(corpus.classes, ", ")));
  if (std::ranges::none_of(corpus.classes,
                           [&](const std::string& name) { return is_among(model->classes, name); }))
    throw InvalidArgument(fmt::format("the model knows none of the actions {}; it knows {}",
                                      fmt::join(corpus.classes, ", "),
                                      fmt::join(model->classes, ", ")));
  StreamReport report;
  for (const std::string& subject : subjects) {
    if (!which.subjects.empty() && !is_among(which.subjects, subject)) continue;
    std::vector<Clip> clips;
    for (Clip clip : corpus.clips) {
      if (clip.subject != subject) continue;
      const std::string& name = corpus.classes[static_cast<std::size_t>(clip.label)];
      const auto at = std::ranges::find(model->classes, name);
      const bool known = at != model->classes.end() && !is_among(which.unknown, name);
      clip.label = known ? static_cast<std::int32_t>(at - model->classes.begin()) : -1;
      clips.push_back(std::move(clip));
    }
    report += evaluate_stream(model, clips, options);
  }
  return report;
}

}  // namespace fovea::actions
