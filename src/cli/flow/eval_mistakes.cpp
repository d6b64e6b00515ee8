// What the page and fovea view show of an evaluation of flow.
#include <fmt/format.h>

#include <algorithm>

#include "cli/flow/eval.h"

namespace fovea::cli {
namespace {

report::EvaluationChart sparsification_chart(const MethodResult& result) {
  return report::with_curve(
      {.title = "Error of the remaining pixels",
       .x = {.title = "least confident pixels removed (%)"},
       .y = {.title = "endpoint error (px)", .zero = true},
       .figures = {"oracle, by error (px)"},
       .caption =
           fmt::format("Mean over the sequences. The area between the lines is {:.3f} of the "
                       "mean error; 0 would be a perfect prediction.",
                       mean_sparsification_error(result)),
       .file = "curve",
       .lines = 1},
      result.name, mean_curve(result), [](const flow::SparsificationPoint& point) {
        return report::point_at(100 * point.removed, point.endpoint, {point.oracle});
      });
}

report::Table errors_table(const MethodResult& result) {
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
       {"endpoint of confident", "px"},
       {"time", "ms", true}},
      {}};
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
                          {confident, 3},
                          {1000 * seconds, 3}});
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
  for (const MethodResult& result : results) evaluation.tables.push_back(errors_table(result));
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
