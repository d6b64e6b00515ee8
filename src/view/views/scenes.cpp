// Places in the view: the class of an image and the scores of all classes.
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/explain.h>

#include <fmt/format.h>

#include <algorithm>

#include "view/system.h"

namespace fovea::view {
namespace {

// Its model decides everything: there are no options.
class ScenesView final : public OptionsView<scenes::ClassifyOptions> {
 public:
  ScenesView()
      : OptionsView({.name = "scenes",
                     .title = "Places",
                     .text = "Says which kind of place an image shows, by the visual words in it.",
                     .headline = "The place in",
                     .models = model_names("scenes")}) {}

 private:
  void work(const TaskOf<scenes::ClassifyOptions>& task, Result& result,
            Stopwatch& watch) override {
    result.show(task.run.image());
    watch.lap("read the image");
    const std::shared_ptr<const scenes::Model> model =
        models_.get(task.model, [&] { return scenes::load_model(task.model); });
    scenes::Classifier classifier(model, task.with);
    watch.lap("prepare the model");
    const scenes::ClassifyResult place = classifier.classify(result.image->pixels());
    watch.lap("classify");
    const std::vector<std::string>& classes = classifier.classes();
    for (std::size_t i = 0; i < classes.size(); ++i)
      result.scores.emplace_back(classes[i], place.scores[i]);
    std::ranges::stable_sort(result.scores, std::ranges::greater(),
                             &std::pair<std::string, double>::second);
    result.summary = fmt::format("The image shows the place '{}', with a score of {:.2f}.",
                                 place.name, place.score);
    result.facts = {{"size", fmt::format("{}x{}", result.size.width, result.size.height)},
                    {"model", task.model},
                    {"classes", std::to_string(classes.size())}};
    add_truth(result, task.run, [&](const Truth& truth) {
      result.true_score = truth.place(*task.run.inputs.front(), classes);
      if (!result.true_score.empty())
        result.summary += fmt::format(" The truth is '{}'.", result.true_score);
    });
    const scenes::ClassNames names{classes};
    result.json =
        task.saved({.command = "scenes classify", .beside = record_ref(names)}, record_ref(place));
    result.picture = rgb_later(result.image);
    result.python = fmt::format("fovea.scenes.Classifier({}).classify({})", task.python_model(),
                                task.python_image());
    // The verb takes images only.
    result.command =
        task.run.inputs.front()->kind() == InputKind::kVideo
            ? fmt::format("python3 -c {}",
                          shell_word(fmt::format("import fovea; print({})", result.python)))
            : fmt::format("fovea scenes classify {} --model {}", task.shell_inputs(),
                          task.shell_model());
    result.why_hint = "Click the picture to see which places spoke for it, and which against.";
    result.explain = [model, picture = result.image](report::Point, const Exec& asked) {
      return scenes::present(scenes::explain(
          *model, picture->pixels(), {.exec = {.device = Device::cpu(), .stop = asked.stop}}));
    };
  }

  // The model of the last run is kept.
  LruCache<std::shared_ptr<const scenes::Model>> models_{1};
};

}  // namespace

std::unique_ptr<SystemView> scenes_view() { return std::make_unique<ScenesView>(); }

}  // namespace fovea::view
