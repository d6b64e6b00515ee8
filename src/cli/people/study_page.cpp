// The folder of a study: a page with one chart per parameter, tables as CSV, and JSON.
#include <fovea/io/record_io.h>
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/people/eval.h"
#include "cli/people/study.h"
#include "cli/program/files.h"
#include "cli/program/result.h"

namespace fovea::cli {
namespace {

using people::StudyReport;
using people::StudyVariant;

// The default, then the values of one parameter that were finished.
std::vector<const StudyVariant*> variants_of(const StudyReport& report,
                                             const std::string& parameter) {
  std::vector<const StudyVariant*> variants{&report.base};
  for (const StudyVariant& variant : report.variants)
    if (variant.parameter == parameter) variants.push_back(&variant);
  return variants;
}

std::vector<const StudyVariant*> all_variants(const StudyReport& report) {
  std::vector<const StudyVariant*> variants{&report.base};
  variants.reserve(report.variants.size() + 1);
  for (const StudyVariant& variant : report.variants) variants.push_back(&variant);
  return variants;
}

void write_tables(const std::filesystem::path& folder, const StudyReport& report) {
  const std::vector<const StudyVariant*> variants = all_variants(report);
  write_csv_file((folder / "table.csv").string(),
                 {"parameter", "value", "miss_rate", "standard_deviation",
                  "false_positives_per_window", "numbers", "hard_windows", "crops", "windows"},
                 [&](io::CsvWriter& csv) {
                   for (const StudyVariant* variant : variants)
                     csv.row(variant->parameter, variant->label, variant->miss_rate,
                             variant->deviation, report.false_rate, variant->numbers,
                             variant->hard_windows, variant->report.positives,
                             variant->report.negatives);
                 });
  write_csv_file((folder / "curves.csv").string(),
                 {"parameter", "value", "false_positives_per_window", "miss_rate", "threshold"},
                 [&](io::CsvWriter& csv) {
                   for (const StudyVariant* variant : variants)
                     for (const people::CurvePoint& point : variant->report.curve)
                       csv.row(variant->parameter, variant->label, point.false_positives,
                               point.miss_rate, point.threshold);
                 });
}

void write_json(const std::string& path, const Context& context, const StudyReport& report) {
  io::FileSink file(path);
  io::JsonWriter json(file.sink());
  begin_result(json, context);
  io::write_fields(json, record_ref(report));
  end_result(json, context);
  json.finish();
  file.commit();
}

std::vector<report::Cell> table_row(const StudyVariant& variant, const StudyReport& report) {
  const bool base = variant.parameter.empty();
  return {base ? "" : variant.parameter, variant.label,
          fmt::format("{:.1f} ({:.1f})", 100 * variant.miss_rate, 100 * variant.deviation),
          base ? "" : fmt::format("{:+.1f}", 100 * (variant.miss_rate - report.base.miss_rate)),
          variant.numbers};
}

report::Table table_of(const StudyReport& report) {
  report::Table table{
      "Lower is better. Numbers in brackets are standard deviations; a change of less than two of "
      "them may be chance.",
      {{"parameter"}, {"value"}, {"miss rate", "%"}, {"change", "points"}, {"numbers of a window"}},
      {}};
  for (const StudyVariant* variant : all_variants(report))
    table.rows.push_back(table_row(*variant, report));
  return table;
}

std::string lead(const StudyReport& report, std::size_t values) {
  const std::string done = report.variants.size() < values
                               ? fmt::format(" The study was interrupted after {} of {} variants.",
                                             report.variants.size(), values)
                               : "";
  return fmt::format(
      "Each parameter of the descriptor is varied from the default, one at a time. Every variant "
      "learned from {} crops of people, with mirror images, and {} random windows, and was "
      "measured "
      "on {} crops and {} windows without people, at {:.2g} false positives per window.{}",
      report.positives, report.random_windows, report.base.report.positives,
      report.base.report.negatives, report.false_rate, done);
}

}  // namespace

report::Evaluation study_evaluation(const StudyReport& report) {
  std::size_t values = 0;
  for (const people::StudyParameter& parameter : report.parameters)
    values += parameter.values.size();
  report::Evaluation evaluation{.system = "people",
                                .title = "What matters in a HOG descriptor",
                                .summary = lead(report, values),
                                .tables = {table_of(report)}};
  for (const people::StudyParameter& parameter : report.parameters) {
    const auto variants = variants_of(report, parameter.name);
    if (variants.size() < 2) continue;
    report::EvaluationChart chart = people::miss_rate_chart(people::CurveUnit::kWindow);
    chart.title = parameter.name;
    chart.option.clear();  // no model that ships has these descriptors
    chart.file.clear();
    chart.caption =
        fmt::format("{}{}; the number is the miss rate at {:.2g}.",
                    static_cast<char>(std::toupper(static_cast<unsigned char>(parameter.text[0]))),
                    parameter.text.substr(1), report.false_rate);
    for (const StudyVariant* variant : variants)
      people::add_miss_rates(chart, variant->label, {}, variant->report.curve, variant->miss_rate);
    evaluation.charts.push_back(std::move(chart));
  }
  return evaluation;
}

void write_study_folder(const std::string& folder, const Context& context,
                        const StudyReport& report) {
  const std::filesystem::path path(folder);
  make_folder(folder);
  write_tables(path, report);
  write_json((path / "study.json").string(), context, report);
  write_evaluation_folder(folder, context, study_evaluation(report),
                          {.links = {{"the table as CSV", "table.csv"},
                                     {"the curves as CSV", "curves.csv"},
                                     {"everything as JSON", "study.json"}}});
}

}  // namespace fovea::cli
