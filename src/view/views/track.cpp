// A target that is followed through a video in the view: draw a box around it and press Play.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>
#include <fovea/emd/track_result.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <deque>

#include "core/json_text.h"
#include "view/stopwatch.h"
#include "view/stream/running.h"

namespace fovea::view {
namespace {

constexpr std::size_t kMostTracked = 20000;  // frames that the JSON of a result lists

// Options of bands, of which a picture has none, and of memory.
const std::vector<std::string_view> kHiddenTrackOptions{"spectra", "whole-map", "cache-bytes"};

Rect<double> exact(const Rect<int>& box) {
  return {static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.width),
          static_cast<double>(box.height)};
}

class TrackRunning final : public Running {
 public:
  TrackRunning(Run run, const emd::TrackOptions& options)
      : run_(std::move(run)), options_(options), tracker_(options) {}

  void begin(const StreamFrame& frame) override {
    const Rect<double> box = exact(*run_.box);
    now_ = tracker_.add(frame.picture->pixels(), std::span(&box, 1)).front();
    first_frame_ = frame.number;
    seen_.push_back({frame.number, now_});
  }
  Result next(const StreamFrame& frame) override {
    Stopwatch watch;
    const bool begins = tracker_.targets() == 0;
    if (begins) begin(frame);
    else follow(frame, tracker_.track(frame.picture->pixels()).front());
    watch.lap(begins ? "learn the target" : "follow the target");
    return result_of(frame, watch);
  }
  Result stay(const StreamFrame& frame) override {
    if (tracker_.targets() == 0) return completed(next(frame), frame);
    Stopwatch watch;
    const auto why =
        std::make_shared<const emd::TrackExplanation>(tracker_.explain(frame.picture->pixels()));
    follow(frame, why->track);
    watch.lap("follow and explain the target");
    Result result = completed(result_of(frame, watch), frame);
    result.why_hint = "Click to see the scores of the places around the target.";
    result.explain = [why](const Place&, const Exec&) { return emd::present(*why); };
    return result;
  }
  // A target that has gone far between two frames may be lost, and the program sees every frame.
  bool needs_all() const override { return true; }

 private:
  void follow(const StreamFrame& frame, const emd::Track& track) {
    now_ = track;
    seen_.push_back({frame.number, track});
    if (seen_.size() > kMostTracked) seen_.pop_front();
  }

  Result result_of(const StreamFrame& frame, const Stopwatch& watch) const {
    Result result{.size = {frame.picture->width(), frame.picture->height()},
                  .timings = watch.laps()};
    result.summary =
        now_.lost
            ? fmt::format(
                  "The target is lost; the whole frame is searched for it. The box "
                  "is where it was last seen.")
            : fmt::format("The target is followed with a confidence of {:.2f}.", now_.confidence);
    result.marks.push_back(
        {now_.box, now_.lost ? std::string("lost") : fmt::format("{:.2f}", now_.confidence)});
    add_truth(result, run_, [&](const Truth& truth) {
      if (const auto there = truth.people(*run_.inputs.front(), frame.number))
        compare_with_target(result, *there);
    });
    return result;
  }

  // Says how much the box has in common with the true one that it overlaps most.
  void compare_with_target(Result& result, const std::vector<people::Annotation>& there) const {
    double most = 0;
    for (const people::Annotation& each : there)
      most = std::max(most, overlap(now_.box, Rect<double>{each.box.x, each.box.y, each.box.width,
                                                           each.box.height}));
    result.summary += fmt::format(" Its overlap with the truth is {:.2f}.", most);
  }

  // What fovea emd track prints of the frames so far.
  std::string saved(const std::shared_ptr<const Picture>& picture) const {
    emd::TrackResult result{.input = run_.inputs.front()->name(),
                            .size = {picture->width(), picture->height()},
                            .frames = static_cast<std::int64_t>(seen_.size()),
                            .map = {tracker_.report()},
                            .targets = {{.id = now_.id, .parts = tracker_.uses_parts(now_.id)}},
                            .tracks = {seen_.begin(), seen_.end()}};
    const Rect<int>& box = *run_.box;
    const std::string target = fmt::format("{},{},{},{}", box.x, box.y, box.width, box.height);
    return saved_whole_json({.command = "emd track",
                             .options = options_json(options_),
                             .exec = options_.exec,
                             .target = target},
                            record_ref(result));
  }

  // What is needed to save the result and to make it again.
  Result completed(Result result, const StreamFrame& frame) const {
    const std::string name = run_.inputs.front()->name();
    result.title = "Tracking in " + name;
    result.image = frame.picture;
    result.facts = {{"frames followed", std::to_string(seen_.size())},
                    {"score", fmt::format("{:.4f}", now_.score)},
                    {"box", fmt::format("{:g},{:g},{:g},{:g}", now_.box.x, now_.box.y,
                                        now_.box.width, now_.box.height)}};
    result.json = saved(result.image);
    result.picture = [picture = frame.picture, box = now_.box] {
      Image<std::uint8_t> drawn = rgb_copy(picture->pixels());
      report::draw_box(drawn.view(), box);
      return drawn;
    };
    add_lines(result, frame);
    return result;
  }

  void add_lines(Result& result, const StreamFrame& frame) const {
    emd::TrackOptions changed = options_, plain;
    const Form form = form_of(changed, kHiddenTrackOptions),
               defaults = form_of(plain, kHiddenTrackOptions);
    const Rect<int>& box = *run_.box;
    const bool live = run_.inputs.front()->kind() == InputKind::kLive;
    const std::int64_t start = live ? 0 : first_frame_;
    result.command =
        fmt::format("fovea emd track {} --target {},{},{},{}{}{} --frames {} -o tracks.txt",
                    shell_inputs(run_, 1), box.x, box.y, box.width, box.height,
                    start > 0 ? fmt::format(" --frame {}", start) : "",
                    changed_flags(form, defaults), frame.number + 1);
    result.python = fmt::format(
        "frames = iter(fovea.read_video({}, start={}))\n"
        "tracker = fovea.emd.Tracker(next(frames)[0], ({}, {}, {}, {}){})\n"
        "for image, number, seconds in frames: print(number, tracker.track(image))",
        detail::json_quote(run_.inputs.front()->name()), start, box.x, box.y, box.width, box.height,
        changed_keywords(form, defaults));
  }

  Run run_;
  emd::TrackOptions options_;
  emd::Tracker tracker_;
  emd::Track now_{};
  std::int64_t first_frame_ = 0;
  std::deque<emd::FramedTrack> seen_{};
};

class TrackView final : public SystemView {
 public:
  std::string name() const override { return "track"; }
  std::string title() const override { return "Tracking"; }
  std::string text() const override {
    return "Draw a box around a target and press Play: the target is followed by its colors and "
           "edges through a video or live input.";
  }
  InputKind takes() const override { return InputKind::kVideo; }
  bool needs_box() const override { return true; }
  bool runs() const override { return false; }
  bool streams() const override { return true; }
  std::string controls() const override {
    emd::TrackOptions options;
    return controls_json(form_of(options, kHiddenTrackOptions));
  }
  Result run(const Run&, const Exec&) override {
    throw InvalidArgument("a target is followed through the frames of a video; press Play");
  }
  std::unique_ptr<Running> begin(const Run& run, const Exec& exec) override {
    if (!run.box) throw InvalidArgument("draw a box around a target on the picture");
    emd::TrackOptions options;
    Form form = form_of(options, kHiddenTrackOptions);
    fill_form(form, run.options);
    options.exec = exec;
    return std::make_unique<TrackRunning>(run, options);
  }
};

}  // namespace

std::unique_ptr<SystemView> track_view() { return std::make_unique<TrackView>(); }

}  // namespace fovea::view
