// What fovea view shows of an evaluation of flow.
#include <fmt/format.h>

#include <algorithm>

#include "cli/flow/eval.h"

namespace fovea::cli {
namespace {

report::EvaluationChart sparsification_chart(const MethodResult& result) {
  report::EvaluationChart chart{.title = "Error of the remaining pixels",
                                .x = {.title = "least confident pixels removed (%)"},
                                .y = {.title = "endpoint error (px)"},
                                .figures = {"oracle, by error (px)"}};
  report::EvaluationCurve curve{.name = result.name};
  for (const flow::SparsificationPoint& point : mean_curve(result))
    curve.points.push_back({.threshold = 100 * point.removed,
                            .x = 100 * point.removed,
                            .y = point.endpoint,
                            .figures = {point.oracle}});
  chart.curves.push_back(std::move(curve));
  return chart;
}

}  // namespace

report::Evaluation flow_evaluation(const std::vector<MethodResult>& results) {
  const MethodResult& ours = results.front();
  report::Evaluation evaluation{
      .system = "flow",
      .title = "Errors of estimated flow",
      .summary = fmt::format("Method {}, {} sequences, which have equal weights in the mean.",
                             ours.name, ours.sequences.size())};
  for (const MethodResult& result : results) {
    const flow::FlowErrors mean = mean_errors(result);
    evaluation.facts.emplace_back(
        result.name, fmt::format("endpoint error {:.3f} px, angular error {:.2f} degrees, {:.1f} % "
                                 "of the pixels above 1 px",
                                 mean.endpoint, mean.angular, 100 * mean.r1));
  }
  if (!ours.sequences.front().report.curve.empty())
    evaluation.charts.push_back(sparsification_chart(ours));
  std::vector<const SequenceResult*> worst;
  for (const SequenceResult& each : ours.sequences) worst.push_back(&each);
  std::ranges::stable_sort(worst, std::greater{},
                           [](const SequenceResult* each) { return each->report.all.endpoint; });
  for (const SequenceResult* each : worst) {
    evaluation.mistakes.push_back(
        {.kind = "Sequences by their error",
         .text =
             fmt::format("{}: endpoint error {:.3f} px, {:.1f} % above 1 px", each->sequence.name,
                         each->report.all.endpoint, 100 * each->report.all.r1),
         .input = evaluation.inputs.size()});
    evaluation.inputs.push_back(
        {.files = {each->sequence.first, each->sequence.second}, .truth = each->sequence.truth});
  }
  return evaluation;
}

}  // namespace fovea::cli
