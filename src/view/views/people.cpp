// People in the view: boxes with scores over the picture.
#include <fovea/core/error.h>
#include <fovea/io/models.h>
#include <fovea/people/detector.h>
#include <fovea/people/evaluate.h>
#include <fovea/people/explain.h>
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "core/json_text.h"
#include "core/words.h"
#include "view/stopwatch.h"
#include "view/stream/running.h"
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
    result.marks.push_back({{person.box.x, person.box.y, person.box.width, person.box.height},
                            fmt::format("{:.2f}", person.score)});
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
    const Rect<double> box{person.box.x, person.box.y, person.box.width, person.box.height};
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

// Marks the people of a frame, where somebody knows who is there.
void compare_with_truth(Result& result, const Run& run, const std::vector<people::Detection>& found,
                        std::int64_t frame) {
  add_truth(result, run, [&](const Truth& truth) {
    if (const auto people = truth.people(*run.inputs.front(), frame))
      compare_with_people(result, {found, *people});
  });
}

class PeopleRunning final : public Running {
 public:
  PeopleRunning(SystemView& view, Run run, people::Detector detector, std::string model)
      : view_(view),
        run_(std::move(run)),
        detector_(std::move(detector)),
        model_(std::move(model)) {}

  Result next(const StreamFrame& frame) override {
    Stopwatch watch;
    Result result{.size = {frame.picture->width(), frame.picture->height()}};
    const std::vector<people::Detection> found = find_people(detector_, *frame.picture).people;
    add_people(result, found, model_);
    watch.lap("find people");
    compare_with_truth(result, run_, found, frame.number);
    result.timings = watch.laps();
    return result;
  }
  Result stay(const StreamFrame& frame) override {
    return run_on(view_, run_, {frame}, detector_.options().exec);
  }

 private:
  SystemView& view_;
  Run run_;
  people::Detector detector_;
  std::string model_;
};

class PeopleView final : public SystemView {
 public:
  explicit PeopleView(std::string model) : extra_model_(std::move(model)) {}

  std::string name() const override { return "people"; }
  std::string title() const override { return "People"; }
  std::string text() const override { return "Finds standing and walking people of all sizes."; }
  InputKind takes() const override { return InputKind::kImage; }
  ModelNames models() const override {
    ModelNames names;
    if (!extra_model_.empty()) names.push_back(extra_model_);
    names.emplace_back("channels");
    for (const std::string& shipped : io::shipped_models("people"))
      if (const std::string name = shipped.substr(shipped.find('/') + 1); name != "channels")
        names.push_back(name);
    return names;
  }
  std::string controls() const override {
    people::DetectOptions options;
    return controls_json(form_of(options));
  }

  Result run(const Run& run, const Exec& exec) override {
    Stopwatch watch;
    people::DetectOptions options, defaults;
    Form form = form_of(options);
    fill_form(form, run.options);
    options.exec = exec;
    const std::shared_ptr<const Picture> picture = run_images(run, 1).front();
    watch.lap("read the image");
    const std::string model_name = run.model.empty() ? models().front() : run.model;
    people::Detector detector(model(model_name), options);
    watch.lap("prepare the model");
    const people::DetectResult found = find_people(detector, *picture);
    watch.lap("find people");
    const Extent size{picture->width(), picture->height()};

    Result result{
        .title = "People in " + run.inputs.front()->name(), .image = picture, .size = size};
    add_people(result, found.people, model_name);
    result.facts = {
        {"size", fmt::format("{}x{}", size.width, size.height)},
        {"people", std::to_string(found.people.size())},
        {"threshold", fmt::format("{:g}", options.threshold.value_or(detector.model().threshold))},
        {"windows searched", std::to_string(found.counts.windows)},
        {"trees or blocks evaluated", std::to_string(found.counts.evaluations)}};
    compare_with_truth(result, run, found.people,
                       run.frames.empty() ? run.frame : run.frames.front().number);
    add_reasons(result, model(model_name), options, found.people);
    result.json = saved_json(run, {"people detect", model_name, options_json(options), exec},
                             record_ref(found));
    result.picture = [picture, people = found.people] {
      Image<std::uint8_t> drawn = rgb_copy(picture->pixels());
      people::draw_people(drawn, people);
      return drawn;
    };
    result.held_bytes = 2 * found.people.size() * sizeof(people::Detection);
    const Form plain = form_of(defaults);
    result.command =
        fmt::format("fovea people detect {} --model {}{}{} --json", shell_inputs(run, 1),
                    shell_word(model_name), changed_flags(form, plain), shell_frames(run, 1));
    result.python =
        fmt::format("fovea.people.Detector({}{}).detect({})", detail::json_quote(model_name),
                    changed_keywords(form, plain), python_images(run, 1).front());
    watch.lap("draw");
    result.timings = watch.laps();
    return result;
  }

  bool streams() const override { return true; }
  std::unique_ptr<Running> begin(const Run& run, const Exec& exec) override {
    people::DetectOptions options;
    Form form = form_of(options);
    fill_form(form, run.options);
    options.exec = exec;
    const std::string name = run.model.empty() ? models().front() : run.model;
    return std::make_unique<PeopleRunning>(*this, run, people::Detector(model(name), options),
                                           name);
  }

 private:
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

  // The model of the last run is kept: a slider that moves does not read it again.
  std::shared_ptr<const people::Model> model(const std::string& name) {
    const ModelNames known = models();
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument(fmt::format("there is no model '{}' here; name its file by --model",
                                        detail::shown(name)));
    const std::lock_guard lock(mutex_);
    if (name != model_name_) {
      model_ = people::load_model(name);
      model_name_ = name;
    }
    return model_;
  }

  std::string extra_model_;
  std::mutex mutex_{};
  std::string model_name_{};
  std::shared_ptr<const people::Model> model_{};
};

}  // namespace

std::unique_ptr<SystemView> people_view(const std::string& model) {
  return std::make_unique<PeopleView>(model);
}

}  // namespace fovea::view
