// The folder of an evaluation of people: what every evaluation has, all points of the curves as
// CSV, and detections as COCO JSON.
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/people/eval.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "core/json_text.h"
#include "operations/people/people_files.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

std::string info(const Context& context, const EvalResult& result) {
  return fmt::format("{{{}, \"model\": {}}}", io::origin_members(origin_of(context)),
                     detail::json_quote(result.model.name));
}

std::string file_name(const std::string& label) {
  std::string name;
  for (const char letter : label) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
    name += plain ? letter : '_';
  }
  return name;
}

void write_found(const fs::path& folder, const Context& context, const EvalResult& result,
                 const EvalImages& images) {
  const auto file = operations::people_file(
      operations::PeopleFormat::kCoco,
      (folder / ("found_" + file_name(result.model.label) + ".json")).string());
  for (std::size_t i = 0; i < images.paths.size(); ++i) {
    const auto size = io::image_info(images.paths[i]);
    const Extent extent{size.width, size.height};
    file->add({{images.paths[i]}, extent, people::clip_people(result.found[i].found, extent)});
  }
  file->commit(info(context, result));
}

report::Table image_numbers(const std::vector<EvalResult>& results) {
  report::Table table{
      "All models are measured on the same images. Numbers in brackets are standard deviations "
      "over bootstrap samples of the images.",
      {{"model"},
       {"kind"},
       {"log-average miss rate", "%"},
       {"average precision", "%"},
       {"miss rate at 0.1", "%"},
       {"miss rate at 1", "%"},
       {"evaluations per window"}},
      {}};
  for (const EvalResult& result : results) {
    const people::ImageReport& measured = result.images;
    table.rows.push_back({result.model.label,
                          people::to_string(result.model.model->kind),
                          fmt::format("{:.1f} ({:.1f})", 100 * measured.log_average_miss_rate,
                                      100 * measured.deviation),
                          {100 * measured.average_precision, 3},
                          {100 * measured.miss_rates[4], 3},
                          {100 * measured.miss_rates[8], 3},
                          {people::evaluations_per_window(result.counts), 3}});
  }
  return table;
}

report::Table window_numbers(const std::vector<EvalResult>& results) {
  report::Table table{
      "All models are measured on the same windows. Numbers in brackets are standard deviations.",
      {{"model"},
       {"kind"},
       {"miss rate at 1e-4", "%"},
       {"miss rate at 1e-5", "%"},
       {"crops"},
       {"windows"},
       {"evaluations per window"}},
      {}};
  for (const EvalResult& result : results) {
    const double rate = result.windows.miss_rate_at(1e-4);
    table.rows.push_back(
        {result.model.label,
         people::to_string(result.model.model->kind),
         fmt::format("{:.2f} ({:.2f})", 100 * rate, 100 * result.windows.deviation(rate)),
         {100 * result.windows.miss_rate_at(1e-5), 3},
         result.windows.positives,
         result.windows.negatives,
         {people::evaluations_per_window(result.counts), 3}});
  }
  return table;
}

// How many of the detections with about the same confidence are people.
report::Table reliability_table(const std::string& label, const people::Reliability& reliability) {
  report::Table table{
      fmt::format("The confidence of {} and the share of people among the detections that have it. "
                  "The mean difference over all detections, the expected calibration error, is "
                  "{:.1f} %.",
                  label, 100 * reliability.error),
      {{"confidence", "%"}, {"detections"}, {"people"}, {"mean confidence", "%"}, {"share", "%"}},
      {}};
  for (const people::ReliabilityBin& bin : reliability.bins) {
    if (bin.detections == 0) continue;
    const double most = bin.least + 1.0 / static_cast<double>(reliability.bins.size());
    table.rows.push_back({fmt::format("{:.0f} to {:.0f}", 100 * bin.least, 100 * most),
                          bin.detections,
                          bin.hits,
                          {100 * bin.confidence, 3},
                          {100 * bin.share, 3}});
  }
  return table;
}

report::Table model_facts(const EvalModel& model) {
  report::Table table{"What is known of " + model.label + ".",
                      {{"fact"}, {"value"}},
                      {{"model", model.name},
                       {"kind", people::to_string(model.model->kind)},
                       {"threshold", fmt::format("{}", model.model->threshold)}}};
  for (const auto& [name, value] : model.model->facts) table.rows.push_back({name, value});
  return table;
}

}  // namespace

std::vector<report::Table> people_tables(const std::vector<EvalResult>& results, bool windows) {
  std::vector<report::Table> tables{windows ? window_numbers(results) : image_numbers(results)};
  for (const EvalResult& result : results) {
    tables.push_back(model_facts(result.model));
    if (!windows && result.images.reliability)
      tables.push_back(reliability_table(result.model.label, *result.images.reliability));
    if (auto stages = stages_table(result)) tables.push_back(std::move(*stages));
  }
  return tables;
}

void write_miss_rates(const std::string& path, const std::string& kind, bool windows,
                      const std::vector<MissRates>& curves) {
  write_csv_file(path,
                 {kind, windows ? "false_positives_per_window" : "false_positives_per_image",
                  "miss_rate", "precision", "threshold"},
                 [&](io::CsvWriter& csv) {
                   for (const auto& [name, curve] : curves)
                     for (const people::CurvePoint& point : *curve)
                       csv.row(name, point.false_positives, point.miss_rate, point.precision,
                               point.threshold);
                 });
}

void write_eval_folder(const EvalRequest& request, const Context& context,
                       const std::vector<EvalResult>& results, const EvalImages* images) {
  const fs::path folder(request.output);
  make_folder(request.output);
  report::EvaluationPageSetup page{.sheet = request.sheet};
  std::vector<MissRates> curves;
  for (const EvalResult& result : results) {
    curves.emplace_back(result.model.label,
                        images == nullptr ? &result.windows.curve : &result.images.curve);
    page.pictures.push_back(stages_pictures(result, file_name(result.model.label)));
    if (images != nullptr) write_found(folder, context, result, *images);
  }
  write_miss_rates((folder / "curve.csv").string(), "model", images == nullptr, curves);
  write_evaluation_folder(request.output, context, people_evaluation(request, results, images),
                          std::move(page));
}

}  // namespace fovea::cli
