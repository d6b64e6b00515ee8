// Actions in the view: the class of a clip, and what happens when in it.
#include <fovea/actions/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/views/recognized_actions.h"
#include "view/views/running_actions.h"

namespace fovea::view {
namespace {

SavedActions saved_of(const RecognizedActions& seen) {
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

std::string bound_text(const VideoPoints& points) {
  if (points.whole) return "";
  return fmt::format(
      " Only the first {} frames{} were looked at; fovea actions recognize works on videos of any "
      "length.",
      points.set.frames, points.video_frames > 0 ? fmt::format(" of {}", points.video_frames) : "");
}

// A frame that shows something: the middle of the best event, or of the clip.
int shown_frame(const RecognizedActions& seen) {
  const auto best =
      std::ranges::max_element(seen.events, {}, [](const auto& why) { return why.event.score; });
  if (best == seen.events.end()) return seen.frames / 2;
  return static_cast<int>((best->event.first_frame + best->event.last_frame) / 2);
}

// What a saved page shows: that frame, with the boxes of its events.
Image<std::uint8_t> picture_of(const RecognizedActions& seen, const Picture& frame) {
  Image<std::uint8_t> picture = rgb_copy(frame.pixels());
  actions::draw_events(picture, saved_of(seen).events, shown_frame(seen));
  return picture;
}

// What really happens, in the order of the video; it also stands on the time line.
void name_truth(Result& result, const std::vector<SavedEvent>& events) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (const SavedEvent& event : events) {
    if (names.size() == kMostNamed) break;
    if (names.empty() || names.back() != event.name) names.push_back(event.name);
  }
  if (!names.empty()) result.facts.emplace_back("truth", fmt::format("{}", fmt::join(names, ", ")));
}

VideoResult video_result(std::shared_ptr<const RecognizedActions> seen) {
  VideoResult video{.frames = seen->frames};
  for (const actions::EventExplanation& why : seen->events)
    video.spans.push_back({why.event.name, static_cast<int>(why.event.first_frame),
                           static_cast<int>(why.event.last_frame),
                           fmt::format("score {:.2f}", why.event.score)});
  video.layers = {
      {"events", "Actions", "A box around each action that was recognized."},
      {"chain", "Matched chain",
       "The points that were matched to the model, over all frames; dots are those of this frame."},
      {"points",
       "Space-time points",
       "Where the picture changes in space and time at once.",
       {},
       false}};
  video.shapes = [seen = std::move(seen)](int frame) { return seen->shapes(frame); };
  return video;
}

class ActionsView final : public OptionsView<actions::RecognizeOptions> {
 public:
  explicit ActionsView(const std::string& model)
      : OptionsView(
            {.name = "actions",
             .title = "Actions",
             .text = "Says which action a clip shows, and recognizes actions over time; Play does "
                     "so while they happen.",
             .headline = "Actions in",
             .takes = InputKind::kVideo,
             .whole_video = true,
             .streams = true,
             .models = model_names("actions", model)},
            {},
            // Blocks cannot be explained, and the rate of frames is that of the video.
            {"mode", "block", "overlap", "explain", "frame-rate"}) {}

 private:
  using Model = std::shared_ptr<const actions::Model>;

  void work(const ActionsTask& task, Result& result, Stopwatch& watch) override {
    Input& input = *task.run.inputs.front();
    const Model model = models_.get(task.model, [&] { return actions::load_model(task.model); });
    watch.lap("prepare the model");
    const std::shared_ptr<const VideoPoints> points =
        points_.get(input.id() + " " + task.model, [&] {
          return std::make_shared<const VideoPoints>(
              find_video_points(input.path(), *model, task.exec));
        });
    watch.lap("find points");
    const std::shared_ptr<const RecognizedActions> seen = see(points->set, model, task.with, watch);
    result.show(input.frame(shown_frame(*seen)));
    result.summary = summary_of(seen->clip, seen->events.size()) + bound_text(*points);
    result.scores = class_scores(seen->clip);
    result.facts = {{"frames", std::to_string(seen->frames)},
                    {"frames per second", fmt::format("{:g}", points->set.frame_rate)},
                    {"points", std::to_string(seen->points.size())},
                    {"actions over time", std::to_string(seen->events.size())},
                    {"reject level", reject_text(seen->clip.reject)}};
    add_truth(result.facts, task.run,
              [&](const Truth& truth) { name_truth(result, truth.events(input)); });
    result.json = task.saved("actions classify", record_ref(saved_of(*seen)));
    result.picture = [seen, frame = result.image] { return picture_of(*seen, *frame); };
    result.video = video_result(seen);
    result.held_bytes = seen->points.size() * sizeof(actions::SpaceTimePoint);
    add_lines(result, task, *points);
    add_reasons(result, seen);
  }

  std::unique_ptr<Running> stream(const ActionsTask& task) override {
    return running_actions(task);
  }

  static std::string reject_text(const actions::RejectExplanation& reject) {
    if (reject.by_rule)
      return fmt::format("{:.3f}, the clip's sum is {:.3f}", reject.limit, reject.sum);
    if (!std::isfinite(reject.level)) return "none";
    return fmt::format("{:.3f}, the clip's distance is {:.3f}", reject.level, reject.distance);
  }

  static std::shared_ptr<const RecognizedActions> see(const actions::PointSet& points,
                                                      const Model& model,
                                                      const actions::RecognizeOptions& options,
                                                      Stopwatch& watch) {
    auto seen = std::make_shared<RecognizedActions>();
    seen->size = points.size;
    seen->frames = static_cast<int>(points.frames);
    seen->points = points.points;
    seen->events = recognize_events(points, model, options);
    watch.lap("recognize");
    actions::Classifier classifier(model, {.reject = options.reject, .exec = options.exec});
    seen->clip = classifier.explain(points);
    watch.lap("classify");
    return seen;
  }

  // Two lines each: for the class of the clip, which has only the option reject, and for events.
  static void add_lines(Result& result, const ActionsTask& task, const VideoPoints& points) {
    const std::string name = task.python_input();
    std::string part_flags, part_keywords, whole = name, cut;
    if (!points.whole) {
      part_flags = fmt::format(" --frames {}", points.set.frames);
      part_keywords = fmt::format(", frames={}", points.set.frames);
      whole = fmt::format("fovea.read_video({}, count={})", name, points.set.frames);
      cut = ", cut_first=True";
    }
    const auto reject = task.run.options.find("reject");
    const bool rejects = reject != task.run.options.end();
    result.command = fmt::format(
        "fovea actions classify {0} --model {1}{2}{3}{4}\n"
        "fovea actions recognize {0} --model {1}{5}{4}",
        task.shell_inputs(), task.shell_model(),
        rejects ? fmt::format(" --reject {}", shell_word(reject->second)) : "",
        points.whole ? "" : " --cut-first", part_flags, task.flags);
    result.python = fmt::format(
        "fovea.actions.Classifier({0}{1}{2}).classify({3}{4})\n"
        "fovea.actions.Recognizer({0}{5}).recognize({6})",
        task.python_model(), rejects ? fmt::format(", reject={}", reject->second) : "", cut, name,
        part_keywords, task.keywords, whole);
  }

  // A click on an action's box asks about that event, and one elsewhere about the clip.
  static void add_reasons(Result& result, const std::shared_ptr<const RecognizedActions>& seen) {
    result.why_hint =
        "Click an action's box to see why it was recognized, or elsewhere why the clip has its "
        "class.";
    result.explain = [seen](const Place& place, const Exec&) {
      const actions::EventExplanation* event = seen->event_at(place, place.frame);
      return event != nullptr ? actions::present(*event) : actions::present(seen->clip);
    };
  }

  // Those of the last run are kept: a slider that moves does not find the points again.
  LruCache<Model> models_{1};
  LruCache<std::shared_ptr<const VideoPoints>> points_{1};
};

}  // namespace

std::unique_ptr<SystemView> actions_view(const std::string& model) {
  return std::make_unique<ActionsView>(model);
}

}  // namespace fovea::view
