// fovea scenes eval --sweep-samples: accuracy against the number of places per image that words are
// learned from, up to all of them.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>

#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/stopwatch.h"
#include "cli/scenes/eval.h"

namespace fovea::cli {
namespace {

constexpr int kMostSamples = 1 << 20;
constexpr const char* kAllPlaces = "all";

// A number of samples, as the user wrote it.
struct SweepStep {
  std::string word;
  int samples = 0;  // 0: all places
};

SweepStep sweep_step(const std::string& word) {
  if (word == kAllPlaces) return {word};
  SweepStep step{word};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), step.samples);
  if (error != std::errc{} || end != word.data() + word.size() || step.samples < 1 ||
      step.samples > kMostSamples)
    throw InvalidArgument(
        fmt::format("--sweep-samples holds '{}', expected whole numbers from 1 to {}, or the word "
                    "all",
                    word.substr(0, 40), kMostSamples));
  return step;
}

struct SweepRow {
  SweepStep step;
  scenes::EvaluateReport report;
  double seconds = 0;

  // Descriptors that words were learned from, as a mean over the splits.
  double learned_from() const {
    return mean([](const auto& one) { return 1.0 * one.samples; });
  }
  double iterations() const {
    return mean([](const auto& one) { return 1.0 * one.iterations; });
  }
  double inertia() const {
    return mean([](const auto& one) { return one.inertia / static_cast<double>(one.samples); });
  }
  // The range that a chart shows: one deviation between splits, or the interval of a single one.
  Interval range() const {
    if (report.splits.size() == 1) return report.total.interval();
    return {report.accuracy_mean - report.accuracy_deviation,
            report.accuracy_mean + report.accuracy_deviation};
  }

 private:
  template <class Value>
  double mean(const Value& value) const {
    double sum = 0;
    for (const scenes::WordLearning& one : report.learning) sum += value(one);
    return sum / static_cast<double>(report.learning.size());
  }
};

// How many images words are learned from, as a mean over the splits.
double dictionary_images(const ScenesEvalRequest& request, const scenes::SplitCorpus& task) {
  double sum = 0;
  for (const scenes::Split& split : task.splits) {
    const bool all = request.evaluate.dictionary_from == scenes::DictionaryFrom::kAll;
    sum += static_cast<double>(split.train.size() + (all ? split.test.size() : 0));
  }
  return sum / static_cast<double>(task.splits.size());
}

// Numbers of places that ascend; of two that are equal, such as all places and more than there are,
// the last one counts.
std::vector<SweptReport> swept(const std::vector<SweepRow>& rows, double images) {
  std::map<double, const SweepRow*> by_places;
  for (const SweepRow& row : rows) by_places[row.learned_from() / images] = &row;
  std::vector<SweptReport> reports;
  reports.reserve(by_places.size());
  for (const auto& [places, row] : by_places)
    reports.push_back({places, row->range(), &row->report});
  return reports;
}

report::Table sweep_table(const std::vector<SweepRow>& rows) {
  report::Table table{.caption = "Samples per image",
                      .columns = {{"samples"}, {"accuracy", "%"}, {"learned from"}, {"inertia"}}};
  for (const SweepRow& row : rows)
    table.rows.push_back({row.step.word,
                          {100 * row.report.accuracy_mean, 4},
                          {row.learned_from(), 7},
                          {row.inertia(), 4}});
  return table;
}

void write_sweep(const std::string& folder, const std::vector<SweepRow>& rows,
                 report::Evaluation evaluation, const Context& context) {
  make_folder(folder);
  const bool timed = reports_times(context);
  std::vector<std::string> header{"samples", "accuracy",     "low",
                                  "high",    "learned_from", "inertia_per_sample"};
  if (timed) header.emplace_back("seconds");
  write_csv_file((std::filesystem::path(folder) / "samples.csv").string(), header,
                 [&](io::CsvWriter& csv) {
                   for (const SweepRow& row : rows) {
                     const Interval range = row.range();
                     csv.field(row.step.word).field(row.report.accuracy_mean);
                     csv.field(range.low).field(range.high);
                     csv.field(row.learned_from()).field(row.inertia());
                     if (timed) csv.field(row.seconds);
                     csv.end_row();
                   }
                 });
  evaluation.tables.push_back(sweep_table(rows));
  write_evaluation_folder(folder, context, evaluation);
}

void print_sweep(const std::vector<SweepRow>& rows, const Context& context) {
  const bool timed = reports_times(context);
  context.console.print(
      fmt::format("{:>8} {:>12} {:>14} {:>12} {:>11}{}   {}\n", "samples", "accuracy (%)",
                  "learned from", "iterations", "inertia", timed ? "   seconds" : "",
                  rows.front().report.splits.size() == 1 ? "95 % interval" : "one deviation"));
  for (const SweepRow& row : rows) {
    const Interval range = row.range();
    context.console.print(fmt::format(
        "{:>8} {:>12} {:>14.0f} {:>12.0f} {:>11.4g}{}   {:.1f} to {:.1f}\n", row.step.word,
        fmt::format("{:.2f}", 100 * row.report.accuracy_mean), row.learned_from(), row.iterations(),
        row.inertia(), timed ? fmt::format(" {:>9.1f}", row.seconds) : "", 100 * range.low,
        100 * range.high));
  }
}

SweepReport report_of(const std::vector<SweepRow>& rows) {
  SweepReport report;
  for (const SweepRow& row : rows) {
    const Interval range = row.range();
    report.sweep.push_back({.samples = row.step.word,
                            .accuracy_mean = row.report.accuracy_mean,
                            .accuracy_deviation = row.report.accuracy_deviation,
                            .accuracy_range = {range.low, range.high},
                            .failed = row.report.failed,
                            .seconds = row.seconds,
                            .kmeans = row.report.learning});
  }
  return report;
}

}  // namespace

void describe(FieldVisitor& visit, SweepReport::Row& row) {
  visit.record("SweepRow", "how well words do that are learned from so many samples");
  visit("samples", row.samples, "places of each image that words are learned from, or all");
  visit("accuracy_mean", row.accuracy_mean, "over the splits");
  visit("accuracy_deviation", row.accuracy_deviation, "between the splits");
  visit("accuracy_range", row.accuracy_range,
        "one deviation between splits, or the 95 % interval of a single one");
  visit("failed", row.failed, "how many images could not be read");
  visit("seconds", row.seconds, "how long it took", {.unit = "seconds", .timing = true});
  visit("kmeans", row.kmeans, "how words were learned: once for all splits, or once per split");
}

void describe(FieldVisitor& visit, SweepReport& report) {
  visit.record("SweepReport", "accuracy against the places that words are learned from");
  visit("sweep", report.sweep, "one per number of samples, in their order");
}

void sweep_samples(const ScenesEvalRequest& request, const scenes::SplitCorpus& task,
                   const io::ImageSet& images, Context& context, FailedImages& failed) {
  std::vector<SweepStep> steps;
  steps.reserve(request.sweep_samples.size());
  for (const std::string& word : request.sweep_samples) steps.push_back(sweep_step(word));
  std::vector<double> seconds(steps.size(), 0);
  SplitsTask sweep{{}, task.splits, request.evaluate.dictionary_from, task.corpus.paths};
  for (std::size_t i = 0; i < steps.size(); ++i)
    sweep.works.push_back(
        {steps[i].word + " samples",
         [&, i](std::span<const scenes::Split> splits, const scenes::ImageFailure& skip,
                const scenes::SplitFinished& finished) {
           scenes::EvaluateOptions options = request.evaluate;
           options.exec = context.exec;
           options.train.dictionary.all_places = steps[i].samples == 0;
           if (steps[i].samples > 0) options.train.dictionary.samples = steps[i].samples;
           const double start = steady_seconds();
           scenes::evaluate(images, task.corpus.labels,
                            static_cast<int>(task.corpus.classes.size()), splits, options, skip,
                            finished);
           seconds[i] = steady_seconds() - start;
         }});
  auto reports = evaluate_splits(sweep, context, failed);
  if (!reports) return;
  std::vector<SweepRow> rows;
  rows.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    rows.push_back({steps[i], std::move((*reports)[i]), seconds[i]});
  if (!request.output.empty())
    write_sweep(request.output, rows,
                sweep_evaluation(task, swept(rows, dictionary_images(request, task))), context);
  if (context.json) print_result(context, record_ref(report_of(rows)));
  else print_sweep(rows, context);
}

}  // namespace fovea::cli
