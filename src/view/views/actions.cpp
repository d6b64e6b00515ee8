// Actions in the view: the class of a clip, and what happens when in it.
#include <fovea/actions/show.h>
#include <fovea/core/error.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/json_text.h"
#include "core/words.h"
#include "view/stopwatch.h"
#include "view/system.h"
#include "view/views/running_actions.h"
#include "view/views/seen_actions.h"

namespace fovea::view {
namespace {

SavedActions saved_of(const SeenActions& seen) {
  SavedActions saved{.clip = seen.clip.result};
  for (const actions::EventExplanation& why : seen.events) saved.events.push_back(why.event);
  return saved;
}

// Probabilities where the model has them; otherwise how near each class is, 1 for the nearest.
std::vector<std::pair<std::string, double>> class_scores(const actions::ClipExplanation& clip) {
  const actions::ClipClass& found = clip.result;
  std::vector<std::pair<std::string, double>> scores;
  if (found.nearest < 0) return scores;
  const double least = found.distances[static_cast<std::size_t>(found.nearest)];
  for (std::size_t i = 0; i < found.distances.size(); ++i) {
    const double distance = found.distances[i];
    const double near = distance > least ? least / distance : 1;
    scores.emplace_back(clip.names[i], found.probability ? std::exp(-distance) : near);
  }
  std::ranges::stable_sort(scores, std::ranges::greater(), &std::pair<std::string, double>::second);
  return scores;
}

std::string class_text(const actions::ClipExplanation& clip) {
  const actions::ClipClass& found = clip.result;
  if (found.nearest < 0) return "No action of the model fits into the clip.";
  const std::string& nearest = clip.names[static_cast<std::size_t>(found.nearest)];
  std::string text =
      found.label < 0
          ? fmt::format("The clip shows none of the model's actions; the nearest is '{}'", nearest)
          : fmt::format("The clip shows '{}'", nearest);
  if (found.probability) text += fmt::format(", with a probability of {:.2f}", *found.probability);
  if (found.runner_up >= 0)
    text += fmt::format(", before '{}'", clip.names[static_cast<std::size_t>(found.runner_up)]);
  return text + ".";
}

std::string bound_text(const VideoPoints& points) {
  if (points.whole) return "";
  return fmt::format(
      " Only the first {} frames{} were looked at; fovea actions recognize works on videos of any "
      "length.",
      points.set.frames, points.video_frames > 0 ? fmt::format(" of {}", points.video_frames) : "");
}

std::string events_text(std::size_t events) {
  if (events == 0) return " No action was recognized over time.";
  return events == 1 ? " One action was recognized over time."
                     : fmt::format(" {} actions were recognized over time.", events);
}

// A frame that shows something: the middle of the best event, or of the clip.
int shown_frame(const SeenActions& seen) {
  const auto best =
      std::ranges::max_element(seen.events, {}, [](const auto& why) { return why.event.score; });
  if (best == seen.events.end()) return seen.frames / 2;
  return static_cast<int>((best->event.first_frame + best->event.last_frame) / 2);
}

// What a saved page shows: that frame, with the boxes of its events.
Image<std::uint8_t> picture_of(const SeenActions& seen, const Picture& frame) {
  Image<std::uint8_t> picture = rgb_copy(frame.pixels());
  actions::draw_events(picture, saved_of(seen).events, shown_frame(seen));
  return picture;
}

// What really happens, in the order of the video; it also stands on the time line.
void name_truth(Result& result, const std::vector<EarlierEvent>& events) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (const EarlierEvent& event : events) {
    if (names.size() == kMostNamed) break;
    if (names.empty() || names.back() != event.name) names.push_back(event.name);
  }
  if (!names.empty()) result.facts.emplace_back("truth", fmt::format("{}", fmt::join(names, ", ")));
}

VideoResult video_result(std::shared_ptr<const SeenActions> seen) {
  VideoResult video{.frames = seen->frames};
  for (const actions::EventExplanation& why : seen->events)
    video.spans.push_back({why.event.name, static_cast<int>(why.event.first_frame),
                           static_cast<int>(why.event.last_frame),
                           fmt::format("score {:.2f}", why.event.score)});
  video.layers = {
      {"events", "Actions", "A box around each action that was recognized."},
      {"chain", "Matched chain",
       "The points that were matched to the model, over all frames; dots are those of this frame."},
      {"points", "Space-time points", "Where the picture changes in space and time at once.",
       false}};
  video.shapes = [seen = std::move(seen)](int frame) { return seen->shapes(frame); };
  return video;
}

class ActionsView final : public SystemView {
 public:
  explicit ActionsView(std::string model) : extra_model_(std::move(model)) {}

  std::string name() const override { return "actions"; }
  std::string title() const override { return "Actions"; }
  std::string text() const override {
    return "Says which action a clip shows, and recognizes actions over time; Play does so while "
           "they happen.";
  }
  InputKind takes() const override { return InputKind::kVideo; }
  bool whole_video() const override { return true; }
  bool streams() const override { return true; }
  ModelNames models() const override {
    ModelNames names;
    if (!extra_model_.empty()) names.push_back(extra_model_);
    for (const std::string& shipped : io::shipped_models("actions"))
      names.push_back(shipped.substr(shipped.find('/') + 1));
    return names;
  }
  std::string controls() const override {
    actions::RecognizeOptions options;
    return controls_json(form_of(options, kHidden));
  }

  Result run(const Run& run, const Exec& exec) override {
    Stopwatch watch;
    actions::RecognizeOptions options;
    Form form = form_of(options, kHidden);
    fill_form(form, run.options);
    options.exec = exec;
    Input& input = *run.inputs.front();
    if (input.kind() != InputKind::kVideo)
      throw InvalidArgument(fmt::format("{} is no video; actions need one", input.name()));
    choose_model(known_model(run.model));
    watch.lap("prepare the model");
    const std::shared_ptr<const VideoPoints> points = points_of(input, exec);
    watch.lap("find points");
    const std::shared_ptr<const SeenActions> seen = see(points->set, options, watch);
    Result result{.title = "Actions in " + input.name(), .image = input.frame(shown_frame(*seen))};
    result.size = {result.image->width(), result.image->height()};
    result.summary =
        class_text(seen->clip) + events_text(seen->events.size()) + bound_text(*points);
    result.scores = class_scores(seen->clip);
    result.facts = {{"frames", std::to_string(seen->frames)},
                    {"frames per second", fmt::format("{:g}", points->set.frame_rate)},
                    {"points", std::to_string(seen->points.size())},
                    {"actions over time", std::to_string(seen->events.size())},
                    {"reject level", reject_text(seen->clip.reject)}};
    add_truth(result, run, [&](const Truth& truth) { name_truth(result, truth.events(input)); });
    result.json =
        saved_json(run, {"actions classify", model_name_, options_json(options), exec, true},
                   record_ref(saved_of(*seen)));
    result.picture = [seen, frame = result.image] { return picture_of(*seen, *frame); };
    result.video = video_result(seen);
    result.held_bytes = seen->points.size() * sizeof(actions::SpaceTimePoint);
    add_lines(result, run, *points, form);
    add_reasons(result, seen);
    watch.lap("draw");
    result.timings = watch.laps();
    return result;
  }

  std::unique_ptr<Running> begin(const Run& run, const Exec& exec) override {
    actions::RecognizeOptions options;
    Form form = form_of(options, kHidden);
    fill_form(form, run.options);
    options.exec = exec;
    return running_actions(run, known_model(run.model), options, kHidden);
  }

 private:
  // Blocks cannot be explained, and the rate of frames is that of the video.
  inline static const std::vector<std::string_view> kHidden{"mode", "block", "overlap", "explain",
                                                            "frame-rate"};

  static std::string reject_text(const actions::RejectExplanation& reject) {
    if (reject.by_rule)
      return fmt::format("{:.3f}, the clip's sum is {:.3f}", reject.limit, reject.sum);
    if (!std::isfinite(reject.level)) return "none";
    return fmt::format("{:.3f}, the clip's distance is {:.3f}", reject.level, reject.distance);
  }

  std::shared_ptr<const SeenActions> see(const actions::PointSet& points,
                                         const actions::RecognizeOptions& options,
                                         Stopwatch& watch) const {
    auto seen = std::make_shared<SeenActions>();
    seen->size = points.size;
    seen->frames = static_cast<int>(points.frames);
    seen->points = points.points;
    seen->events = recognize_events(points, model_, options);
    watch.lap("recognize");
    actions::Classifier classifier(model_, {.reject = options.reject, .exec = options.exec});
    seen->clip = classifier.explain(points);
    watch.lap("classify");
    return seen;
  }

  // Two lines each: for the class of the clip, which has only the option reject, and for events.
  void add_lines(Result& result, const Run& run, const VideoPoints& points,
                 const Form& form) const {
    actions::RecognizeOptions defaults;
    const Form plain = form_of(defaults, kHidden);
    const std::string file = shell_inputs(run, 1), model = shell_word(model_name_),
                      name = detail::json_quote(run.inputs.front()->name()),
                      model_in_python = detail::json_quote(model_name_);
    std::string part_flags, part_keywords, whole = name, cut;
    if (!points.whole) {
      part_flags = fmt::format(" --frames {}", points.set.frames);
      part_keywords = fmt::format(", frames={}", points.set.frames);
      whole = fmt::format("fovea.read_video({}, count={})", name, points.set.frames);
      cut = ", cut_first=True";
    }
    const auto reject = run.options.find("reject");
    const bool rejects = reject != run.options.end();
    result.command = fmt::format(
        "fovea actions classify {0} --model {1}{2}{3}{4}\n"
        "fovea actions recognize {0} --model {1}{5}{4}",
        file, model, rejects ? fmt::format(" --reject {}", shell_word(reject->second)) : "",
        points.whole ? "" : " --cut-first", part_flags, changed_flags(form, plain));
    result.python = fmt::format(
        "fovea.actions.Classifier({0}{1}{2}).classify({3}{4})\n"
        "fovea.actions.Recognizer({0}{5}).recognize({6})",
        model_in_python, rejects ? fmt::format(", reject={}", reject->second) : "", cut, name,
        part_keywords, changed_keywords(form, plain), whole);
  }

  // A click on an action's box asks about that event, and one elsewhere about the clip.
  static void add_reasons(Result& result, const std::shared_ptr<const SeenActions>& seen) {
    result.why_hint =
        "Click an action's box to see why it was recognized, or elsewhere why the clip has its "
        "class.";
    result.explain = [seen](const Place& place, const Exec&) {
      const actions::EventExplanation* event = seen->event_at(place, place.frame);
      return event != nullptr ? actions::present(*event) : actions::present(seen->clip);
    };
  }

  // One of models(), of which the first is the default.
  std::string known_model(const std::string& name) const {
    const ModelNames known = models();
    if (name.empty()) return known.front();
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument(fmt::format(
          "there is no model '{}' of actions; name its file by --model", detail::shown(name)));
    return name;
  }

  void choose_model(const std::string& name) {
    if (name == model_name_) return;
    points_ = nullptr;  // they were found with the options of the other model
    model_ = actions::load_model(name);
    model_name_ = name;
  }

  // The points of the last video are kept: a slider that moves does not find them again.
  std::shared_ptr<const VideoPoints> points_of(const Input& input, const Exec& exec) {
    if (!points_ || points_input_ != input.id()) {
      points_ = nullptr;
      points_ = std::make_shared<const VideoPoints>(find_video_points(input.path(), *model_, exec));
      points_input_ = input.id();
    }
    return points_;
  }

  std::string extra_model_;
  std::string model_name_{};
  std::shared_ptr<const actions::Model> model_{};
  std::string points_input_{};
  std::shared_ptr<const VideoPoints> points_{};
};

}  // namespace

std::unique_ptr<SystemView> actions_view(const std::string& model) {
  return std::make_unique<ActionsView>(model);
}

}  // namespace fovea::view
