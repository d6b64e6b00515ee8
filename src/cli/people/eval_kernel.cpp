// fovea people eval-kernel: what a support vector machine with an RBF kernel gains over the linear
// one on the same windows.
#include <fovea/core/error.h>
#include <fovea/core/record_values.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>
#include <fovea/people/kernels.h>
#include <fovea/people/measure.h>
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/people/eval.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

struct EvalKernelRequest {
  std::string positives{};
  std::string negatives{};
  std::string crops{};
  std::string scenes{};
  std::string output{};
  people::CompareKernelsOptions compare{};
};

void describe(OptionVisitor& visit, EvalKernelRequest& request) {
  visit.path("positives", request.positives, TextUse::kInput,
             "crops to learn from, each with one person's window in its middle");
  visit.path("negatives", request.negatives, TextUse::kInput,
             "images without people to learn from");
  visit.path("crops", request.crops, TextUse::kInput, "crops to measure with");
  visit.path("scenes", request.scenes, TextUse::kInput, "images without people to measure with");
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the report: a page, the curves as CSV and SVG, and evaluation.json for "
             "fovea view");
  describe(visit, request.compare);
}

// One of the two machines with its name.
struct NamedMachine {
  const char* name;
  const people::KernelMeasurement& measured;
};
std::vector<NamedMachine> machines_of(const people::KernelComparison& result) {
  return {{"linear", result.linear}, {"rbf", result.rbf}};
}

people::StoredImages kernel_images(const Context& context, const char* option,
                                   const std::string& word) {
  if (word.empty())
    throw InvalidArgument(fmt::format("people eval-kernel needs --{} FOLDER", option));
  return people::StoredImages(io::expand_inputs(std::span(&word, 1), io::image_files()),
                              context.max_pixels);
}

std::string settings_text(const people::KernelTrial& trial) {
  return trial.gamma > 0 ? fmt::format("C {:g}, gamma {:g}", trial.cost, trial.gamma)
                         : fmt::format("C {:g}", trial.cost);
}

// The rate that machines are compared at: 1e-4, or the least that so many windows can show.
double compared_rate(const people::KernelComparison& result) {
  const double windows = static_cast<double>(result.linear.report.negatives);
  return std::max(1e-4, 1 / std::max(1.0, windows));
}

// One of the two machines, as it is printed.
struct KernelMachine {
  std::string name{};
  people::KernelMeasurement measured{};
  double at = 1;  // the rate that machines are compared at
};
void describe(FieldVisitor& visit, KernelMachine& machine) {
  people::KernelMeasurement& measured = machine.measured;
  double rate = measured.report.miss_rate_at(machine.at),
         deviation = measured.report.deviation(rate);
  FieldValue gamma = detail::number_above<0>(measured.chosen.gamma);
  visit("machine", machine.name, "linear or rbf");
  visit("cost", measured.chosen.cost, "C, as it was chosen");
  visit("gamma", gamma, "of the RBF kernel, as it was chosen");
  visit("miss_rate", rate, "at false_positives_per_window");
  visit("standard_deviation", deviation, "of it");
  visit("crops", measured.report.positives, "windows with a person that it was measured on");
  visit("windows", measured.report.negatives, "windows without");
  visit("support_vectors", measured.support_vectors, "0 for the linear machine");
  visit("converged", measured.converged, "whether the training did");
  visit("train_seconds", measured.train_seconds, "with the chosen settings", {.unit = "seconds"});
  visit("score_seconds", measured.score_seconds, "of all windows", {.unit = "seconds"});
  visit("trials", measured.trials, "settings that were tried");
}

struct KernelResult {
  people::KernelComparison compared{};
  std::optional<std::string> page{};
};
void describe(FieldVisitor& visit, KernelResult& result) {
  people::KernelComparison& compared = result.compared;
  double at = compared_rate(compared), gain = compared.gain(at);
  std::vector<KernelMachine> machines;
  for (const auto& [name, measured] : machines_of(compared))
    machines.push_back({name, measured, at});
  visit("positives", compared.positives, "windows with a person that both learned from");
  visit("random_windows", compared.random_windows, "random windows without a person");
  visit("hard_windows", compared.hard_windows, "windows that a linear machine finds hardest");
  visit("false_positives_per_window", at, "at which the machines are compared");
  visit("gain", gain, "by how much the RBF kernel lowers the miss rate");
  visit("machines", machines, "the linear one, and that with the RBF kernel");
  visit("page", result.page, "the page of the report");
}

std::optional<std::string> kernel_page(const EvalKernelRequest& request) {
  if (request.output.empty()) return {};
  return (fs::path(request.output) / "index.html").string();
}

std::string text_of(const people::KernelComparison& result) {
  std::string text;
  const double at = compared_rate(result);
  for (const auto& [name, measured] : machines_of(result)) {
    const double rate = measured.report.miss_rate_at(at);
    text += fmt::format(
        "{:<6} {}: miss rate {:.2f} % (deviation {:.2f}) at {:.2g} false positives per window; "
        "{}learned in {:.1f} s, scored in {:.1f} s\n",
        name, settings_text(measured.chosen), 100 * rate, 100 * measured.report.deviation(rate), at,
        measured.support_vectors > 0
            ? detail::counted(measured.support_vectors, "support vector") + ", "
            : "",
        measured.train_seconds, measured.score_seconds);
  }
  return text + fmt::format("gain of the RBF kernel at {:.2g}: {:.2f} points\n", at,
                            100 * result.gain(at));
}

// What fovea view shows. Windows are no inputs, so that there are curves and no mistakes.
report::Evaluation kernel_evaluation(const people::KernelComparison& result) {
  const double at = compared_rate(result);
  report::Evaluation evaluation{
      .system = "people",
      .title = "What an RBF kernel gains",
      .summary = fmt::format("Both machines learned from {} positives, {} random and {} hard "
                             "windows. The gain of the kernel at {:.2g} is {:.2f} points.",
                             result.positives, result.random_windows, result.hard_windows, at,
                             100 * result.gain(at))};
  report::EvaluationChart chart = people::miss_rate_chart(people::CurveUnit::kWindow);
  chart.option.clear();  // no detector uses these scores
  chart.caption = fmt::format("Lower is better; the number is the miss rate at {:.2g}.", at);
  report::Table numbers{"On the windows of the test.",
                        {{"machine"},
                         {"settings"},
                         {fmt::format("miss rate at {:.2g}", at), "%"},
                         {"deviation", "%"},
                         {"support vectors"},
                         {"learning", "s", true},
                         {"scoring", "s", true}},
                        {}};
  report::Table trials{"Settings that were tried on held-out windows of the training.",
                       {{"machine"}, {"settings"}, {"mean miss rate", "%"}},
                       {}};
  for (const auto& [name, measured] : machines_of(result)) {
    const double rate = measured.report.miss_rate_at(at);
    evaluation.facts.emplace_back(name, settings_text(measured.chosen));
    people::add_miss_rates(chart, name, {}, measured.report.curve, rate);
    numbers.rows.push_back({name, settings_text(measured.chosen), report::Cell(100 * rate),
                            report::Cell(100 * measured.report.deviation(rate)),
                            measured.support_vectors, report::Cell(measured.train_seconds),
                            report::Cell(measured.score_seconds)});
    for (const people::KernelTrial& trial : measured.trials)
      trials.rows.push_back({name, settings_text(trial), report::Cell(100 * trial.miss_rate)});
  }
  evaluation.charts.push_back(std::move(chart));
  evaluation.tables = {std::move(numbers), std::move(trials)};
  return evaluation;
}

void write_kernel_folder(const EvalKernelRequest& request, const Context& context,
                         const people::KernelComparison& result) {
  make_folder(request.output);
  std::vector<MissRates> curves;
  for (const auto& [name, measured] : machines_of(result))
    curves.emplace_back(name, &measured.report.curve);
  write_miss_rates((fs::path(request.output) / "curve.csv").string(), "machine", true, curves);
  write_evaluation_folder(request.output, context, kernel_evaluation(result));
}

int run_eval_kernel(EvalKernelRequest& request, Context& context) {
  const people::StoredImages positives = kernel_images(context, "positives", request.positives),
                             negatives = kernel_images(context, "negatives", request.negatives),
                             crops = kernel_images(context, "crops", request.crops),
                             scenes = kernel_images(context, "scenes", request.scenes);
  resolve_device(context);
  require_no_file("-o", request.output);
  request.compare.exec = context.exec;
  const people::KernelComparison result =
      people::compare_kernels({positives, negatives}, {crops, scenes}, request.compare);
  context.console.end_progress();
  for (const auto& [name, measured] : machines_of(result))
    if (!measured.converged)
      context.console.note(fmt::format("the {} machine did not converge", name));
  if (!request.output.empty()) write_kernel_folder(request, context, result);
  if (context.json) print_result(context, record_ref(KernelResult{result, kernel_page(request)}));
  else context.console.print(text_of(result));
  return kDone;
}

}  // namespace

Command people_eval_kernel_command() {
  return {
      .system = "people",
      .verb = "eval-kernel",
      .summary = "measure what an RBF kernel would gain over the linear machine of HOG",
      .text =
          "Trains a linear support vector machine and an exact one with an RBF kernel on the same "
          "HOG windows, and measures both on the windows of a test, as people eval --crops does. "
          "The windows to learn from are those of people train: crops and their mirror images, "
          "random windows of the negatives, and those that a first linear machine finds hardest. "
          "Cost and gamma are chosen on the training alone, by machines that learn from two thirds "
          "of its images and are measured on the rest. No detector uses the kernel: scoring a "
          "window by it takes as many times as long as there are support vectors. The matrix of "
          "the kernel has four bytes "
          "per pair of windows (--kernel-memory), some 2.5 GB for the windows of INRIA.",
      .examples = {{"fovea people eval-kernel --positives p --negatives n --crops c --scenes s",
                    "learn from p and n, measure on c and s; -o writes curves"}},
      .request = make_request<EvalKernelRequest, run_eval_kernel>,
      .result = {sample_record<KernelResult>},
      .reads_images = true};
}

}  // namespace fovea::cli
