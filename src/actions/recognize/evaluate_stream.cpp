// Measures recognition in continuous video: joined clips of people who were not trained on.
#include <fovea/actions/evaluate_stream.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>

#include "actions/recognize/event_finder.h"
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
    for (const double overlap : options.overlaps)
      point.overlaps.push_back(count_events(video.truth(), joined, classes, overlap));
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

StreamReport evaluate_streams(const Corpus& corpus, std::span<const PointSet> points,
                              std::span<const std::string> unknown, const TrainOptions& train_with,
                              const StreamEvaluateOptions& options) {
  Corpus known;
  known.classes = known_classes(corpus, unknown);
  if (points.size() != corpus.clips.size())
    throw InvalidArgument(fmt::format("evaluate_streams: points of {} clips, expected {}",
                                      points.size(), corpus.clips.size()));
  std::vector<Clip> clips = corpus.clips;
  for (Clip& clip : clips) {
    const auto& name = corpus.classes[static_cast<std::size_t>(clip.label)];
    const auto at = std::ranges::find(known.classes, name);
    clip.label =
        at == known.classes.end() ? -1 : static_cast<std::int32_t>(at - known.classes.begin());
  }
  const std::vector<std::string> subjects = corpus.subjects();
  if (subjects.size() < 2)
    throw InvalidArgument("the clips have one subject; expected two or more, to leave one out");
  StreamReport report;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    if (options.exec.progress)
      options.exec.progress(
          {"subjects", static_cast<double>(s), static_cast<double>(subjects.size())});
    known.clips.clear();
    std::vector<PointSet> known_points;
    std::vector<Clip> tested;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      if (clips[i].subject == subjects[s]) {
        tested.push_back(clips[i]);
      } else if (clips[i].label >= 0) {
        known.clips.push_back(clips[i]);
        PointSet& copied = known_points.emplace_back();
        copied.size = points[i].size;
        copied.frames = points[i].frames;
        copied.frame_rate = points[i].frame_rate;
        copied.points = points[i].points;
        if (!points[i].descriptors.empty()) copied.descriptors = clone(points[i].descriptors);
      }
    }
    TrainOptions own = train_with;
    own.exec = options.exec;
    own.exec.progress = {};
    const auto model = std::make_shared<const Model>(train(known, known_points, own));
    report += evaluate_stream(model, tested, options);
  }
  return report;
}

}  // namespace fovea::actions
