// What fovea view shows of an evaluation of actions.
#include <fmt/format.h>

#include <algorithm>

#include "cli/actions/eval.h"

namespace fovea::cli {
namespace {

report::EvaluationChart accuracy_chart(const std::vector<actions::CurvePoint>& points,
                                       const char* title, const char* unit) {
  report::EvaluationChart chart{.title = title,
                                .x = {.title = unit},
                                .y = {.title = "correct clips (%)"},
                                .figures = {"correct clips", "tested clips"}};
  report::EvaluationCurve curve{.name = "accuracy"};
  for (const actions::CurvePoint& point : points)
    curve.points.push_back(
        {.threshold = static_cast<double>(point.at),
         .x = static_cast<double>(point.at),
         .y = 100.0 * point.correct / std::max(1, point.tested),
         .figures = {static_cast<double>(point.correct), static_cast<double>(point.tested)}});
  chart.curves.push_back(std::move(curve));
  return chart;
}

report::EvaluationChart unknown_chart(const actions::UnknownReport& report) {
  report::EvaluationChart chart{.title = "Known and unknown actions",
                                .x = {.title = "unknown clips that are kept (%)"},
                                .y = {.title = "known clips that are kept (%)"}};
  report::EvaluationCurve curve{.name = "reject rule"};
  for (const auto& point : report.curve)
    curve.points.push_back({.threshold = 100 * point.unknown_kept,
                            .x = 100 * point.unknown_kept,
                            .y = 100 * point.known_kept});
  curve.points = report::subsampled(curve.points, chart);
  chart.curves.push_back(std::move(curve));
  return chart;
}

}  // namespace

report::Evaluation actions_evaluation(const ActionsEvalResult& result) {
  const actions::MethodReport& method = *result.methods()[0];
  const std::vector<std::string>& classes = result.corpus.classes;
  report::Evaluation evaluation{
      .system = "actions",
      .title = "How well actions are recognized",
      .summary = fmt::format("{} clips of {} actions by {} subjects were tested in {} folds; {} "
                             "were classified correctly by {}.",
                             method.tested, classes.size(), result.corpus.subjects().size(),
                             result.folds, method.correct, method.method),
      .classes = classes,
      .confusion = method.confusion.counts};
  for (const actions::MethodReport* each : result.methods())
    evaluation.facts.emplace_back(
        each->method, fmt::format("{:.1f} % correct ({:.1f} to {:.1f})", 100 * each->accuracy(),
                                  100 * each->interval.low, 100 * each->interval.high));
  if (!result.windows.empty())
    evaluation.charts.push_back(
        accuracy_chart(result.windows, "Accuracy against the window", "T (frames)"));
  if (!result.subjects.empty())
    evaluation.charts.push_back(
        accuracy_chart(result.subjects, "Accuracy against training subjects", "training subjects"));
  if (result.unknown) evaluation.charts.push_back(unknown_chart(*result.unknown));
  for (std::size_t i = 0; i < result.corpus.clips.size(); ++i) {
    const actions::Clip& clip = result.corpus.clips[i];
    const std::int32_t found = method.labels[i];
    if (!method.was_tested[i] || found == clip.label) continue;
    const std::string& truth = classes[static_cast<std::size_t>(clip.label)];
    evaluation.mistakes.push_back(
        {.kind = found < 0 ? "Clips without a class" : "Confused actions",
         .text = found < 0 ? fmt::format("{} of {} matched nothing", truth, clip.subject)
                           : fmt::format("{} of {} was taken for {}", truth, clip.subject,
                                         classes[static_cast<std::size_t>(found)]),
         .input = evaluation.inputs.size(),
         .truth = clip.label,
         .predicted = found});
    evaluation.inputs.push_back({.files = {clip.path}, .frame = clip.first});
  }
  return evaluation;
}

}  // namespace fovea::cli
