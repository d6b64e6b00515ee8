// The folder of an evaluation of flow: what fovea view shows, errors and curve as CSV, the curve as
// SVG, and a page with both and with pictures.
#include <fovea/io/record_io.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "cli/flow/eval.h"
#include "cli/program/files.h"
#include "cli/program/result.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// Columns before and behind those of the library's records.
struct MethodColumn {
  std::string method{};
};
void describe(FieldVisitor& visit, MethodColumn& row) { visit("method", row.method, "its name"); }
struct SequenceColumn {
  std::string sequence{};
};
void describe(FieldVisitor& visit, SequenceColumn& row) {
  visit("sequence", row.sequence, "its name");
}
struct SecondsColumn {
  double seconds = 0;
};
void describe(FieldVisitor& visit, SecondsColumn& row) {
  visit("seconds", row.seconds, "how long the estimation took", {.unit = "seconds"});
}

void write_errors_csv(const std::string& path, const std::vector<MethodResult>& results,
                      bool timed) {
  io::FileSink file(path);
  MethodColumn method;
  SequenceColumn sequence;
  flow::FlowErrors errors;
  SecondsColumn seconds;
  std::vector<RecordRef> row{record_ref(method), record_ref(sequence), record_ref(errors)};
  if (timed) row.push_back(record_ref(seconds));
  io::RecordTable table(file.sink(), io::TableFormat::kCsv, row);
  for (const MethodResult& result : results) {
    for (const SequenceResult& each : result.sequences) {
      method = {result.name};
      sequence = {each.sequence.name};
      errors = each.report.all;
      seconds = {each.seconds};
      table.row(row);
    }
  }
  table.finish();
  file.commit();
}

void write_curve_csv(const std::string& path, const MethodResult& result) {
  io::FileSink file(path);
  SequenceColumn sequence;
  flow::SparsificationPoint at;
  const std::array row{record_ref(sequence), record_ref(at)};
  io::RecordTable table(file.sink(), io::TableFormat::kCsv, row);
  for (const SequenceResult& each : result.sequences) {
    sequence = {each.sequence.name};
    for (const flow::SparsificationPoint& point : each.report.curve) {
      at = point;
      table.row(row);
    }
  }
  table.finish();
  file.commit();
}

report::Series series(const std::string& name, const std::vector<flow::SparsificationPoint>& curve,
                      bool oracle) {
  report::Series result{.name = name, .dashed = oracle};
  for (const flow::SparsificationPoint& point : curve) {
    result.x.push_back(100 * point.removed);
    result.y.push_back(oracle ? point.oracle : point.endpoint);
  }
  return result;
}

std::string curve_svg(const MethodResult& result) {
  const auto mean = mean_curve(result);
  report::LineChart chart{
      .title = "Error of the remaining pixels",
      .x = {.title = "least confident pixels removed (%)"},
      .y = {.title = "endpoint error (px)", .zero = true},
      .series = {series("by confidence", mean, false), series("oracle: by error", mean, true)},
      .width = 720,
      .height = 420};
  return to_svg(chart);
}

report::Table errors_table(const MethodResult& result, bool timed) {
  report::Table table{
      fmt::format("{}: errors over all pixels whose true flow is known.", result.name),
      {{"sequence"},
       {"endpoint", "px"},
       {"angular", "degrees"},
       {"R0.5", "%"},
       {"R1", "%"},
       {"R2", "%"},
       {"Fl", "%"},
       {"confident", "%"},
       {"endpoint of confident", "px"}},
      {}};
  if (timed) table.columns.push_back({"time", "ms"});
  const auto row = [&](const std::string& name, const flow::FlowErrors& all, double share,
                       double confident, double seconds) {
    table.rows.push_back({name,
                          {all.endpoint, 3},
                          {all.angular, 3},
                          {100 * all.r05, 3},
                          {100 * all.r1, 3},
                          {100 * all.r2, 3},
                          {100 * all.fl, 3},
                          {100 * share, 3},
                          {confident, 3}});
    if (timed) table.rows.back().push_back({1000 * seconds, 3});
  };
  double share = 0, seconds = 0;
  for (const SequenceResult& each : result.sequences) {
    row(each.sequence.name, each.report.all, each.report.confident_share,
        each.report.confident.endpoint, each.seconds);
    share += each.report.confident_share;
    seconds += each.seconds;
  }
  const auto count = static_cast<double>(result.sequences.size());
  row("mean", mean_errors(result), share / count, mean_errors(result, true).endpoint,
      seconds / count);
  return table;
}

void add_pictures(report::Page& page, const MethodResult& result) {
  page.section("Sequences");
  for (const SequenceResult& each : result.sequences) {
    if (each.picture.empty()) continue;
    page.figure(report::Figure::picture(
        each.picture, {fmt::format("{}: endpoint error {:.3f} px", each.sequence.name,
                                   each.report.all.endpoint)}));
  }
}

}  // namespace

void write_flow_eval_folder(const FlowEvalRequest& request, const Context& context,
                            const std::vector<MethodResult>& results) {
  const fs::path folder(request.output);
  make_folder(request.output);
  const MethodResult& ours = results.front();
  const bool timed = tells_times(context);
  write_errors_csv((folder / "errors.csv").string(), results, timed);
  write_curve_csv((folder / "curve.csv").string(), ours);
  const std::string svg = curve_svg(ours);
  write_text((folder / "curve.svg").string(), svg);
  const report::Evaluation evaluation = flow_evaluation(results);
  write_evaluation_result((folder / "evaluation.json").string(), context, evaluation);
  report::Page page(evaluation.title, evaluation.summary);
  page.section("Errors");
  for (const MethodResult& result : results) page.table(errors_table(result, timed));
  page.section("Confidence");
  page.figure(report::Figure::chart(
      svg, {fmt::format("Mean over the sequences. The area between the lines is {:.3f} of the mean "
                        "error; 0 would be a perfect prediction.",
                        mean_sparsification_error(ours))}));
  add_pictures(page, ours);
  page.provenance(page_provenance(context));
  page.write((folder / "index.html").string());
}

}  // namespace fovea::cli
