// Prints an evaluation of actions as text or JSON, and writes it as a folder with a page.
#include <fovea/core/record.h>
#include <fovea/report/chart.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/actions/eval.h"
#include "cli/program/result.h"

namespace fovea::cli {
namespace {

using actions::CurvePoint;
using actions::MethodReport;

// Points of curves, whose place has a name of its own.
struct WindowPoint {
  CurvePoint point{};
};
struct SubjectsPoint {
  CurvePoint point{};
};
void describe_counts(FieldVisitor& visit, CurvePoint& point) {
  visit("correct", point.correct, "clips that were classified correctly");
  visit("tested", point.tested, "clips that were tested, over all draws");
  visit("seconds", point.seconds, "time of matching; 0 where it is not measured",
        {.unit = "seconds", .timing = true});
}
void describe(FieldVisitor& visit, WindowPoint& window) {
  visit("window", window.point.at, "T; 0 is no limit", {.unit = "frames"});
  describe_counts(visit, window.point);
}
void describe(FieldVisitor& visit, SubjectsPoint& subjects) {
  visit("subjects", subjects.point.at, "number of training subjects");
  describe_counts(visit, subjects.point);
}
template <class Point>
std::vector<Point> named_points(const std::vector<CurvePoint>& curve) {
  std::vector<Point> points;
  points.reserve(curve.size());
  for (const CurvePoint& point : curve) points.push_back({point});
  return points;
}

struct RecipeRow {
  std::string recipe{};
  int correct = 0;
  int tested = 0;
  double seconds = 0;
};
void describe(FieldVisitor& visit, RecipeRow& row) {
  visit("recipe", row.recipe, "its name");
  visit("correct", row.correct, "clips that were classified correctly");
  visit("tested", row.tested, "clips that were tested");
  visit("seconds", row.seconds, "time it took", {.unit = "seconds", .timing = true});
}

struct SplitSizes {
  std::int64_t training = 0, validation = 0, test = 0;
};
void describe(FieldVisitor& visit, SplitSizes& sizes) {
  visit("training_clips", sizes.training, "that were trained on");
  visit("validation_clips", sizes.validation, "that were chosen by");
  visit("test_clips", sizes.test, "that were tested");
}

// What is printed as JSON.
struct EvalRecord {
  std::int64_t clips = 0;
  int failed = 0;
  std::optional<SplitSizes> split{};
  std::optional<MissingVideos> left_out{};
  std::int64_t folds = 0;
  std::int64_t subjects = 0;
  std::vector<std::string> classes{};
  std::vector<MethodReport> methods{};
  std::vector<std::string> chosen{}, fused_chosen{};
  std::vector<RecipeRow> recipes{};
  std::vector<ScenarioRow> scenarios{};
  std::optional<actions::UnknownReport> unknown{};
  std::vector<WindowPoint> windows{};
  std::vector<SubjectsPoint> subject_counts{};
  double point_seconds = 0;
};
void describe(FieldVisitor& visit, EvalRecord& record) {
  visit.record("ActionsEvaluation", "how often actions are classified correctly");
  visit("clips", record.clips, "that could be read");
  visit("failed", record.failed, "clips that could not be read");
  visit("split", record.split, "sizes of the parts of a split");
  visit("left_out", record.left_out, "videos that are not there, with --partial");
  visit("folds", record.folds, "how many there were");
  visit("subjects", record.subjects, "people in the clips");
  visit("classes", record.classes, "names of the actions");
  visit("methods", record.methods, "matching, matching with fusion, and simpler methods");
  visit("chosen", record.chosen, "the recipe that each fold chose");
  visit("fused_chosen", record.fused_chosen, "the recipe with fusion that each fold chose");
  visit("recipes", record.recipes, "each recipe in all folds; the best of them is hindsight");
  visit("scenarios", record.scenarios, "the first method by circumstances");
  visit("unknown_actions", record.unknown, "how well unknown actions are rejected");
  visit("accuracy_against_window", record.windows, "one point per window of --windows");
  visit("accuracy_against_subjects", record.subject_counts,
        "one point per number of training subjects, with --draws");
  visit("point_seconds", record.point_seconds, "time in which points were found",
        {.unit = "seconds", .timing = true});
}

EvalRecord record_of(const ActionsEvalResult& result) {
  const actions::EvaluateReport& report = result.report;
  EvalRecord record{.clips = std::ssize(result.corpus.clips),
                    .failed = result.failed,
                    .folds = static_cast<std::int64_t>(result.folds),
                    .subjects = std::ssize(result.corpus.subjects()),
                    .classes = result.corpus.classes,
                    .chosen = report.chosen,
                    .fused_chosen = report.fused_chosen,
                    .scenarios = by_scenario(result.corpus, *result.methods()[0]),
                    .unknown = result.unknown,
                    .windows = named_points<WindowPoint>(result.windows),
                    .subject_counts = named_points<SubjectsPoint>(result.subjects),
                    .point_seconds = result.point_seconds};
  const auto size = [&](std::size_t part) { return static_cast<std::int64_t>(result.split[part]); };
  if (!result.split.empty()) record.split = {size(0), size(1), size(2)};
  if (!result.missing.parts.empty()) record.left_out = result.missing;
  for (const MethodReport* method : result.methods()) record.methods.push_back(*method);
  for (const MethodReport& method : report.recipes)
    record.recipes.push_back({method.method, method.correct, method.tested, method.seconds});
  return record;
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

}  // namespace

void describe(FieldVisitor& visit, ScenarioRow& row) {
  visit("scenario", row.name, "the circumstances, such as outdoors");
  visit("tested", row.tested, "clips that were tested");
  visit("correct", row.correct, "clips that were classified correctly");
}

void describe(FieldVisitor& visit, MissingPart& part) {
  visit("part", part.name, "training, validation or test");
  visit("videos", part.videos, "that are not there");
  visit("of_videos", part.of_videos, "of so many");
  visit("clips", part.clips, "that are not there");
  visit("of_clips", part.of_clips, "of so many");
}

void describe(FieldVisitor& visit, MissingVideos& missing) {
  visit("parts", missing.parts, "of the split");
  visit("videos", missing.names, "names of the videos that are not there");
}

RecordRef sample_actions_evaluation() { return sample_record<EvalRecord>(); }

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
  if (context.json)
    return print_result(context, record_ref(record_of(result)), actions_evaluation(result));
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
  const report::Figure methods =
      report::Figure::chart(methods_svg(result), {"The error bars are Wilson's 95 % interval."});
  write_evaluation_folder(folder, context, actions_evaluation(result),
                          {.pictures = {{"Methods", {methods}, {"methods"}}}});
}

}  // namespace fovea::cli
