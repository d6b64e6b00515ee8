// Actions while they happen: a running time line of what people do in a video or live input.
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/json_text.h"
#include "core/words.h"
#include "view/stopwatch.h"
#include "view/stream/running.h"

namespace fovea::view {
namespace {

constexpr double kMarkSeconds = 1.5;           // for which the box of an action is shown
constexpr std::size_t kMostEvents = 10000;     // that the JSON of a result lists
constexpr std::size_t kMostFrameTimes = 5000;  // events are reported long before so many frames

const std::vector<std::string_view> kHiddenEventOptions{"explain", "frame-rate"};

ModelNames action_models() {
  ModelNames names;
  for (const std::string& shipped : io::shipped_models("actions"))
    names.push_back(shipped.substr(shipped.find('/') + 1));
  return names;
}

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

class EventsRunning final : public Running {
 public:
  EventsRunning(Run run, std::string model, const actions::RecognizeOptions& options)
      : run_(std::move(run)), model_(std::move(model)), recognizer_(model_, options) {}

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
    result.picture = rgb_copy(frame.picture->pixels());
    result.facts = {{"model", model_}, {"actions", std::to_string(all_.size())}};
    result.json = event_members();
    actions::RecognizeOptions changed = recognizer_.options(), plain;
    const Form form = form_of(changed, kHiddenEventOptions),
               defaults = form_of(plain, kHiddenEventOptions);
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
      found.push_back(
          {event.name, event.score, times_.at(event.first_frame), times_.at(event.last_frame)});
      all_.push_back(found.back());
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

  std::string event_members() const {
    std::string text;
    io::JsonWriter json(io::string_sink(text));
    json.begin_object()
        .member("fovea", FOVEA_VERSION)
        .member("command", "actions recognize")
        .member("model", model_)
        .key("options")
        .raw(options_json(recognizer_.options()));
    write_events(json, {all_.begin(), all_.end()});
    json.end_object().finish();
    return text;
  }

  Run run_;
  std::string model_;
  actions::Recognizer recognizer_;
  FrameTimes times_{};
  std::deque<SeenEvent> all_{};
  std::vector<PassingMark> marks_{};
};

class EventsView final : public SystemView {
 public:
  std::string name() const override { return "events"; }
  std::string title() const override { return "Actions over time"; }
  std::string text() const override {
    return "Press Play: actions such as walking or waving are recognized while they happen, and "
           "stand on a time line.";
  }
  InputKind takes() const override { return InputKind::kVideo; }
  bool runs() const override { return false; }
  bool streams() const override { return true; }
  ModelNames models() const override { return action_models(); }
  std::string controls() const override {
    actions::RecognizeOptions options;
    return controls_json(form_of(options, kHiddenEventOptions));
  }
  Result run(const Run&, const Exec&) override {
    throw InvalidArgument("actions are recognized in the frames of a video; press Play");
  }
  std::unique_ptr<Running> begin(const Run& run, const Exec& exec) override {
    actions::RecognizeOptions options;
    Form form = form_of(options, kHiddenEventOptions);
    fill_form(form, run.options);
    options.exec = exec;
    const ModelNames known = models();
    const std::string name = run.model.empty() ? known.front() : run.model;
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument(fmt::format("there is no model '{}' here", detail::shown(name)));
    return std::make_unique<EventsRunning>(run, name, options);
  }
};

}  // namespace

std::unique_ptr<SystemView> events_view() { return std::make_unique<EventsView>(); }

}  // namespace fovea::view
