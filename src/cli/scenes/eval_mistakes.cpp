// What fovea view shows of an evaluation of scenes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/scenes/eval.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostWrongImages = 500;

// An image that was taken for another class, in some of the splits that tested it.
struct WrongImage {
  int image = 0;
  std::int32_t label = 0;
  int times = 0, tests = 0;
};

// Those that are wrong in the largest share of their splits come first.
std::vector<WrongImage> wrong_images(const ScenesEvalResult& result) {
  std::map<int, int> tests;
  std::map<std::pair<int, std::int32_t>, int> wrong;
  for (const scenes::Prediction& each : result.evaluation.predictions) {
    ++tests[each.image];
    if (each.label != result.labels[static_cast<std::size_t>(each.image)])
      ++wrong[{each.image, each.label}];
  }
  std::vector<WrongImage> images;
  images.reserve(wrong.size());
  for (const auto& [what, times] : wrong)
    images.push_back({what.first, what.second, times, tests[what.first]});
  std::ranges::stable_sort(images, [](const WrongImage& a, const WrongImage& b) {
    const int ours = a.times * b.tests, theirs = b.times * a.tests;
    return ours != theirs ? ours > theirs : a.tests > b.tests;
  });
  if (images.size() > kMostWrongImages) images.resize(kMostWrongImages);
  return images;
}

report::EvaluationChart neighbors_chart(const scenes::EvaluateReport& measured) {
  report::EvaluationChart chart{.title = "Accuracy against the number of neighbors",
                                .x = {.title = "K"},
                                .y = {.title = "accuracy (%)"}};
  report::EvaluationCurve curve{.name = "accuracy"};
  for (std::size_t i = 0; i < measured.neighbors.size(); ++i)
    curve.points.push_back({.threshold = static_cast<double>(measured.neighbors[i]),
                            .x = static_cast<double>(measured.neighbors[i]),
                            .y = 100 * measured.neighbors_accuracy[i]});
  chart.curves.push_back(std::move(curve));
  return chart;
}

}  // namespace

report::Evaluation scenes_evaluation(const ScenesEvalResult& result) {
  const scenes::EvaluateReport& measured = result.evaluation;
  report::Evaluation evaluation{
      .system = "scenes",
      .title = "How well places are recognized",
      .summary = fmt::format("{} of {} classes in {}. The accuracy is {:.2f} %.",
                             detail::counted(result.images, "image"), result.classes.size(),
                             detail::counted(measured.splits.size(), "split"),
                             100 * measured.accuracy_mean),
      .classes = result.classes,
      .confusion = measured.total.counts};
  if (!measured.neighbors.empty()) evaluation.charts.push_back(neighbors_chart(measured));
  if (result.paths.empty()) return evaluation;
  for (const WrongImage& wrong : wrong_images(result)) {
    const auto at = static_cast<std::size_t>(wrong.image);
    const std::string& found = result.classes[static_cast<std::size_t>(wrong.label)];
    const std::string& truth = result.classes[static_cast<std::size_t>(result.labels[at])];
    evaluation.mistakes.push_back(
        {.kind = "Confused images",
         .text = wrong.tests == 1 ? fmt::format("{} was taken for {}", truth, found)
                                  : fmt::format("{} was taken for {} in {} of {} tests", truth,
                                                found, wrong.times, wrong.tests),
         .input = evaluation.inputs.size(),
         .truth = result.labels[at],
         .predicted = wrong.label});
    evaluation.inputs.push_back({.files = {result.paths[at]}});
  }
  return evaluation;
}

}  // namespace fovea::cli
