#include "view/views/running_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "view/views/recognized_actions.h"

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
  explicit RunningActions(const ActionsTask& task)
      : task_(task), recognizer_(task.model, task.with) {}

  Result stay(const StreamFrame& frame) override {
    Result result = next(frame);
    result.title = task_.title;
    result.stem = task_.stem;
    result.folders = task_.run.folders();
    result.show(frame.picture);
    result.picture = rgb_later(frame.picture);
    result.facts = {{"model", task_.model}, {"actions", std::to_string(all_.size())}};
    const SavedActions saved{.events = {all_.begin(), all_.end()}};
    result.json = task_.saved("actions recognize", record_ref(saved));
    result.command = fmt::format("fovea actions recognize {} --model {}{}", task_.shell_inputs(),
                                 task_.shell_model(), task_.flags);
    result.python =
        fmt::format("for event in fovea.actions.Recognizer({}{}).stream({}): print(event)",
                    task_.python_model(), task_.keywords, task_.python_input());
    return result;
  }
  bool needs_all() const override { return true; }
  std::vector<RecognizedEvent> finish() override { return seen(recognizer_.finish()); }

 private:
  struct PassingMark {
    Mark mark;
    double until;
  };

  void work(const StreamFrame& frame, Result& result, Stopwatch& watch) override {
    times_.add(frame.seconds);
    result.events = seen(recognizer_.push(frame.picture->pixels()));
    watch.lap("recognize actions");
    add_marks(result, frame.seconds);
    result.summary =
        all_.empty() ? "No action has been recognized yet."
                     : fmt::format("{} recognized; the last one is {}, with a score of {:.2f}.",
                                   all_.size() == 1 ? std::string("One action was")
                                                    : fmt::format("{} actions were", all_.size()),
                                   all_.back().name, all_.back().score);
  }

  // Events with the times of the source, because frames may have been passed over.
  std::vector<RecognizedEvent> seen(std::span<const actions::Event> events) {
    std::vector<RecognizedEvent> found;
    for (const actions::Event& event : events) {
      all_.push_back(event);
      all_.back().evidence = nullptr;
      all_.back().path.clear();
      all_.back().start_seconds = times_.at(event.first_frame);
      all_.back().end_seconds = times_.at(event.last_frame);
      found.push_back(
          {event.name, event.score, all_.back().start_seconds, all_.back().end_seconds});
      if (all_.size() > kMostEvents) all_.pop_front();
      marks_.push_back({{exact(event.box), fmt::format("{} {:.2f}", event.name, event.score)}, 0});
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

  ActionsTask task_;
  actions::Recognizer recognizer_;
  FrameTimes times_{};
  std::deque<actions::Event> all_{};
  std::vector<PassingMark> marks_{};
};

}  // namespace

std::unique_ptr<Running> running_actions(const ActionsTask& task) {
  return std::make_unique<RunningActions>(task);
}

}  // namespace fovea::view
