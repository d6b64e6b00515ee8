// A target that is followed through a video in the view: draw a box around it and press Play.
#include <fovea/emd/explain.h>
#include <fovea/emd/track_result.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <deque>

#include "view/system.h"

namespace fovea::view {
namespace {

constexpr std::size_t kMostTracked = 20000;  // frames that the JSON of a result lists

using TrackTask = TaskOf<emd::TrackOptions>;

class TrackRunning final : public Running {
 public:
  explicit TrackRunning(const TrackTask& task) : task_(task), tracker_(task.with) {}

  void begin(const StreamFrame& frame) override {
    const Rect<double> box = exact(*task_.run.box);
    now_ = tracker_.add(frame.picture->pixels(), std::span(&box, 1)).front();
    first_frame_ = frame.number;
    seen_.push_back({frame.number, now_});
  }
  Result stay(const StreamFrame& frame) override {
    explains_ = tracker_.targets() > 0;
    Result result = next(frame);
    explains_ = false;
    complete(result, frame);
    return result;
  }
  // A target that has gone far between two frames may be lost, and the program sees every frame.
  bool needs_all() const override { return true; }

 private:
  void work(const StreamFrame& frame, Result& result, Stopwatch& watch) override {
    if (tracker_.targets() == 0) {
      begin(frame);
      watch.lap("learn the target");
    } else if (explains_) {
      const auto why =
          std::make_shared<const emd::TrackExplanation>(tracker_.explain(frame.picture->pixels()));
      follow(frame, why->track);
      watch.lap("follow and explain the target");
      result.why_hint = "Click to see the scores of the places around the target.";
      result.explain = [why](const Place&, const Exec&) { return emd::present(*why); };
    } else {
      follow(frame, tracker_.track(frame.picture->pixels()).front());
      watch.lap("follow the target");
    }
    show(result, frame);
  }

  void follow(const StreamFrame& frame, const emd::Track& track) {
    now_ = track;
    seen_.push_back({frame.number, track});
    if (seen_.size() > kMostTracked) seen_.pop_front();
  }

  void show(Result& result, const StreamFrame& frame) const {
    result.summary =
        now_.lost
            ? fmt::format(
                  "The target is lost; the whole frame is searched for it. The box "
                  "is where it was last seen.")
            : fmt::format("The target is followed with a confidence of {:.2f}.", now_.confidence);
    result.marks.push_back(
        {now_.box, now_.lost ? std::string("lost") : fmt::format("{:.2f}", now_.confidence)});
    add_truth(result.facts, task_.run, [&](const Truth& truth) {
      if (const auto there = truth.people(*task_.run.inputs.front(), frame.number))
        compare_with_target(result, *there);
    });
  }

  // Says how much the box has in common with the true one that it overlaps most.
  void compare_with_target(Result& result, const std::vector<people::Annotation>& there) const {
    double most = 0;
    for (const people::Annotation& each : there)
      most = std::max(most, overlap(now_.box, exact(each.box)));
    result.summary += fmt::format(" Its overlap with the truth is {:.2f}.", most);
  }

  // What fovea emd track prints of the frames so far.
  std::string saved(Extent size) const {
    const emd::TrackResult result{
        .input = task_.run.input(),
        .size = size,
        .frames = static_cast<std::int64_t>(seen_.size()),
        .map = {tracker_.report()},
        .targets = {{.id = now_.id, .parts = tracker_.uses_parts(now_.id)}},
        .tracks = {seen_.begin(), seen_.end()}};
    return task_.saved_of_all("emd track", record_ref(result));
  }

  // What is needed to save the result and to make it again.
  void complete(Result& result, const StreamFrame& frame) const {
    result.title = task_.title;
    result.stem = task_.stem;
    result.folders = task_.run.folders();
    result.show(frame.picture);
    result.facts = {{"frames followed", std::to_string(seen_.size())},
                    {"score", fmt::format("{:.4f}", now_.score)},
                    {"box", fmt::format("{:g},{:g},{:g},{:g}", now_.box.x, now_.box.y,
                                        now_.box.width, now_.box.height)}};
    result.json = saved(result.size);
    result.picture = [picture = frame.picture, box = now_.box] {
      Image<std::uint8_t> drawn = rgb_copy(picture->pixels());
      report::draw_box(drawn.view(), box);
      return drawn;
    };
    const bool live = task_.run.inputs.front()->kind() == InputKind::kLive;
    const std::int64_t start = live ? 0 : first_frame_;
    result.command = fmt::format("fovea emd track {} --target {}{}{} --frames {} -o tracks.txt",
                                 task_.shell_inputs(), task_.box(),
                                 start > 0 ? fmt::format(" --frame {}", start) : "", task_.flags,
                                 frame.number + 1);
    result.python = fmt::format(
        "frames = iter(fovea.read_video({}, start={}))\n"
        "tracker = fovea.emd.Tracker(next(frames)[0], ({}){})\n"
        "for image, number, seconds in frames: print(number, tracker.track(image))",
        task_.python_input(), start, task_.box(", "), task_.keywords);
  }

  TrackTask task_;
  emd::Tracker tracker_;
  bool explains_ = false;
  emd::Track now_{};
  std::int64_t first_frame_ = 0;
  std::deque<emd::FramedTrack> seen_{};
};

class TrackView final : public OptionsView<emd::TrackOptions> {
 public:
  TrackView()
      : OptionsView({.name = "track",
                     .title = "Tracking",
                     .text = "Draw a box around a target and press Play: the target is followed by "
                             "its colors and edges through a video or live input.",
                     .headline = "Tracking in",
                     .takes = InputKind::kVideo,
                     .needs_box = true,
                     .runs = false,
                     .streams = true},
                    {},
                    // Options of bands, of which a picture has none, and of memory.
                    {"spectra", "whole-map", "cache-bytes"}) {}

 private:
  void work(const TrackTask&, Result&, Stopwatch&) override {}  // it only streams
  std::unique_ptr<Running> stream(const TrackTask& task) override {
    return std::make_unique<TrackRunning>(task);
  }
};

}  // namespace

std::unique_ptr<SystemView> track_view() { return std::make_unique<TrackView>(); }

}  // namespace fovea::view
