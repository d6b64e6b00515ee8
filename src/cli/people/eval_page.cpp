// The folder of an evaluation: what fovea view shows, the curve as CSV and SVG, detections as COCO
// JSON, and a page with the curve, the numbers and the worst mistakes.
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/people/show.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/people/eval_cascade.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "core/json_text.h"
#include "operations/people/people_files.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<people::CurvePoint>& curve_of(const EvalResult& result, bool windows) {
  return windows ? result.windows.curve : result.images.curve;
}

void write_csv(const std::string& path, const std::vector<EvalResult>& results, bool windows) {
  io::FileSink file(path);
  io::CsvWriter csv(file.sink(),
                    {"model", windows ? "false_positives_per_window" : "false_positives_per_image",
                     "miss_rate", "precision", "threshold"});
  for (const EvalResult& result : results) {
    for (const people::CurvePoint& point : curve_of(result, windows))
      csv.row(result.model.label, point.false_positives, point.miss_rate, point.precision,
              point.threshold);
  }
  file.commit();
}

std::string curve_svg(const std::vector<EvalResult>& results, bool windows) {
  std::vector<people::NamedCurve> curves;
  for (const EvalResult& result : results) {
    const double summary =
        windows ? result.windows.miss_rate_at(1e-4) : result.images.log_average_miss_rate;
    curves.push_back(
        {fmt::format("{} {:.1f} %", result.model.label, 100 * summary), curve_of(result, windows)});
  }
  return people::draw_curves(curves,
                             windows ? people::CurveUnit::kWindow : people::CurveUnit::kImage);
}

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

// Cuts the box with some of its surroundings out of the image and draws the box.
Image<std::uint8_t> cut_out(Image<std::uint8_t>& image, const Rect<float>& box) {
  const double margin = 0.25 * box.height;
  const int left = std::clamp(static_cast<int>(box.x - margin), 0, image.width() - 1);
  const int top = std::clamp(static_cast<int>(box.y - margin), 0, image.height() - 1);
  const int right =
      std::clamp(static_cast<int>(box.x + box.width + margin), left + 1, image.width());
  const int bottom =
      std::clamp(static_cast<int>(box.y + box.height + margin), top + 1, image.height());
  Image<std::uint8_t> result = clone(image.view().crop(left, top, right - left, bottom - top));
  report::draw_box(result.view(), Rect<double>{box.x - left, box.y - top, box.width, box.height},
                   {.thickness = std::max(2.F, box.height / 80)});
  return result;
}

std::string caption_of(const PeopleMistake& mistake) {
  return mistake.score ? fmt::format("score {:.2f}", *mistake.score) : "not found";
}

void add_sheet(report::Page& page, std::vector<PeopleMistake> mistakes, const EvalImages& images,
               const EvalRequest& request, const std::string& caption) {
  if (mistakes.size() > static_cast<std::size_t>(request.sheet))
    mistakes.resize(static_cast<std::size_t>(request.sheet));
  if (mistakes.empty()) return;
  std::vector<Image<std::uint8_t>> pictures;
  std::vector<report::Tile> tiles;
  for (const PeopleMistake& mistake : mistakes) {
    Image<std::uint8_t> image = images.files.read(static_cast<int>(mistake.image));
    pictures.push_back(cut_out(image, mistake.box));
  }
  for (std::size_t i = 0; i < mistakes.size(); ++i)
    tiles.push_back({pictures[i], caption_of(mistakes[i])});
  page.figure(report::Figure::picture(report::montage(tiles, {.columns = 8, .cell = {112, 168}}),
                                      {caption}));
}

void add_image_numbers(report::Page& page, const std::vector<EvalResult>& results) {
  report::Table table{
      "All models are measured on the same images. Numbers in brackets are standard deviations "
      "over "
      "bootstrap samples of the images.",
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
    table.rows.push_back(
        {result.model.label,
         people::to_string(result.model.model->kind),
         fmt::format("{:.1f} ({:.1f})", 100 * measured.log_average_miss_rate,
                     100 * measured.deviation),
         {100 * measured.average_precision, 3},
         {100 * measured.miss_rates[4], 3},
         {100 * measured.miss_rates[8], 3},
         {static_cast<double>(result.counts.evaluations) /
              static_cast<double>(std::max<std::int64_t>(result.counts.windows, 1)),
          3}});
  }
  page.table(table);
}

void add_window_numbers(report::Page& page, const std::vector<EvalResult>& results) {
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
         {static_cast<double>(result.counts.evaluations) /
              static_cast<double>(std::max<std::int64_t>(result.counts.windows, 1)),
          3}});
  }
  page.table(table);
}

void add_model(report::Page& page, const EvalResult& result, const EvalImages* images,
               const EvalRequest& request) {
  page.section(result.model.label);
  std::vector<std::pair<std::string, std::string>> facts{
      {"model", result.model.name},
      {"kind", people::to_string(result.model.model->kind)},
      {"threshold", fmt::format("{}", result.model.model->threshold)}};
  for (const auto& fact : result.model.model->facts) facts.push_back(fact);
  page.facts(facts);
  if (images != nullptr) {
    add_sheet(page, false_positives(result), *images, request,
              "The false positives with the highest scores.");
    add_sheet(page, missed_people(result, result.model.model->threshold), *images, request,
              "People who were missed. Those found at no score come first, the tallest of them "
              "before the "
              "others; then those with a score below the threshold.");
  }
  add_cascade(page, result, {request.output, file_name(result.model.label)});
}

}  // namespace

void write_eval_folder(const EvalRequest& request, const Context& context,
                       const std::vector<EvalResult>& results, const EvalImages* images) {
  const fs::path folder(request.output);
  make_folder(request.output);
  const bool windows = images == nullptr;
  write_csv((folder / "curve.csv").string(), results, windows);
  const std::string svg = curve_svg(results, windows);
  write_text((folder / "curve.svg").string(), svg);
  if (images != nullptr) {
    for (const EvalResult& result : results) write_found(folder, context, result, *images);
  }
  const report::Evaluation evaluation = people_evaluation(request, results, images);
  write_evaluation_result((folder / "evaluation.json").string(), context, evaluation);
  report::Page page(evaluation.title, evaluation.summary);
  page.section("Curve");
  page.figure(report::Figure::chart(
      svg, {windows ? "Lower is better; the number is the miss rate at 1e-4."
                    : "Lower is better; the number is the log-average miss rate."}));
  if (windows) add_window_numbers(page, results);
  else add_image_numbers(page, results);
  for (const EvalResult& result : results) add_model(page, result, images, request);
  page.provenance(page_provenance(context));
  page.write((folder / "index.html").string());
}

}  // namespace fovea::cli
