// The folder of an evaluation of flow: what every evaluation has, errors and curve as CSV, and a
// page with pictures.
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "cli/flow/eval.h"
#include "cli/program/files.h"
#include "cli/program/result.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// A column before those of the library's records.
struct NameColumn {
  const char* title;
  std::string name{};
};
void describe(FieldVisitor& visit, NameColumn& row) { visit(row.title, row.name, "its name"); }
struct SecondsColumn {
  double seconds = 0;
};
void describe(FieldVisitor& visit, SecondsColumn& row) {
  visit("seconds", row.seconds, "how long the estimation took",
        {.unit = "seconds", .timing = true});
}

void write_errors_csv(const std::string& path, const std::vector<MethodResult>& results,
                      const io::WrittenFields& which) {
  io::FileSink file(path);
  NameColumn method{"method"}, sequence{"sequence"};
  flow::FlowErrors errors;
  SecondsColumn seconds;
  const std::array row{record_ref(method), record_ref(sequence), record_ref(errors),
                       record_ref(seconds)};
  io::RecordTable table(file.sink(), io::TableFormat::kCsv, row, which);
  for (const MethodResult& result : results) {
    for (const SequenceResult& each : result.sequences) {
      method.name = result.name;
      sequence.name = each.sequence.name;
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
  NameColumn sequence{"sequence"};
  flow::SparsificationPoint at;
  const std::array row{record_ref(sequence), record_ref(at)};
  io::RecordTable table(file.sink(), io::TableFormat::kCsv, row);
  for (const SequenceResult& each : result.sequences) {
    sequence.name = each.sequence.name;
    for (const flow::SparsificationPoint& point : each.report.curve) {
      at = point;
      table.row(row);
    }
  }
  table.finish();
  file.commit();
}

report::EvaluationPictures sequence_pictures(const MethodResult& result) {
  report::EvaluationPictures pictures{"Sequences", {}};
  for (const SequenceResult& each : result.sequences) {
    if (each.picture.empty()) continue;
    pictures.figures.push_back(report::Figure::picture(
        each.picture, {fmt::format("{}: endpoint error {:.3f} px", each.sequence.name,
                                   each.report.all.endpoint)}));
  }
  return pictures;
}

}  // namespace

void write_flow_eval_folder(const FlowEvalRequest& request, const Context& context,
                            const std::vector<MethodResult>& results) {
  const fs::path folder(request.output);
  make_folder(request.output);
  const MethodResult& ours = results.front();
  write_errors_csv((folder / "errors.csv").string(), results, written_fields(context));
  write_curve_csv((folder / "curve.csv").string(), ours);
  // The table of errors and the pictures have all sequences, so that there is no sheet of the
  // worst.
  write_evaluation_folder(request.output, context, flow_evaluation(results),
                          {.sheet = 0, .pictures = {sequence_pictures(ours)}});
}

}  // namespace fovea::cli
