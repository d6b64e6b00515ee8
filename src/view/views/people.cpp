// People in the view: boxes with scores over the picture.
#include <fovea/people/detector.h>
#include <fovea/people/evaluate.h>
#include <fovea/people/explain.h>
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/words.h"
#include "view/system.h"

namespace fovea::view {
namespace {

people::DetectResult find_people(people::Detector& detector, const Picture& picture) {
  people::DetectResult found = detector.detect(picture.pixels());
  found.people = people::clip_people(std::move(found.people), {picture.width(), picture.height()});
  return found;
}

// Boxes, and a sentence about them.
void add_people(Result& result, const std::vector<people::Detection>& found,
                const std::string& model) {
  result.summary =
      found.empty() ? fmt::format("No person was found by the model {}.", model)
                    : fmt::format("{} found by the model {}; the best score is {:.2f}.",
                                  found.size() == 1 ? std::string("One person was")
                                                    : fmt::format("{} people were", found.size()),
                                  model, found.front().score);
  for (const people::Detection& person : found)
    result.marks.push_back({exact(person.box), fmt::format("{:.2f}", person.score)});
}

// Marks hits and false alarms as people eval counts them, and adds the boxes of the truth.
void compare_with_people(Result& result, const people::EvaluatedImage& image) {
  const people::ImageMatch match = people::match_people(image);
  for (std::size_t i = 0; i < image.found.size(); ++i) {
    constexpr std::array kKinds{MarkKind::kHit, MarkKind::kFalse, MarkKind::kIgnored};
    result.marks[i].kind = kKinds[static_cast<std::size_t>(match.verdicts[i])];
    if (result.marks[i].kind == MarkKind::kFalse) result.marks[i].label += " false";
  }
  for (std::size_t i = 0; i < image.people.size(); ++i) {
    const people::Annotation& person = image.people[i];
    const Rect<double> box = exact(person.box);
    if (person.ignore) result.marks.push_back({box, "", MarkKind::kIgnored});
    else if (match.found_by[i] >= 0) result.marks.push_back({box, "", MarkKind::kTrue});
    else result.marks.push_back({box, "missed", MarkKind::kMissed});
  }
  const auto count = [&](MarkKind kind) {
    return std::ranges::count(result.marks, kind, &Mark::kind);
  };
  const auto hits = count(MarkKind::kHit), alarms = count(MarkKind::kFalse),
             missed = count(MarkKind::kMissed);
  result.summary += fmt::format(
      " Compared with the truth, there are {} and {}, and {} missed.", detail::counted(hits, "hit"),
      detail::counted(alarms, "false alarm"),
      missed == 1 ? std::string("1 person was") : fmt::format("{} people were", missed));
  result.facts.emplace_back("hits", std::to_string(hits));
  result.facts.emplace_back("missed", std::to_string(missed));
  result.facts.emplace_back("false alarms", std::to_string(alarms));
}

// Marks the people of a frame, where ground truth is given.
void compare_with_truth(Result& result, const Run& run, const std::vector<people::Detection>& found,
                        std::int64_t frame) {
  add_truth(result, run, [&](const Truth& truth) {
    if (const auto people = truth.people(*run.inputs.front(), frame))
      compare_with_people(result, {found, *people});
  });
}

using PeopleTask = TaskOf<people::DetectOptions>;

class PeopleRunning final : public Running {
 public:
  PeopleRunning(SystemView& view, const PeopleTask& task,
                std::shared_ptr<const people::Model> model)
      : view_(view), task_(task), detector_(std::move(model), task.with) {}

  Result stay(const StreamFrame& frame) override {
    return view_.run_on(task_.run, {frame}, task_.exec);
  }

 private:
  void work(const StreamFrame& frame, Result& result, Stopwatch& watch) override {
    const std::vector<people::Detection> found = find_people(detector_, *frame.picture).people;
    add_people(result, found, task_.model);
    watch.lap("find people");
    compare_with_truth(result, task_.run, found, frame.number);
  }

  SystemView& view_;
  PeopleTask task_;
  people::Detector detector_;
};

class PeopleView final : public OptionsView<people::DetectOptions> {
 public:
  explicit PeopleView(const std::string& model)
      : OptionsView({.name = "people",
                     .title = "People",
                     .text = "Finds standing and walking people of all sizes.",
                     .headline = "People in",
                     .streams = true,
                     .models = model_names("people", model, "channels")}) {}

 private:
  void work(const PeopleTask& task, Result& result, Stopwatch& watch) override {
    result.show(task.run.image());
    watch.lap("read the image");
    people::Detector detector(model(task.model), task.with);
    watch.lap("prepare the model");
    const people::DetectResult found = find_people(detector, *result.image);
    watch.lap("find people");
    add_people(result, found.people, task.model);
    const double threshold = task.with.threshold.value_or(detector.model().threshold);
    result.facts = {{"size", fmt::format("{}x{}", result.size.width, result.size.height)},
                    {"people", std::to_string(found.people.size())},
                    {"threshold", fmt::format("{:g}", threshold)},
                    {"windows searched", std::to_string(found.counts.windows)},
                    {"trees or blocks evaluated", std::to_string(found.counts.evaluations)}};
    compare_with_truth(result, task.run, found.people, task.run.frame_number());
    add_reasons(result, model(task.model), task.with, found.people);
    result.json = task.saved({.command = "people detect"}, record_ref(found));
    result.picture = [picture = result.image, people = found.people] {
      Image<std::uint8_t> drawn = rgb_copy(picture->pixels());
      people::draw_people(drawn, people);
      return drawn;
    };
    result.held_bytes = 2 * found.people.size() * sizeof(people::Detection);
    result.command =
        fmt::format("fovea people detect {} --model {}{}{} --json", task.shell_inputs(),
                    task.shell_model(), task.flags, task.shell_frames());
    result.python = fmt::format("fovea.people.Detector({}{}).detect({})", task.python_model(),
                                task.keywords, task.python_image());
  }

  std::unique_ptr<Running> stream(const PeopleTask& task) override {
    return std::make_unique<PeopleRunning>(*this, task, model(task.model));
  }

  // A click on a person asks about that detection, and one elsewhere about the best window there.
  static void add_reasons(Result& result, std::shared_ptr<const people::Model> model,
                          people::DetectOptions options,
                          const std::vector<people::Detection>& found) {
    options.exec = {};
    result.why_hint = "Click a person, or a place where nobody was found, to see why.";
    result.explain = [model = std::move(model), options, found, picture = result.image](
                         report::Point place, const Exec& exec) {
      people::DetectOptions asked = options;
      asked.exec = exec;
      const people::Detector detector(model, asked);
      const auto x = static_cast<float>(place.x), y = static_cast<float>(place.y);
      for (const people::Detection& person : found)
        if (x >= person.box.x && x < person.box.right() && y >= person.box.y &&
            y < person.box.bottom())
          return people::present(people::explain(detector, picture->pixels(), person.window));
      return people::present(people::explain(detector, picture->pixels(), place.x, place.y));
    };
  }

  std::shared_ptr<const people::Model> model(const std::string& name) {
    return models_.get(name, [&] { return people::load_model(name); });
  }

  // The model of the last run is kept: a slider that moves does not read it again.
  LruCache<std::shared_ptr<const people::Model>> models_{1};
};

}  // namespace

std::unique_ptr<SystemView> people_view(const std::string& model) {
  return std::make_unique<PeopleView>(model);
}

}  // namespace fovea::view
