// The units of fovea scenes eval: splits, or the images that a model is tested with.
#include <fovea/core/error.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include "cli/jobs/units.h"
#include "cli/scenes/eval.h"

namespace fovea::cli {
namespace {

using Failures = std::map<int, std::string>;

// What is recorded of a split: its report, and which images could not be read by then.
struct Fault {
  int image = 0;
  std::string why{};
};
void describe(FieldVisitor& visit, Fault& fault) {
  visit("image", fault.image, "its number");
  visit("why", fault.why, "it could not be read");
}
struct MeasuredSplit {
  scenes::SplitReport report{};
  std::vector<Fault> faults{};
};
void describe(FieldVisitor& visit, MeasuredSplit& split) {
  describe(visit, split.report);
  visit("faults", split.faults, "images that could not be read");
}

MeasuredSplit measured_split(const scenes::SplitReport& report, const Failures& failures) {
  MeasuredSplit split{.report = report};
  for (const auto& [index, why] : failures) split.faults.push_back({index, why});
  return split;
}

// What is recorded of an image: the label that it got, or why it has none.
struct MeasuredImage {
  int label = -1;
  std::string error{};
};
void describe(FieldVisitor& visit, MeasuredImage& image) {
  visit("label", image.label, "the class, or -1");
  visit("error", image.error, "why it could not be read");
}

UnitList units_of(const SplitsTask& task) {
  std::vector<std::string> names;
  names.reserve(task.works.size() * task.splits.size());
  for (const SplitWork& work : task.works)
    for (std::size_t i = 0; i < task.splits.size(); ++i)
      names.push_back(fmt::format("{}split {}", work.name.empty() ? "" : work.name + ", ", i + 1));
  return units_from(std::move(names), task.files);
}

// Evaluates those splits of one work that are open. Splits of one call may share their words.
void run_open(const SplitsTask& task, std::size_t work, Units& units, FailedImages& failed) {
  const std::size_t first = work * task.splits.size();
  std::vector<std::size_t> which;
  std::vector<scenes::Split> splits;
  for (const std::size_t unit : units.open()) {
    if (unit < first || unit >= first + task.splits.size()) continue;
    which.push_back(unit);
    splits.push_back(task.splits[unit - first]);
  }
  if (which.empty()) return;
  Failures failures;
  task.works[work].run(
      splits,
      [&](int index, const std::string& why) {
        failures.emplace(index, why);
        failed.add(index, why);
      },
      [&](std::size_t split, const scenes::SplitReport& report) {
        units.take(which[split], measured_split(report, failures));
      });
}

}  // namespace

std::optional<std::vector<scenes::EvaluateReport>> evaluate_splits(const SplitsTask& task,
                                                                   Context& context,
                                                                   FailedImages& failed) {
  std::vector<MeasuredSplit> measured(task.works.size() * task.splits.size());
  Units units(context, units_of(task), measured);
  for (std::size_t work = 0; work < task.works.size(); ++work) run_open(task, work, units, failed);
  if (!units.finish_whole()) return {};
  std::vector<scenes::EvaluateReport> reports;
  reports.reserve(task.works.size());
  for (std::size_t work = 0; work < task.works.size(); ++work) {
    Failures failures;
    std::vector<scenes::SplitReport> splits;
    splits.reserve(task.splits.size());
    for (std::size_t i = 0; i < task.splits.size(); ++i) {
      MeasuredSplit& split = measured[work * task.splits.size() + i];
      for (const Fault& fault : split.faults) failures.emplace(fault.image, fault.why);
      splits.push_back(std::move(split.report));
    }
    reports.push_back(scenes::summarize_splits(splits, task.words));
    reports.back().failed = static_cast<int>(failures.size());
    for (const auto& [index, why] : failures) failed.add(index, why);
  }
  return reports;
}

std::optional<scenes::EvaluateReport> evaluate_images(scenes::Classifier& classifier,
                                                      const scenes::Corpus& corpus,
                                                      Context& context, FailedImages& failed) {
  std::vector<MeasuredImage> images(corpus.paths.size());
  Units units(context, {corpus.paths}, images);
  const std::vector<std::size_t>& open = units.open();
  std::vector<std::string> paths;
  paths.reserve(open.size());
  for (const std::size_t unit : open) paths.push_back(corpus.paths[unit]);
  if (!open.empty())
    classifier.classify(InputImages(context, paths), [&](const scenes::ClassifiedImage& image) {
      const std::size_t unit = open[static_cast<std::size_t>(image.index)];
      if (!image.result) failed.add(static_cast<int>(unit), image.error);
      units.take(unit, MeasuredImage{image.result ? image.result->label : -1, image.error});
    });
  if (!units.finish_whole()) return {};
  scenes::EvaluateReport report;
  report.total = Confusion(static_cast<int>(classifier.classes().size()));
  for (std::size_t i = 0; i < corpus.paths.size(); ++i) {
    const MeasuredImage& image = images[i];
    if (image.label >= 0) {
      ++report.total.at(corpus.labels[i], image.label);
      report.predictions.push_back({static_cast<int>(i), image.label});
      continue;
    }
    ++report.failed;
    failed.add(static_cast<int>(i), image.error);
  }
  const scenes::WordLearning& learning = classifier.model().dictionary.learning;
  if (learning.iterations > 0) report.learning.push_back(learning);
  report.splits.push_back(report.total);
  report.accuracy_mean = report.total.accuracy();
  return report;
}

}  // namespace fovea::cli
