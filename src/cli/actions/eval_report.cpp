// An evaluation of actions in words, as JSON, and as a folder with a page.
#include <fovea/core/version.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/actions/eval.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using actions::Judged;

void write_confusion(io::JsonWriter& json, const scenes::Confusion& confusion) {
  json.begin_array();
  const auto width = static_cast<std::size_t>(confusion.classes);
  for (std::size_t truth = 0; truth < width; ++truth)
    json.values(std::span(confusion.counts).subspan(truth * width, width));
  json.end_array();
}

void write_judged(io::JsonWriter& json, const Judged& judged) {
  json.begin_object().member("method", judged.method).member("tested", judged.tested);
  json.member("right", judged.right).member("accuracy", judged.accuracy());
  json.member("low", judged.low).member("high", judged.high);
  json.member("without_match", judged.without_match).member("seconds", judged.seconds);
  json.key("confusion_matrix");
  write_confusion(json, judged.confusion);
  json.end_object();
}

void write_list(io::JsonWriter& json, const char* name, const std::vector<std::string>& words) {
  json.key(name).begin_array();
  for (const std::string& word : words) json.value(word);
  json.end_array();
}

void write_curve(io::JsonWriter& json, const char* name, const char* unit,
                 const std::vector<CurvePoint>& curve) {
  json.key(name).begin_array();
  for (const CurvePoint& point : curve)
    json.begin_object()
        .member(unit, point.at)
        .member("right", point.right)
        .member("tested", point.tested)
        .member("seconds", point.seconds)
        .end_object();
  json.end_array();
}

void print_json(const ActionsEvalResult& result, Context& context) {
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  json.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
  json.member("device", to_string(context.exec.device)).member("seed", context.exec.seed);
  json.key("options").raw(context.options_json);
  json.member("clips", result.corpus.clips.size()).member("failed", result.failed);
  json.member("folds", result.folds).member("subjects", result.corpus.subjects().size());
  write_list(json, "classes", result.corpus.classes);
  const actions::Evaluation& evaluation = result.evaluation;
  json.key("methods").begin_array();
  for (const Judged* judged : result.methods()) write_judged(json, *judged);
  json.end_array();
  write_list(json, "chosen", evaluation.chosen);
  write_list(json, "fused_chosen", evaluation.fused_chosen);
  json.key("recipes").begin_array();
  for (const Judged& judged : evaluation.recipes)
    json.begin_object()
        .member("recipe", judged.method)
        .member("right", judged.right)
        .member("tested", judged.tested)
        .member("seconds", judged.seconds)
        .end_object();
  json.end_array();
  const std::vector<ScenarioRow> scenarios = by_scenario(result.corpus, *result.methods()[0]);
  json.key("scenarios").begin_array();
  for (const ScenarioRow& row : scenarios)
    json.begin_object()
        .member("scenario", row.name)
        .member("tested", row.tested)
        .member("right", row.right)
        .end_object();
  json.end_array();
  write_curve(json, "accuracy_against_window", "window", result.windows);
  write_curve(json, "accuracy_against_subjects", "subjects", result.subjects);
  json.member("point_seconds", result.point_seconds).member("seconds", result.seconds);
  json.end_object().finish();
  context.console.print(text);
}

void write_text(const fs::path& path, const std::string& text) {
  io::FileSink file(path.string());
  file.write(text);
  file.commit();
}

std::string confusion_svg(const ActionsEvalResult& result, const Judged& judged) {
  const scenes::Confusion& total = judged.confusion;
  return report::to_svg(report::MatrixChart{.title = fmt::format("Confusion of {}", judged.method),
                                            .values = {total.counts.begin(), total.counts.end()},
                                            .rows = total.classes,
                                            .columns = total.classes,
                                            .row_labels = result.corpus.classes,
                                            .column_labels = result.corpus.classes,
                                            .row_title = "true action",
                                            .column_title = "action told",
                                            .value_title = "share of the action's clips",
                                            .normalize_rows = true,
                                            .width = 720});
}

std::string methods_svg(const ActionsEvalResult& result) {
  report::BarChart chart{.title = "Clips told right",
                         .value = {.title = "clips right (%)", .high = 100},
                         .horizontal = true};
  report::BarSeries series;
  for (const Judged* judged : result.methods()) {
    chart.categories.push_back(judged->method);
    series.values.push_back(100 * judged->accuracy());
    series.errors.push_back(50 * (judged->high - judged->low));
  }
  chart.series.push_back(std::move(series));
  return report::to_svg(chart);
}

std::string curve_svg(const std::vector<CurvePoint>& curve, const char* title, const char* unit) {
  report::Series series{.name = "accuracy", .marker = report::Marker::kDot};
  for (const CurvePoint& point : curve) {
    series.x.push_back(point.at);
    series.y.push_back(100.0 * point.right / std::max(1, point.tested));
  }
  return report::to_svg(report::LineChart{
      .title = title, .x = {.title = unit}, .y = {.title = "clips right (%)"}, .series = {series}});
}

std::string time_svg(const std::vector<CurvePoint>& curve) {
  report::Series series{.name = "time", .marker = report::Marker::kDot};
  for (const CurvePoint& point : curve) {
    series.x.push_back(point.at);
    series.y.push_back(point.seconds);
  }
  return report::to_svg(report::LineChart{.title = "Time against the window",
                                          .x = {.title = "T (frames)"},
                                          .y = {.title = "time (s)", .zero = true},
                                          .series = {series}});
}

void write_confusion_csv(const fs::path& path, const ActionsEvalResult& result,
                         const Judged& judged) {
  io::FileSink file(path.string());
  std::vector<std::string> header{"true action"};
  header.insert(header.end(), result.corpus.classes.begin(), result.corpus.classes.end());
  io::CsvWriter csv(file.sink(), header);
  for (int truth = 0; truth < judged.confusion.classes; ++truth) {
    csv.field(result.corpus.classes[static_cast<std::size_t>(truth)]);
    for (int told = 0; told < judged.confusion.classes; ++told)
      csv.field(judged.confusion.at(truth, told));
    csv.end_row();
  }
  file.commit();
}

report::Table methods_table(const ActionsEvalResult& result) {
  report::Table table{.caption = "Each method",
                      .columns = {{"method"},
                                  {"right", "clips"},
                                  {"of", "clips"},
                                  {"accuracy", "%"},
                                  {"low", "%"},
                                  {"high", "%"},
                                  {"time", "s"}}};
  for (const Judged* judged : result.methods())
    table.rows.push_back({judged->method,
                          {static_cast<double>(judged->right), 3},
                          {static_cast<double>(judged->tested), 3},
                          {100 * judged->accuracy(), 3},
                          {100 * judged->low, 3},
                          {100 * judged->high, 3},
                          {judged->seconds, 3}});
  return table;
}

}  // namespace

std::vector<const Judged*> ActionsEvalResult::methods() const {
  std::vector<const Judged*> all;
  if (evaluation.matching.tested > 0) all.push_back(&evaluation.matching);
  if (evaluation.fused.tested > 0) all.push_back(&evaluation.fused);
  for (const Judged& judged : evaluation.baselines) all.push_back(&judged);
  return all;
}

std::vector<ScenarioRow> by_scenario(const actions::Corpus& corpus, const Judged& judged) {
  std::vector<ScenarioRow> rows;
  for (std::size_t i = 0; i < corpus.clips.size(); ++i) {
    if (!judged.was_tested[i] || corpus.clips[i].scenario.empty()) continue;
    auto row = std::ranges::find(rows, corpus.clips[i].scenario, &ScenarioRow::name);
    if (row == rows.end()) row = rows.insert(rows.end(), {corpus.clips[i].scenario});
    ++row->tested;
    row->right += judged.told[i] == corpus.clips[i].label ? 1 : 0;
  }
  std::ranges::sort(rows, {}, &ScenarioRow::name);
  return rows;
}

void print_evaluation(const ActionsEvalResult& result, Context& context) {
  if (context.json) return print_json(result, context);
  for (const Judged* judged : result.methods())
    context.console.print(
        fmt::format("{:<32} {:4} of {:4} right, {:5.1f} % ({:.1f} to {:.1f}), {:.1f} s\n",
                    judged->method, judged->right, judged->tested, 100 * judged->accuracy(),
                    100 * judged->low, 100 * judged->high, judged->seconds));
  const Judged& first = *result.methods()[0];
  const std::vector<double> recall = first.confusion.recall();
  for (std::size_t c = 0; c < result.corpus.classes.size(); ++c)
    context.console.print(
        fmt::format("  {:<24} {:5.1f} %\n", result.corpus.classes[c], 100 * recall[c]));
  for (const ScenarioRow& row : by_scenario(result.corpus, first))
    context.console.print(
        fmt::format("  scenario {:<15} {} of {}\n", row.name, row.right, row.tested));
  for (const CurvePoint& point : result.windows)
    context.console.print(fmt::format("  T {:<4} {} of {} right, {:.1f} s\n", point.at, point.right,
                                      point.tested, point.seconds));
  for (const CurvePoint& point : result.subjects)
    context.console.print(fmt::format("  {:2} training subjects {} of {} right, {:.1f} %\n",
                                      point.at, point.right, point.tested,
                                      100.0 * point.right / std::max(1, point.tested)));
}

void write_actions_evaluation(const std::string& folder, const ActionsEvalResult& result,
                              const Context& context) {
  const fs::path to(folder);
  fs::create_directories(to);
  const Judged& first = *result.methods()[0];
  report::Page page("Actions", fmt::format("{} clips of {} actions by {} subjects, {} folds",
                                           result.corpus.clips.size(), result.corpus.classes.size(),
                                           result.corpus.subjects().size(), result.folds));
  page.section("Accuracy").table(methods_table(result));
  const std::string methods = methods_svg(result), confusion = confusion_svg(result, first);
  write_text(to / "methods.svg", methods);
  write_text(to / "confusion.svg", confusion);
  write_confusion_csv(to / "confusion.csv", result, first);
  page.figure(report::Figure::chart(methods, {"bars: half of Wilson's interval, 95 %"}));
  page.section("Confusion")
      .figure(report::Figure::chart(confusion, {"rows: what clips show; columns: what was told"}));
  if (!result.windows.empty()) {
    const std::string accuracy =
        curve_svg(result.windows, "Accuracy against the window", "T (frames)");
    const std::string time = time_svg(result.windows);
    write_text(to / "window_accuracy.svg", accuracy);
    write_text(to / "window_time.svg", time);
    page.section("Window")
        .figure(report::Figure::chart(accuracy, {"options as given, T as shown"}))
        .figure(report::Figure::chart(time, {"all matches of all folds"}));
  }
  if (!result.subjects.empty()) {
    const std::string curve =
        curve_svg(result.subjects, "Accuracy against training subjects", "subjects trained on");
    write_text(to / "subjects.svg", curve);
    page.section("Subjects").figure(report::Figure::chart(curve, {"mean over draws"}));
  }
  page.provenance({.command = context.command.name(),
                   .options = context.options_json,
                   .device = to_string(context.exec.device),
                   .seed = context.exec.seed});
  page.write((to / "index.html").string());
}

}  // namespace fovea::cli
