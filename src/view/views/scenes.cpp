// Places in the view: the class of an image and the scores of all classes.
#include <fovea/core/error.h>
#include <fovea/io/models.h>
#include <fovea/io/record_io.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/explain.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/json_text.h"
#include "core/words.h"
#include "view/stopwatch.h"
#include "view/system.h"

namespace fovea::view {
namespace {

class ScenesView final : public SystemView {
 public:
  std::string name() const override { return "scenes"; }
  std::string title() const override { return "Places"; }
  std::string text() const override {
    return "Says which kind of place an image shows, by the visual words in it.";
  }
  InputKind takes() const override { return InputKind::kImage; }
  ModelNames models() const override {
    ModelNames names;
    for (const std::string& shipped : io::shipped_models("scenes"))
      names.push_back(shipped.substr(shipped.find('/') + 1));
    return names;
  }
  std::string controls() const override { return "[]"; }  // its model decides everything

  Result run(const Run& run, const Exec& exec) override {
    Stopwatch watch;
    const ModelNames known = models();
    const std::string model_name = run.model.empty() ? known.front() : run.model;
    if (std::ranges::find(known, model_name) == known.end())
      throw InvalidArgument(
          fmt::format("there is no model '{}' of places", detail::shown(model_name)));
    const std::shared_ptr<const Picture> picture = run_images(run, 1).front();
    watch.lap("read the image");
    if (model_name != model_name_) {
      model_ = scenes::load_model(model_name);
      model_name_ = model_name;
    }
    scenes::Classifier classifier(model_, {.exec = exec});
    watch.lap("prepare the model");
    const scenes::ClassifyResult place = classifier.classify(picture->pixels());
    watch.lap("classify");

    Result result{.title = "The place in " + run.inputs.front()->name(),
                  .image = picture,
                  .size = {picture->width(), picture->height()}};
    const std::vector<std::string>& classes = classifier.classes();
    for (std::size_t i = 0; i < classes.size(); ++i)
      result.scores.emplace_back(classes[i], place.scores[i]);
    std::ranges::stable_sort(result.scores, std::ranges::greater(),
                             &std::pair<std::string, double>::second);
    result.summary = fmt::format("The image shows the place '{}', with a score of {:.2f}.",
                                 place.name, place.score);
    result.facts = {{"size", fmt::format("{}x{}", picture->width(), picture->height())},
                    {"model", model_name},
                    {"classes", std::to_string(classes.size())}};
    add_truth(result, run, [&](const Truth& truth) {
      result.true_score = truth.place(*run.inputs.front(), classes);
      if (!result.true_score.empty())
        result.summary += fmt::format(" The truth is '{}'.", result.true_score);
    });
    result.json =
        saved_json(run,
                   {.command = "scenes classify",
                    .model = model_name,
                    .options = "{}",
                    .exec = exec,
                    .beside = io::record_members(record_ref(scenes::ClassNames{classes}))},
                   record_ref(place));
    result.picture = rgb_later(picture);
    result.python = fmt::format("fovea.scenes.Classifier({}).classify({})",
                                detail::json_quote(model_name), python_images(run, 1).front());
    // The verb takes images only.
    result.command =
        run.inputs.front()->kind() == InputKind::kVideo
            ? fmt::format("python3 -c {}",
                          shell_word(fmt::format("import fovea; print({})", result.python)))
            : fmt::format("fovea scenes classify {} --model {}", shell_inputs(run, 1),
                          shell_word(model_name));
    result.why_hint = "Click the picture to see which places spoke for it, and which against.";
    result.explain = [model = model_, picture](report::Point, const Exec& asked) {
      return scenes::present(scenes::explain(
          *model, picture->pixels(), {.exec = {.device = Device::cpu(), .stop = asked.stop}}));
    };
    watch.lap("draw");
    result.timings = watch.laps();
    return result;
  }

 private:
  std::string model_name_{};
  std::shared_ptr<const scenes::Model> model_{};
};

}  // namespace

std::unique_ptr<SystemView> scenes_view() { return std::make_unique<ScenesView>(); }

}  // namespace fovea::view
