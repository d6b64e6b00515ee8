// What fovea view shows of an evaluation of segmentations.
#include <fmt/format.h>

#include <algorithm>

#include "cli/mesh/eval.h"

namespace fovea::cli {
namespace {

// The share of the meshes up to each Rand error, of which the worst comes first.
report::EvaluationChart rand_chart(const std::vector<const MeshCase*>& worst) {
  report::EvaluationChart chart{.title = "Meshes up to a Rand error",
                                .x = {.title = "Rand error"},
                                .y = {.title = "meshes (%)"},
                                .figures = {"meshes with a larger error"}};
  report::EvaluationCurve curve{.name = "Rand error"};
  const auto count = static_cast<double>(worst.size());
  for (std::size_t i = worst.size(); i-- > 0;)
    curve.points.push_back(report::point_at(worst[i]->errors.rand,
                                            100 * (count - static_cast<double>(i)) / count,
                                            {static_cast<double>(i)}));
  chart.curves.push_back(std::move(curve));
  return chart;
}

}  // namespace

report::Evaluation mesh_evaluation(const std::vector<MeshCase>& cases) {
  std::vector<const MeshCase*> worst;
  worst.reserve(cases.size());
  for (const MeshCase& each : cases) worst.push_back(&each);
  const mesh::SegmentationReport mean = mean_errors(worst, false);
  report::Evaluation evaluation{
      .system = "mesh",
      .title = "How well meshes are segmented",
      .summary = fmt::format("{} meshes were segmented and compared with the parts that people "
                             "made. The mean Rand error is {:.3f}.",
                             cases.size(), mean.rand),
      .facts = {
          {"cut discrepancy", fmt::format("{:.3f}", mean.cut_discrepancy)},
          {"Hamming distance", fmt::format("{:.3f}", mean.hamming)},
          {"Rand error between people", fmt::format("{:.3f}", mean_errors(worst, true).rand)}}};
  std::ranges::stable_sort(worst, std::greater{},
                           [](const MeshCase* each) { return each->errors.rand; });
  evaluation.charts.push_back(rand_chart(worst));
  for (const MeshCase* each : worst) {
    evaluation.mistakes.push_back(
        {.kind = "Meshes by their error",
         .text = fmt::format("Rand error {:.3f}, {} parts", each->errors.rand, each->found),
         .input = evaluation.inputs.size(),
         .up_to = each->errors.rand});
    evaluation.inputs.push_back({.files = {each->path}, .truth = each->people.front()});
  }
  return evaluation;
}

}  // namespace fovea::cli
