// What the page and fovea view show of an evaluation of scenes.
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
std::vector<WrongImage> wrong_images(const scenes::EvaluateReport& report,
                                     const std::vector<std::int32_t>& labels) {
  std::map<int, int> tests;
  std::map<std::pair<int, std::int32_t>, int> wrong;
  for (const scenes::Prediction& each : report.predictions) {
    ++tests[each.image];
    if (each.label != labels[static_cast<std::size_t>(each.image)])
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
  report::EvaluationCurve curve{.name = "accuracy"};
  for (std::size_t i = 0; i < measured.neighbors.size(); ++i)
    curve.points.push_back(
        report::point_at(measured.neighbors[i], 100 * measured.neighbors_accuracy[i]));
  return {.title = "Accuracy against the number of neighbors",
          .x = {.title = "K"},
          .y = {.title = "accuracy (%)", .high = 100},
          .curves = {std::move(curve)},
          .caption = "The mean over the splits for each K.",
          .file = "neighbors"};
}

report::Mistake image_mistake(const WrongImage& wrong, std::int32_t label,
                              const std::vector<std::string>& classes) {
  const std::string& found = classes[static_cast<std::size_t>(wrong.label)];
  const std::string& truth = classes[static_cast<std::size_t>(label)];
  return {.kind = "Confused images",
          .text = wrong.tests == 1 ? fmt::format("{} was taken for {}", truth, found)
                                   : fmt::format("{} was taken for {} in {} of {} tests", truth,
                                                 found, wrong.times, wrong.tests),
          .truth = label,
          .predicted = wrong.label};
}

report::Table class_table(const ScenesEvalResult& result) {
  report::Table table{.caption = "Each class", .columns = {{"class"}, {"recall", "%"}}};
  const std::vector<double> recall = result.evaluation.total.recall();
  for (std::size_t c = 0; c < result.classes.size(); ++c)
    table.rows.push_back({result.classes[c], {100 * recall[c], 3}});
  return table;
}

}  // namespace

report::Evaluation sweep_evaluation(const scenes::SplitCorpus& task,
                                    const std::vector<SweptReport>& reports) {
  const auto best = std::ranges::max_element(
      reports, {}, [](const SweptReport& each) { return each.report->accuracy_mean; });
  report::Evaluation evaluation{
      .system = "scenes",
      .title = "How many places words are learned from",
      .summary = fmt::format(
          "{} of {} classes in {}. The greatest accuracy is {:.2f} %, with {:g} places per image.",
          detail::counted(task.corpus.paths.size(), "image"), task.corpus.classes.size(),
          detail::counted(task.splits.size(), "split"), 100 * best->report->accuracy_mean,
          best->value),
      .classes = task.corpus.classes,
      .confusion = best->report->total.counts};
  report::EvaluationChart chart{.title = "Accuracy against the places that words come from",
                                .threshold = "places per image",
                                .x = {.title = "places per image", .log = true},
                                .y = {.title = "accuracy (%)"},
                                .figures = {"low (%)", "high (%)", "deviation (%)"},
                                .caption =
                                    "The dashed lines are one deviation between splits, or "
                                    "the 95 % interval of a single one.",
                                .file = "samples",
                                .lines = 2};
  report::EvaluationCurve curve{.name = "accuracy", .chosen = best->value};
  std::vector<double> values;
  std::vector<std::vector<report::Mistake>> mistakes;
  report::InputPlaces<int> inputs;
  for (const SweptReport& each : reports) {
    values.push_back(each.value);
    curve.points.push_back(report::point_at(
        each.value, 100 * each.report->accuracy_mean,
        {100 * each.range.low, 100 * each.range.high, 100 * each.report->accuracy_deviation}));
    std::vector<report::Mistake>& here = mistakes.emplace_back();
    for (const WrongImage& wrong : wrong_images(*each.report, task.corpus.labels)) {
      const auto at = static_cast<std::size_t>(wrong.image);
      here.push_back(image_mistake(wrong, task.corpus.labels[at], task.corpus.classes));
      here.back().input = inputs.at(evaluation, wrong.image, [&] {
        return report::EvaluatedInput{.files = {task.corpus.paths[at]}};
      });
    }
  }
  chart.curves.push_back(std::move(curve));
  evaluation.charts.push_back(std::move(chart));
  evaluation.mistakes = report::merged(values, mistakes);
  return evaluation;
}

report::Evaluation scenes_evaluation(const ScenesEvalResult& result) {
  const scenes::EvaluateReport& measured = result.evaluation;
  report::Evaluation evaluation{
      .system = "scenes",
      .title = "How well places are recognized",
      .summary = fmt::format("{} of {} classes in {}. The accuracy is {:.2f} %.",
                             detail::counted(result.images, "image"), result.classes.size(),
                             detail::counted(measured.splits.size(), "split"),
                             100 * measured.accuracy_mean),
      .facts = {{"deviation between splits",
                 fmt::format("{:.2f}", 100 * measured.accuracy_deviation)},
                {"images that could not be read", std::to_string(measured.failed)}},
      .tables = {class_table(result)},
      .classes = result.classes,
      .confusion = measured.total.counts};
  if (!measured.neighbors.empty()) evaluation.charts.push_back(neighbors_chart(measured));
  if (result.paths.empty()) return evaluation;
  for (const WrongImage& wrong : wrong_images(measured, result.labels)) {
    const auto at = static_cast<std::size_t>(wrong.image);
    evaluation.mistakes.push_back(image_mistake(wrong, result.labels[at], result.classes));
    evaluation.mistakes.back().input = evaluation.inputs.size();
    evaluation.inputs.push_back({.files = {result.paths[at]}});
  }
  return evaluation;
}

}  // namespace fovea::cli
