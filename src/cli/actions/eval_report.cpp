// Prints an evaluation of actions as text or JSON, and writes it as a folder with a page.
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/actions/eval.h"
#include "cli/program/files.h"
#include "cli/program/result.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using actions::MethodReport;

void write_confusion(io::JsonWriter& json, const Confusion& confusion) {
  json.begin_array();
  const auto width = static_cast<std::size_t>(confusion.classes);
  for (std::size_t truth = 0; truth < width; ++truth)
    json.values(std::span(confusion.counts).subspan(truth * width, width));
  json.end_array();
}

void write_method(io::JsonWriter& json, const MethodReport& method, bool timed) {
  json.begin_object().member("method", method.method).member("tested", method.tested);
  json.member("correct", method.correct).member("accuracy", method.accuracy());
  json.member("low", method.interval.low).member("high", method.interval.high);
  json.member("unclassified", method.unclassified);
  if (timed) json.member("seconds", method.seconds);
  json.key("confusion_matrix");
  write_confusion(json, method.confusion);
  json.end_object();
}

void write_list(io::JsonWriter& json, const char* name, const std::vector<std::string>& words) {
  json.key(name).begin_array();
  for (const std::string& word : words) json.value(word);
  json.end_array();
}

void write_curve(io::JsonWriter& json, const char* name, const char* unit,
                 const std::vector<actions::CurvePoint>& curve, bool timed) {
  json.key(name).begin_array();
  for (const actions::CurvePoint& point : curve) {
    json.begin_object().member(unit, point.at).member("correct", point.correct);
    json.member("tested", point.tested);
    if (timed) json.member("seconds", point.seconds);
    json.end_object();
  }
  json.end_array();
}

// The sizes of a split's parts, and what is missing in them.
void write_split(io::JsonWriter& json, const ActionsEvalResult& result) {
  if (!result.split.empty())
    json.key("split")
        .begin_object()
        .member("training_clips", result.split[0])
        .member("validation_clips", result.split[1])
        .member("test_clips", result.split[2])
        .end_object();
  if (result.missing.parts.empty()) return;
  json.key("left_out").begin_object().key("parts").begin_array();
  for (const MissingPart& part : result.missing.parts)
    json.begin_object()
        .member("part", part.name)
        .member("videos", part.videos)
        .member("of_videos", part.of_videos)
        .member("clips", part.clips)
        .member("of_clips", part.of_clips)
        .end_object();
  json.end_array();
  write_list(json, "videos", result.missing.names);
  json.end_object();
}

void write_unknown(io::JsonWriter& json, const actions::UnknownReport& report) {
  json.key("unknown_actions").begin_object();
  json.member("known", report.known).member("known_kept", report.known_kept);
  json.member("known_right", report.known_right);
  json.member("unknown", report.unknown).member("unknown_kept", report.unknown_kept);
  json.member("area", report.area);
  json.key("curve").begin_array();
  for (const auto& point : report.curve)
    json.begin_object()
        .member("known_kept", point.known_kept)
        .member("unknown_kept", point.unknown_kept)
        .end_object();
  json.end_array().end_object();
}

std::string unknown_svg(const actions::UnknownReport& report) {
  report::Series series{.name = "reject rule"};
  for (const auto& point : report.curve) {
    series.x.push_back(100 * point.unknown_kept);
    series.y.push_back(100 * point.known_kept);
  }
  return report::to_svg(report::LineChart{.title = "Known and unknown actions",
                                          .x = {.title = "unknown clips that are kept (%)"},
                                          .y = {.title = "known clips that are kept (%)"},
                                          .series = {series}});
}

void print_json(const ActionsEvalResult& result, Context& context) {
  print_result(context, [&](io::JsonWriter& json) {
    const bool timed = reports_times(context);
    json.member("clips", result.corpus.clips.size()).member("failed", result.failed);
    write_split(json, result);
    json.member("folds", result.folds).member("subjects", result.corpus.subjects().size());
    write_list(json, "classes", result.corpus.classes);
    const actions::EvaluateReport& report = result.report;
    json.key("methods").begin_array();
    for (const MethodReport* method : result.methods()) write_method(json, *method, timed);
    json.end_array();
    write_list(json, "chosen", report.chosen);
    write_list(json, "fused_chosen", report.fused_chosen);
    json.key("recipes").begin_array();
    for (const MethodReport& method : report.recipes) {
      json.begin_object().member("recipe", method.method).member("correct", method.correct);
      json.member("tested", method.tested);
      if (timed) json.member("seconds", method.seconds);
      json.end_object();
    }
    json.end_array();
    const std::vector<ScenarioRow> scenarios = by_scenario(result.corpus, *result.methods()[0]);
    json.key("scenarios").begin_array();
    for (const ScenarioRow& row : scenarios)
      json.begin_object()
          .member("scenario", row.name)
          .member("tested", row.tested)
          .member("correct", row.correct)
          .end_object();
    json.end_array();
    if (result.unknown) write_unknown(json, *result.unknown);
    write_curve(json, "accuracy_against_window", "window", result.windows, timed);
    write_curve(json, "accuracy_against_subjects", "subjects", result.subjects, timed);
    if (timed) json.member("point_seconds", result.point_seconds);
    json.key("evaluation");
    report::write_evaluation(json, actions_evaluation(result));
  });
}

std::string confusion_svg(const ActionsEvalResult& result, const MethodReport& method) {
  const Confusion& total = method.confusion;
  return report::to_svg(report::MatrixChart{.title = fmt::format("Confusion of {}", method.method),
                                            .values = {total.counts.begin(), total.counts.end()},
                                            .rows = total.classes,
                                            .columns = total.classes,
                                            .row_labels = result.corpus.classes,
                                            .column_labels = result.corpus.classes,
                                            .row_title = "true action",
                                            .column_title = "predicted action",
                                            .value_title = "share of the action's clips",
                                            .normalize_rows = true,
                                            .width = 720});
}

std::string methods_svg(const ActionsEvalResult& result) {
  report::BarChart chart{.title = "Clips classified correctly",
                         .value = {.title = "correct clips (%)", .high = 100},
                         .horizontal = true};
  report::BarSeries series;
  for (const MethodReport* method : result.methods()) {
    chart.categories.push_back(method->method);
    series.values.push_back(100 * method->accuracy());
    series.errors.push_back(50 * (method->interval.high - method->interval.low));
  }
  chart.series.push_back(std::move(series));
  return report::to_svg(chart);
}

std::string curve_svg(const std::vector<actions::CurvePoint>& curve, const char* title,
                      const char* unit) {
  report::Series series{.name = "accuracy", .marker = report::Marker::kDot};
  for (const actions::CurvePoint& point : curve) {
    series.x.push_back(point.at);
    series.y.push_back(100.0 * point.correct / std::max(1, point.tested));
  }
  return report::to_svg(report::LineChart{.title = title,
                                          .x = {.title = unit},
                                          .y = {.title = "correct clips (%)"},
                                          .series = {series}});
}

std::string time_svg(const std::vector<actions::CurvePoint>& curve) {
  report::Series series{.name = "time", .marker = report::Marker::kDot};
  for (const actions::CurvePoint& point : curve) {
    series.x.push_back(point.at);
    series.y.push_back(point.seconds);
  }
  return report::to_svg(report::LineChart{.title = "Time against the window",
                                          .x = {.title = "T (frames)"},
                                          .y = {.title = "time (s)", .zero = true},
                                          .series = {series}});
}

void write_confusion_csv(const fs::path& path, const ActionsEvalResult& result,
                         const MethodReport& method) {
  io::FileSink file(path.string());
  std::vector<std::string> header{"true action"};
  header.insert(header.end(), result.corpus.classes.begin(), result.corpus.classes.end());
  io::CsvWriter csv(file.sink(), header);
  for (int truth = 0; truth < method.confusion.classes; ++truth) {
    csv.field(result.corpus.classes[static_cast<std::size_t>(truth)]);
    for (int predicted = 0; predicted < method.confusion.classes; ++predicted)
      csv.field(method.confusion.at(truth, predicted));
    csv.end_row();
  }
  file.commit();
}

report::Table methods_table(const ActionsEvalResult& result, bool timed) {
  report::Table table{.caption = "Results of each method",
                      .columns = {{"method"},
                                  {"correct", "clips"},
                                  {"tested", "clips"},
                                  {"accuracy", "%"},
                                  {"low", "%"},
                                  {"high", "%"}}};
  if (timed) table.columns.push_back({"time", "s"});
  for (const MethodReport* method : result.methods()) {
    table.rows.push_back({method->method,
                          {static_cast<double>(method->correct), 3},
                          {static_cast<double>(method->tested), 3},
                          {100 * method->accuracy(), 3},
                          {100 * method->interval.low, 3},
                          {100 * method->interval.high, 3}});
    if (timed) table.rows.back().push_back({method->seconds, 3});
  }
  return table;
}

}  // namespace

std::vector<const MethodReport*> ActionsEvalResult::methods() const {
  std::vector<const MethodReport*> all;
  if (report.matching.tested > 0) all.push_back(&report.matching);
  if (report.fused.tested > 0) all.push_back(&report.fused);
  for (const MethodReport& method : report.baselines) all.push_back(&method);
  return all;
}

std::vector<ScenarioRow> by_scenario(const actions::Corpus& corpus, const MethodReport& method) {
  std::vector<ScenarioRow> rows;
  for (std::size_t i = 0; i < corpus.clips.size(); ++i) {
    if (!method.was_tested[i] || corpus.clips[i].scenario.empty()) continue;
    auto row = std::ranges::find(rows, corpus.clips[i].scenario, &ScenarioRow::name);
    if (row == rows.end()) row = rows.insert(rows.end(), {corpus.clips[i].scenario});
    ++row->tested;
    row->correct += method.labels[i] == corpus.clips[i].label ? 1 : 0;
  }
  std::ranges::sort(rows, {}, &ScenarioRow::name);
  return rows;
}

void print_evaluation(const ActionsEvalResult& result, Context& context) {
  if (context.json) return print_json(result, context);
  const auto time = [&](double seconds) {
    return reports_times(context) ? fmt::format(", {:.1f} s", seconds) : "";
  };
  for (const MethodReport* method : result.methods())
    context.console.print(fmt::format(
        "{:<32} {:4} of {:4} correct, {:5.1f} % ({:.1f} to {:.1f}){}\n", method->method,
        method->correct, method->tested, 100 * method->accuracy(), 100 * method->interval.low,
        100 * method->interval.high, time(method->seconds)));
  const MethodReport& first = *result.methods()[0];
  const std::vector<double> recall = first.confusion.recall();
  for (std::size_t c = 0; c < result.corpus.classes.size(); ++c)
    context.console.print(
        fmt::format("  {:<24} {:5.1f} %\n", result.corpus.classes[c], 100 * recall[c]));
  for (const ScenarioRow& row : by_scenario(result.corpus, first))
    context.console.print(
        fmt::format("  scenario {:<15} {} of {}\n", row.name, row.correct, row.tested));
  if (result.unknown)
    context.console.print(
        fmt::format("  unknown actions: {} of {} kept ({:.1f} %); known: {} of {} kept ({:.1f} %), "
                    "area {:.3f}\n",
                    result.unknown->unknown_kept, result.unknown->unknown,
                    100.0 * result.unknown->unknown_kept / std::max(1, result.unknown->unknown),
                    result.unknown->known_kept, result.unknown->known,
                    100.0 * result.unknown->known_kept / std::max(1, result.unknown->known),
                    result.unknown->area));
  for (const actions::CurvePoint& point : result.windows)
    context.console.print(fmt::format("  T {:<4} {} of {} correct{}\n", point.at, point.correct,
                                      point.tested, time(point.seconds)));
  for (const actions::CurvePoint& point : result.subjects)
    context.console.print(fmt::format("  {:2} training subjects {} of {} correct, {:.1f} %\n",
                                      point.at, point.correct, point.tested,
                                      100.0 * point.correct / std::max(1, point.tested)));
}

void write_actions_evaluation(const std::string& folder, const ActionsEvalResult& result,
                              const Context& context) {
  const fs::path to(folder);
  make_folder(folder);
  const MethodReport& first = *result.methods()[0];
  report::Page page("Actions", fmt::format("{} clips of {} actions by {} subjects, {} folds",
                                           result.corpus.clips.size(), result.corpus.classes.size(),
                                           result.corpus.subjects().size(), result.folds));
  write_evaluation_result((to / "evaluation.json").string(), context, actions_evaluation(result));
  const bool timed = reports_times(context);
  page.section("Accuracy").table(methods_table(result, timed));
  const std::string methods = methods_svg(result), confusion = confusion_svg(result, first);
  write_text((to / "methods.svg").string(), methods);
  write_text((to / "confusion.svg").string(), confusion);
  write_confusion_csv(to / "confusion.csv", result, first);
  page.figure(report::Figure::chart(methods, {"The error bars are Wilson's 95 % interval."}));
  page.section("Confusion")
      .figure(
          report::Figure::chart(confusion, {"Rows are true actions, columns are predicted ones."}));
  if (!result.windows.empty()) {
    const std::string accuracy =
        curve_svg(result.windows, "Accuracy against the window", "T (frames)");
    write_text((to / "window_accuracy.svg").string(), accuracy);
    page.section("Window").figure(
        report::Figure::chart(accuracy, {"All other options are as given."}));
    if (timed) {
      const std::string time = time_svg(result.windows);
      write_text((to / "window_time.svg").string(), time);
      page.figure(report::Figure::chart(time, {"The time includes all matches of all folds."}));
    }
  }
  if (!result.subjects.empty()) {
    const std::string curve =
        curve_svg(result.subjects, "Accuracy against training subjects", "training subjects");
    write_text((to / "subjects.svg").string(), curve);
    page.section("Subjects")
        .figure(report::Figure::chart(curve, {"Each point is the mean over all draws."}));
  }
  if (result.unknown) {
    const std::string curve = unknown_svg(*result.unknown);
    write_text((to / "unknown.svg").string(), curve);
    page.section("Unknown actions")
        .figure(report::Figure::chart(
            curve, {"Each subject and each action was left out in turn; the curve goes over the "
                    "limit of the reject rule."}));
  }
  page.provenance(page_provenance(context));
  page.write((to / "index.html").string());
}

}  // namespace fovea::cli
