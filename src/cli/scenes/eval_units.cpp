// The units of fovea scenes eval: splits, or the images that a model is tested with.
#include <fovea/core/error.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include "cli/jobs/packing.h"
#include "cli/scenes/eval.h"

namespace fovea::cli {
namespace {

using Failures = std::map<int, std::string>;

void pack_learning(Packer& out, const scenes::WordLearning& learning) {
  out.number(learning.iterations).number(learning.inertia).number(learning.converged);
  out.number(learning.samples).number(learning.passes).number(learning.batches);
}

scenes::WordLearning unpacked_learning(Unpacker& in) {
  scenes::WordLearning learning;
  learning.iterations = in.number<int>();
  learning.inertia = in.number<double>();
  learning.converged = in.number<bool>();
  learning.samples = in.number<std::int64_t>();
  learning.passes = in.number<int>();
  learning.batches = in.number<int>();
  return learning;
}

void pack_counts(Packer& out, const std::vector<std::int64_t>& counts) {
  out.number(static_cast<std::uint64_t>(counts.size()));
  for (const std::int64_t count : counts) out.number(count);
}

std::vector<std::int64_t> unpacked_counts(Unpacker& in) {
  std::vector<std::int64_t> counts(in.number<std::uint64_t>());
  for (std::int64_t& count : counts) count = in.number<std::int64_t>();
  return counts;
}

std::string packed_split(const scenes::SplitReport& report, const Failures& failures) {
  Packer out;
  out.number(report.confusion.classes);
  pack_counts(out, report.confusion.counts);
  pack_counts(out, report.right_by_neighbors);
  out.number(static_cast<std::uint64_t>(report.learning.size()));
  for (const scenes::WordLearning& learning : report.learning) pack_learning(out, learning);
  out.number(static_cast<std::uint64_t>(report.predictions.size()));
  for (const scenes::Prediction& each : report.predictions)
    out.number(each.image).number(each.label);
  for (const auto& [index, why] : failures) out.number(index).text(why);
  return out.bytes();
}

scenes::SplitReport unpacked_split(std::string_view bytes, Failures& failures) {
  Unpacker in(bytes);
  scenes::SplitReport report;
  report.confusion.classes = in.number<int>();
  report.confusion.counts = unpacked_counts(in);
  report.right_by_neighbors = unpacked_counts(in);
  const auto learned = in.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < learned; ++i) report.learning.push_back(unpacked_learning(in));
  report.predictions.resize(in.number<std::uint64_t>());
  for (scenes::Prediction& each : report.predictions) {
    each.image = in.number<int>();
    each.label = in.number<std::int32_t>();
  }
  while (!in.at_end()) {
    const int index = in.number<int>();
    failures.emplace(index, in.text());
  }
  return report;
}

std::vector<EvaluatedUnit> units_of(const SplitsTask& task) {
  std::vector<EvaluatedUnit> units;
  units.reserve(task.works.size() * task.splits.size());
  for (const SplitWork& work : task.works)
    for (std::size_t i = 0; i < task.splits.size(); ++i)
      units.push_back({fmt::format("{}split {}", work.name.empty() ? "" : work.name + ", ", i + 1),
                       task.files});
  return units;
}

// Evaluates those splits of one work that are open. Splits of one call may share their words.
void run_open(const SplitsTask& task, std::size_t work, EvaluatedUnits& units,
              FailedImages& failed) {
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
        units.take(which[split], packed_split(report, failures));
      });
}

// The label that an image got, or why it has none.
std::string packed_label(const scenes::ClassifiedImage& image) {
  return Packer().number(image.result ? image.result->label : -1).text(image.error).bytes();
}

}  // namespace

std::optional<std::vector<scenes::EvaluateReport>> evaluate_splits(const SplitsTask& task,
                                                                   Context& context,
                                                                   FailedImages& failed) {
  EvaluatedUnits units(context, units_of(task));
  for (std::size_t work = 0; work < task.works.size(); ++work) run_open(task, work, units, failed);
  if (!units.finish()) return {};
  std::vector<scenes::EvaluateReport> reports;
  reports.reserve(task.works.size());
  for (std::size_t work = 0; work < task.works.size(); ++work) {
    Failures failures;
    std::vector<scenes::SplitReport> splits;
    splits.reserve(task.splits.size());
    for (std::size_t i = 0; i < task.splits.size(); ++i)
      splits.push_back(unpacked_split(units.measured(work * task.splits.size() + i), failures));
    reports.push_back(scenes::summarize_splits(splits, task.words));
    reports.back().failed = static_cast<int>(failures.size());
    for (const auto& [index, why] : failures) failed.add(index, why);
  }
  return reports;
}

std::optional<scenes::EvaluateReport> evaluate_images(scenes::Classifier& classifier,
                                                      const scenes::Corpus& corpus,
                                                      Context& context, FailedImages& failed) {
  std::vector<EvaluatedUnit> images;
  images.reserve(corpus.paths.size());
  for (const std::string& path : corpus.paths) images.push_back({path, {}});
  EvaluatedUnits units(context, images);
  const std::vector<std::size_t>& open = units.open();
  std::vector<std::string> paths;
  paths.reserve(open.size());
  for (const std::size_t unit : open) paths.push_back(corpus.paths[unit]);
  if (!open.empty())
    classifier.classify(InputImages(context, paths), [&](const scenes::ClassifiedImage& image) {
      const std::size_t unit = open[static_cast<std::size_t>(image.index)];
      if (!image.result) failed.add(static_cast<int>(unit), image.error);
      units.take(unit, packed_label(image));
    });
  if (!units.finish()) return {};
  scenes::EvaluateReport report;
  report.total = Confusion(static_cast<int>(classifier.classes().size()));
  for (std::size_t i = 0; i < corpus.paths.size(); ++i) {
    Unpacker in(units.measured(i));
    const int label = in.number<std::int32_t>();
    if (label >= 0) {
      ++report.total.at(corpus.labels[i], label);
      report.predictions.push_back({static_cast<int>(i), label});
      continue;
    }
    ++report.failed;
    failed.add(static_cast<int>(i), in.text());
  }
  const scenes::WordLearning& learning = classifier.model().dictionary.learning;
  if (learning.iterations > 0) report.learning.push_back(learning);
  report.splits.push_back(report.total);
  report.accuracy_mean = report.total.accuracy();
  return report;
}

}  // namespace fovea::cli
