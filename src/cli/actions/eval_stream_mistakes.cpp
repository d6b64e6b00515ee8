// What fovea view shows of an evaluation of recognition in continuous video.
#include "cli/actions/eval_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostStreamMistakes = 200;  // at each point of a curve

// Clips by the frames that mistakes are about.
using ClipInputs = report::InputPlaces<std::pair<std::string, std::int32_t>>;

report::Mistake stream_mistake(const actions::EventMistake& mistake,
                               const std::vector<std::string>& classes) {
  const auto name = [&](std::int32_t label) { return classes[static_cast<std::size_t>(label)]; };
  const bool confused = mistake.found >= 0 && mistake.truth >= 0;
  if (mistake.found < 0)
    return {.kind = "Actions that were not found",
            .text = fmt::format("{} was not found", name(mistake.truth))};
  if (mistake.surplus)
    return {.kind = "Surplus events",
            .text = fmt::format("{} was found as well in a clip of {}, score {:.2f}",
                                name(mistake.found), name(mistake.truth), mistake.score)};
  if (confused && mistake.found == mistake.truth)
    return {.kind = "Actions that were found at other frames",
            .text = fmt::format("{} was found with too few common frames", name(mistake.truth))};
  if (confused)
    return {.kind = "Confused actions",
            .text = fmt::format("{} was taken for {}, score {:.2f}", name(mistake.truth),
                                name(mistake.found), mistake.score)};
  return {.kind = "Events of unrelated motion",
          .text = fmt::format("{} was found {}, score {:.2f}", name(mistake.found),
                              mistake.between ? "between clips" : "in unrelated motion",
                              mistake.score)};
}

// Those with the highest score come first; they are lost last when less is accepted.
std::vector<report::Mistake> stream_mistakes(const actions::EventReport& report, std::size_t curve,
                                             const std::vector<std::string>& classes,
                                             report::Evaluation& evaluation, ClipInputs& inputs) {
  std::vector<actions::EventMistake> worst = report.mistakes;
  std::erase_if(worst, [](const actions::EventMistake& each) { return each.path.empty(); });
  std::ranges::stable_sort(worst, std::greater{}, &actions::EventMistake::score);
  if (worst.size() > kMostStreamMistakes) worst.resize(kMostStreamMistakes);
  std::vector<report::Mistake> mistakes;
  mistakes.reserve(worst.size());
  for (const actions::EventMistake& each : worst) {
    mistakes.push_back(stream_mistake(each, classes));
    mistakes.back().input = inputs.at(evaluation, {each.path, each.frame}, [&] {
      return report::EvaluatedInput{.files = {each.path}, .frame = each.frame};
    });
    mistakes.back().curve = curve;
  }
  return mistakes;
}

std::string percent_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
}

report::EvaluationPoint stream_point(const actions::StreamPoint& point,
                                     const actions::EventCounts& counts) {
  return {.threshold = point.reject,
          .x = 100 * counts.recall(),
          .y = 100 * counts.precision(),
          .figures = {100 * counts.f1(), counts.mean_delay(), static_cast<double>(counts.events)}};
}

}  // namespace

report::Evaluation stream_evaluation(const actions::StreamReport& report,
                                     const std::vector<std::string>& classes) {
  std::map<double, const actions::StreamPoint*> points;  // factors ascend; each counts once
  for (const actions::StreamPoint& point : report.points) points.emplace(point.reject, &point);
  const std::vector<actions::EventReport>& overlaps = points.begin()->second->overlaps;
  report::Evaluation evaluation{
      .system = "actions",
      .title = "How well actions are recognized in continuous video",
      .summary = fmt::format("{} of {} classes in {}. An event is right if it has the label of a "
                             "true one and enough frames in common with it. A mistake opens in the "
                             "clip of the video that was joined.",
                             detail::counted(overlaps.front().all.truths, "action"), classes.size(),
                             detail::counted(report.frames, "frame"))};
  report::EvaluationChart chart{.title = "Precision over recall",
                                .threshold = "reject",
                                .option = "reject",
                                .x = {.title = "recall (%)"},
                                .y = {.title = "precision (%)"},
                                .figures = {"F1 (%)", "delay (frames)", "events"},
                                .file = "curve"};
  std::vector<double> rejects;
  rejects.reserve(points.size());
  const actions::StreamPoint* usual = points.begin()->second;  // that of the model's own levels
  for (const auto& [reject, point] : points) {
    rejects.push_back(reject);
    if (std::abs(reject - 1) < std::abs(usual->reject - 1)) usual = point;
  }
  ClipInputs inputs;
  for (std::size_t o = 0; o < overlaps.size(); ++o) {
    report::EvaluationCurve curve{.name = fmt::format("overlap {:g}", overlaps[o].overlap),
                                  .chosen = usual->reject};
    std::vector<std::vector<report::Mistake>> mistakes;
    for (const auto& [reject, point] : points) {
      curve.points.push_back(stream_point(*point, point->overlaps[o].all));
      mistakes.push_back(stream_mistakes(point->overlaps[o], o, classes, evaluation, inputs));
    }
    const actions::EventCounts& counts = usual->overlaps[o].all;
    evaluation.facts.emplace_back(
        curve.name, fmt::format("precision {}, recall {}, F1 {}", percent_text(counts.precision()),
                                percent_text(counts.recall()), percent_text(counts.f1())));
    chart.curves.push_back(std::move(curve));
    for (report::Mistake& mistake : report::merged(rejects, mistakes))
      evaluation.mistakes.push_back(std::move(mistake));
  }
  evaluation.charts.push_back(std::move(chart));
  return evaluation;
}

}  // namespace fovea::cli
