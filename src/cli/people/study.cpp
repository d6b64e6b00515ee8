// fovea people study: how much each option of the HOG descriptor matters.
#include "cli/people/study.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/people/measure.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct StudyRequest {
  std::string positives{};
  std::string negatives{};
  std::string test_positives{};
  std::string test_negatives{};
  std::string output{};
  people::StudyOptions study{};
};

void describe(OptionVisitor& visit, StudyRequest& request) {
  visit.path("positives", request.positives, TextUse::kInput,
             "crops to learn from, each with one person's window in its middle: a folder, glob or "
             "@list");
  visit.path("negatives", request.negatives, TextUse::kInput,
             "whole images without people to learn from");
  visit.path("test-positives", request.test_positives, TextUse::kInput,
             "crops to measure on, other than those to learn from; without them, the last quarter "
             "of the positives");
  visit.path("test-negatives", request.test_negatives, TextUse::kInput,
             "whole images without people to measure on; without them, the last quarter of the "
             "negatives");
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the report: a page with all charts, tables as CSV, and JSON");
  describe(visit, request.study);
}

struct StudyResult {
  people::StudyReport report{};
  std::string page{};
};
void describe(FieldVisitor& visit, StudyResult& result) {
  describe(visit, result.report);
  visit("page", result.page, "the page with all charts");
}

std::vector<std::string> files_of(const char* option, const std::string& word) {
  if (word.empty()) throw InvalidArgument(fmt::format("people study needs --{} FOLDER", option));
  return io::expand_inputs(std::span(&word, 1), io::image_files());
}

// Files to learn from, and files to measure on.
struct StudyFiles {
  std::vector<std::string> learn{};
  std::vector<std::string> test{};
};
StudyFiles study_files(const char* option, const std::string& word, const std::string& test) {
  StudyFiles files{files_of(option, word), {}};
  if (!test.empty()) {
    files.test = files_of(fmt::format("test-{}", option).c_str(), test);
    return files;
  }
  const std::size_t kept = files.learn.size() - files.learn.size() / 4;
  if (kept == files.learn.size())
    throw InvalidArgument(
        fmt::format("--{} has {}, too few to keep a quarter for measuring; give --test-{}", option,
                    detail::counted(kept, "image"), option));
  files.test.assign(files.learn.begin() + static_cast<std::ptrdiff_t>(kept), files.learn.end());
  files.learn.resize(kept);
  return files;
}

std::string line_of(const people::StudyVariant& variant, const people::StudyReport& report) {
  const double change = 100 * (variant.miss_rate - report.base.miss_rate);
  return fmt::format(
      "{}: miss rate {:.1f} % (deviation {:.1f}){}; {} numbers, {:.1f} s\n",
      variant.parameter.empty() ? variant.label : variant.parameter + ", " + variant.label,
      100 * variant.miss_rate, 100 * variant.deviation,
      variant.parameter.empty()
          ? fmt::format(" at {:.2g} false positives per window", report.false_rate)
          : fmt::format(", {:+.1f}", change),
      variant.numbers, variant.seconds);
}

int run_study(StudyRequest& request, Context& context) {
  resolve_device(context);              // refuses a GPU that is not there
  context.exec.device = Device::cpu();  // everything here runs on the CPU, and the result says so
  if (request.output.empty()) throw InvalidArgument("people study needs -o FOLDER for its report");
  const StudyFiles crops = study_files("positives", request.positives, request.test_positives);
  const StudyFiles scenes = study_files("negatives", request.negatives, request.test_negatives);
  const people::ImageFileSet positives(crops.learn, context.max_pixels);
  const people::ImageFileSet negatives(scenes.learn, context.max_pixels);
  const people::StoredImages test_positives(crops.test, context.max_pixels);
  const people::StoredImages test_negatives(scenes.test, context.max_pixels);
  context.console.note(fmt::format("{} and {} to learn from, {} and {} to measure on",
                                   detail::counted(positives.count(), "crop"),
                                   detail::counted(negatives.count(), "image"),
                                   detail::counted(test_positives.count(), "crop"),
                                   detail::counted(test_negatives.count(), "image")));
  require_no_file("-o", request.output);
  people::StudyReport so_far;
  request.study.exec = context.exec;
  request.study.finished = [&](const people::StudyReport& report) {
    so_far = report;
    const auto& last = report.variants.empty() ? report.base : report.variants.back();
    if (context.json) return;
    context.console.end_progress();
    context.console.print(line_of(last, report));
  };
  try {
    people::study({positives, negatives, test_positives, test_negatives}, request.study);
  } catch (...) {
    // What was finished is worth keeping.
    context.console.end_progress();
    if (so_far.false_rate > 0) write_study_folder(request.output, context, so_far);
    throw;
  }
  context.console.end_progress();
  write_study_folder(request.output, context, so_far);
  if (context.json) {
    const StudyResult result{std::move(so_far),
                             (std::filesystem::path(request.output) / "index.html").string()};
    print_result(context, record_ref(result));
  }
  return kDone;
}

}  // namespace

Command people_study_command() {
  return {
      .system = "people",
      .verb = "study",
      .summary = "measure how much each option of the HOG descriptor matters",
      .text =
          "Repeats the study of Dalal and Triggs on any data. Every option of the descriptor is "
          "varied from its default (--hog-...), one at a time: the mask of the gradients, a blur "
          "before them, the votes, bins, cells and blocks of any shape, their overlap, norms and "
          "constants, gamma, color, and how much of the surroundings the window holds. For each "
          "value a linear classifier learns from the same crops and the same random windows, "
          "searches the negatives for false positives (--linear-rounds), and is measured by the "
          "miss rate over false positives per window on crops and images it has not seen. The "
          "folder -o gets one page with a chart per option and a table of all, and the same as CSV "
          "and JSON. After an interruption it holds what was finished. The CPU does the work; the "
          "same data, options and seed give the same miss rates with any number of threads.",
      .examples = {{"fovea people study --positives crops --negatives scenes -o study",
                    "vary everything; the last quarter of the images is kept for measuring"},
                   {"fovea people study --vary mask,vote --positives p --negatives n -o study",
                    "vary the mask of the gradients and the votes only"}},
      .request = make_request<StudyRequest, run_study>,
      .result = {sample_record<StudyResult>},
      .reads_images = true};
}

}  // namespace fovea::cli
