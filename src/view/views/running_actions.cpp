// Actions while they happen: a running time line of what people do in a video or live input.
#include <fovea/actions/recognize.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/json_text.h"
#include "view/stopwatch.h"
#include "view/views/running_actions.h"
#include "view/views/seen_actions.h"

namespace fovea::view {
namespace {

constexpr double kMarkSeconds = 1.5;           // for which the box of an action is shown
constexpr std::size_t kMostEvents = 10000;     // that the JSON of a result lists
constexpr std::size_t kMostFrameTimes = 5000;  // events are reported long before so many frames

// When the frames that a recognizer has counted were, in the source's own time.
class FrameTimes {
 public:
  void add(double seconds) {
    times_.push_back(seconds);
    if (times_.size() <= kMostFrameTimes) return;
    times_.pop_front();
    ++first_;
  }
  double at(std::int64_t frame) const {
    const std::int64_t last = static_cast<std::int64_t>(times_.size()) - 1;
    return times_[static_cast<std::size_t>(std::clamp<std::int64_t>(frame - first_, 0, last))];
  }

 private:
  std::deque<double> times_{};
  std::int64_t first_ = 0;  // number of the first one that is kept
};

class RunningActions final : public Running {
 public:
  RunningActions(Run run, std::string model, const actions::RecognizeOptions& options,
                 std::vector<std::string_view> hidden)
      : run_(std::move(run)),
        model_(std::move(model)),
        hidden_(std::move(hidden)),
        recognizer_(model_, options) {}

  Result next(const StreamFrame& frame) override {
    Stopwatch watch;
    times_.add(frame.seconds);
    Result result{.size = {frame.picture->width(), frame.picture->height()}};
    result.events = seen(recognizer_.push(frame.picture->pixels()));
    watch.lap("recognize actions");
    add_marks(result, frame.seconds);
    result.summary =
        all_.empty() ? "No action has been recognized yet."
                     : fmt::format("{} recognized; the last one is {}, with a score of {:.2f}.",
                                   all_.size() == 1 ? std::string("One action was")
                                                    : fmt::format("{} actions were", all_.size()),
                                   all_.back().name, all_.back().score);
    result.timings = watch.laps();
    return result;
  }
  Result stay(const StreamFrame& frame) override {
    Result result = next(frame);
    const std::string name = run_.inputs.front()->name();
    result.title = "Actions in " + name;
    result.image = frame.picture;
    result.picture = rgb_later(frame.picture);
    result.facts = {{"model", model_}, {"actions", std::to_string(all_.size())}};
    const SavedActions saved{.events = {all_.begin(), all_.end()}};
    result.json = saved_json(run_,
                             {"actions recognize", model_, options_json(recognizer_.options()),
                              recognizer_.options().exec, true},
                             record_ref(saved));
    actions::RecognizeOptions changed = recognizer_.options(), plain;
    const Form form = form_of(changed, hidden_), defaults = form_of(plain, hidden_);
    result.command = fmt::format("fovea actions recognize {} --model {}{}", shell_inputs(run_, 1),
                                 shell_word(model_), changed_flags(form, defaults));
    result.python = fmt::format(
        "for event in fovea.actions.Recognizer({}{}).stream({}): print(event)",
        detail::json_quote(model_), changed_keywords(form, defaults), detail::json_quote(name));
    return result;
  }
  bool needs_all() const override { return true; }
  std::vector<SeenEvent> finish() override { return seen(recognizer_.finish()); }

 private:
  struct PassingMark {
    Mark mark;
    double until;
  };

  // Events with the times of the source, because frames may have been passed over.
  std::vector<SeenEvent> seen(std::span<const actions::Event> events) {
    std::vector<SeenEvent> found;
    for (const actions::Event& event : events) {
      all_.push_back(event);
      all_.back().evidence = nullptr;
      all_.back().path.clear();
      all_.back().start_seconds = times_.at(event.first_frame);
      all_.back().end_seconds = times_.at(event.last_frame);
      found.push_back(
          {event.name, event.score, all_.back().start_seconds, all_.back().end_seconds});
      if (all_.size() > kMostEvents) all_.pop_front();
      marks_.push_back({{{event.box.x, event.box.y, event.box.width, event.box.height},
                         fmt::format("{} {:.2f}", event.name, event.score)},
                        0});
    }
    return found;
  }

  // A box is shown for a moment from when its action has become certain.
  void add_marks(Result& result, double seconds) {
    for (PassingMark& each : marks_)
      if (each.until == 0) each.until = seconds + kMarkSeconds;
    std::erase_if(marks_, [&](const PassingMark& each) { return each.until < seconds; });
    for (const PassingMark& each : marks_) result.marks.push_back(each.mark);
  }

  Run run_;
  std::string model_;
  std::vector<std::string_view> hidden_;  // options that the page does not show
  actions::Recognizer recognizer_;
  FrameTimes times_{};
  std::deque<actions::Event> all_{};
  std::vector<PassingMark> marks_{};
};

}  // namespace

std::unique_ptr<Running> running_actions(const Run& run, const std::string& model,
                                         const actions::RecognizeOptions& options,
                                         const std::vector<std::string_view>& hidden) {
  return std::make_unique<RunningActions>(run, model, options, hidden);
}

}  // namespace fovea::view
