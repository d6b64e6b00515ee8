// What the page and fovea view show of an evaluation of actions.
#include <fmt/format.h>

#include <algorithm>

#include "cli/actions/eval.h"

namespace fovea::cli {
namespace {

report::EvaluationChart accuracy_chart(report::EvaluationChart chart,
                                       const std::vector<actions::CurvePoint>& points) {
  chart.y.title = "correct clips (%)";
  chart.figures = {"correct clips", "tested clips"};
  return report::with_curve(chart, "accuracy", points, [](const actions::CurvePoint& point) {
    const double correct = point.correct, tested = point.tested;
    return report::point_at(point.at, 100 * correct / std::max(1.0, tested), {correct, tested});
  });
}

report::EvaluationChart time_chart(const std::vector<actions::CurvePoint>& points) {
  return report::with_curve({.title = "Time against the window",
                             .x = {.title = "T (frames)"},
                             .y = {.title = "time (s)", .zero = true},
                             .caption = "The time includes all matches of all folds.",
                             .file = "window_time",
                             .timing = true},
                            "time", points, [](const actions::CurvePoint& point) {
                              return report::point_at(point.at, point.seconds);
                            });
}

report::EvaluationChart unknown_chart(const actions::UnknownReport& report) {
  report::EvaluationChart chart = report::with_curve(
      {.title = "Known and unknown actions",
       .x = {.title = "unknown clips that are kept (%)"},
       .y = {.title = "known clips that are kept (%)"},
       .caption =
           "Each subject and each action was left out in turn; the curve goes over the limit "
           "of the reject rule.",
       .file = "unknown"},
      "reject rule", report.curve, [](const auto& point) {
        return report::point_at(100 * point.unknown_kept, 100 * point.known_kept);
      });
  chart.curves[0].points = report::subsampled(chart.curves[0].points, chart);
  return chart;
}

report::Table methods_table(const ActionsEvalResult& result) {
  report::Table table{.caption = "Results of each method",
                      .columns = {{"method"},
                                  {"correct", "clips"},
                                  {"tested", "clips"},
                                  {"accuracy", "%"},
                                  {"low", "%"},
                                  {"high", "%"},
                                  {"time", "s", true}}};
  for (const actions::MethodReport* method : result.methods())
    table.rows.push_back({method->method,
                          {static_cast<double>(method->correct), 3},
                          {static_cast<double>(method->tested), 3},
                          {100 * method->accuracy(), 3},
                          {100 * method->interval.low, 3},
                          {100 * method->interval.high, 3},
                          {method->seconds, 3}});
  return table;
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
  evaluation.tables = {methods_table(result)};
  if (!result.windows.empty()) {
    evaluation.charts.push_back(accuracy_chart({.title = "Accuracy against the window",
                                                .x = {.title = "T (frames)"},
                                                .caption = "All other options are as given.",
                                                .file = "window_accuracy"},
                                               result.windows));
    evaluation.charts.push_back(time_chart(result.windows));
  }
  if (!result.subjects.empty())
    evaluation.charts.push_back(accuracy_chart({.title = "Accuracy against training subjects",
                                                .x = {.title = "training subjects"},
                                                .caption = "Each point is the mean over all draws.",
                                                .file = "subjects"},
                                               result.subjects));
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
