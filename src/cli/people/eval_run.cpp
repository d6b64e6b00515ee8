// Runs models over images and windows, and calls the stages of that by the models' names.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "cli/people/eval.h"

namespace fovea::cli {
namespace {

// The options of a measurement whose progress goes by the name of a model.
people::MeasureOptions named(people::MeasureOptions options,
                             std::function<std::string(std::string_view)> name) {
  if (options.exec.progress)
    options.exec.progress = [report = options.exec.progress,
                             name = std::move(name)](const Progress& now) {
      report({name(now.stage), now.done, now.total});
    };
  return options;
}

}  // namespace

people::MeasureOptions measure_options(const EvalRequest& request, const Exec& exec,
                                       std::size_t model) {
  people::MeasureOptions options = request.measure;
  options.exec = exec;
  if (!request.lower.empty())
    options.lower = request.lower.size() == 1 ? request.lower.front() : request.lower[model];
  return options;
}

EvalResult measure_on_images(const EvalModel& model, const EvalImages& images,
                             const people::MeasureOptions& options) {
  people::ImageMeasurement found =
      people::measure_on_images(model.model, images.files, images.truth,
                                named(options, [&](std::string_view) { return model.label; }));
  return {.model = model,
          .counts = found.counts,
          .seconds = found.seconds,
          .lowest_score = found.lowest_score,
          .found = std::move(found.found),
          .images = std::move(found.report),
          .stages = std::move(found.stages)};
}

EvalResult measure_on_windows(const EvalModel& model, const EvalWindows& windows,
                              const people::MeasureOptions& options) {
  people::WindowMeasurement found = people::measure_on_windows(
      model.model, windows.crops, windows.negatives, named(options, [&](std::string_view stage) {
        return fmt::format("{}: {}", model.label, stage);
      }));
  return {.model = model,
          .counts = found.counts,
          .seconds = found.seconds,
          .windows = std::move(found.report),
          .stages = std::move(found.stages)};
}

}  // namespace fovea::cli
