// Evaluations in shards: what every model finds in an image is recorded, and measured when all
// images are there.
#include <fovea/core/error.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <span>

#include "cli/jobs/units.h"
#include "cli/people/eval.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// What all models find in an image.
struct SearchedImage {
  std::vector<people::ImageFindings> models{};
};
void describe(FieldVisitor& visit, SearchedImage& image) {
  visit("models", image.models, "what each has found");
}

// Searches images with all models, and packs what they find in each.
std::vector<std::string> search_images(const std::vector<EvalModel>& models,
                                       const EvalImages& images, const EvalRequest& request,
                                       const Context& context, std::span<const std::size_t> units) {
  std::vector<int> which;
  which.reserve(units.size());
  for (const std::size_t unit : units) which.push_back(static_cast<int>(unit));
  std::vector<SearchedImage> searched(units.size());
  for (std::size_t m = 0; m < models.size(); ++m) {
    people::MeasureOptions options = measure_options(request, context.exec, m);
    options.exec.progress = {};
    std::vector<people::ImageFindings> found =
        people::find_in_images(models[m].model, images.files, images.truth, which, options);
    for (std::size_t i = 0; i < found.size(); ++i)
      searched[i].models.push_back(std::move(found[i]));
  }
  std::vector<std::string> packed;
  packed.reserve(units.size());
  for (const SearchedImage& image : searched) packed.push_back(io::pack_record(record_ref(image)));
  return packed;
}

}  // namespace

std::vector<EvalResult> measure_recorded(const std::vector<EvalModel>& models,
                                         const EvalImages& images, const EvalRequest& request,
                                         Context& context) {
  constexpr std::size_t kTogether = 64;  // images between two records
  std::vector<std::vector<people::ImageFindings>> findings(models.size());
  UnitResult failed;  // the last that could not be searched; those before it are reported
  Units units(context, {images.paths}, [&](std::size_t unit, const UnitResult& given) {
    if (given.message.empty()) {
      auto searched = given.record<SearchedImage>();
      for (std::size_t m = 0; m < models.size(); ++m)
        findings[m].push_back(std::move(searched.models.at(m)));
      return;
    }
    if (!failed.message.empty()) {
      context.console.end_progress();
      context.console.complain(failed.message);
    }
    failed = given;
    failed.message = named_message(images.paths[unit], given.message);
  });
  const auto total = static_cast<double>(units.open().size());
  double done = 0;
  units.take_groups(kTogether, [&](std::span<const std::size_t> some) {
    std::vector<std::string> found = search_images(models, images, request, context, some);
    done += static_cast<double>(some.size());
    if (context.exec.progress) context.exec.progress({"images", done, total});
    return found;
  });
  units.finish();
  // There is no result without all images, but the others are recorded.
  if (!failed.message.empty() && failed.status == kFailed) throw WriteError(failed.message);
  if (!failed.message.empty()) throw FormatError(failed.message);
  std::vector<EvalResult> results;
  if (!writes_shared_files(context)) {
    context.console.note(fmt::format("{} searched; fovea merge measures what was found",
                                     detail::counted(findings.front().size(), "image")));
    return results;
  }
  for (std::size_t m = 0; m < models.size(); ++m) {
    people::MeasureOptions options = measure_options(request, context.exec, m);
    options.exec.progress = {};
    people::ImageMeasurement measured =
        people::measure_findings(*models[m].model, images.truth, std::move(findings[m]), options);
    const bool lower = people::needs_lower_scores(measured, options);
    results.push_back({.model = models[m],
                       .counts = measured.counts,
                       .lowest_score = measured.lowest_score,
                       .lower = options.lower + (lower ? 1 : 0),
                       .unfinished = lower,
                       .found = std::move(measured.found),
                       .images = std::move(measured.report),
                       .stages = std::move(measured.stages)});
  }
  return results;
}

}  // namespace fovea::cli
