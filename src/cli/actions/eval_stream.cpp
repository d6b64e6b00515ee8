// fovea actions eval-stream: measures recognition in continuous video.
#include <fovea/actions/evaluate_stream.h>
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/actions/actions.h"
#include "cli/actions/eval_stream.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using actions::EventCounts;
using actions::StreamPoint;
using actions::StreamReport;

struct EvalStreamRequest {
  std::string model{};
  std::vector<std::string> unknown{};
  std::vector<std::string> subjects{};
  bool cut_first = false;
  std::string output{};
  actions::StreamEvaluateOptions evaluate{};
  actions::TrainOptions train{};
};

void describe(OptionVisitor& visit, EvalStreamRequest& request) {
  visit.path("model", request.model, TextUse::kModel,
             "model to measure, on all clips or those of --subjects; without it, each subject is "
             "left out in turn and a model is trained on the others, which the options of training "
             "are for");
  visit("unknown", request.unknown,
        "actions that are not trained; their clips are unrelated motion in the videos",
        {.value_name = "NAMES"});
  visit("subjects", request.subjects, "with --model: only clips of these subjects",
        {.value_name = "NAMES"});
  visit("cut-first", request.cut_first,
        "cut training clips out of their videos before points are found");
  visit.path(
      "output", request.output, TextUse::kFolder,
      "folder for the report: a page with curve and worst mistakes, and evaluation.json for fovea "
      "view");
  describe(visit, request.evaluate);
  describe(visit, request.train);
}

struct Measured {
  StreamReport report;
  std::vector<std::string> classes;
};

// What a subject gives: the clips that cannot be read, and the report where some can.
struct SubjectReport {
  std::vector<FailedClip> failures{};
  std::optional<StreamReport> report{};
};
void describe(FieldVisitor& visit, SubjectReport& subject) {
  visit("failures", subject.failures, "clips that cannot be read");
  visit("report", subject.report, "of the other clips");
}

// What is printed as JSON.
struct EvalStreamResult {
  std::string input{};
  StreamReport report{};
};
void describe(FieldVisitor& visit, EvalStreamResult& result) {
  visit("input", result.input, "the folder or list of clips");
  describe(visit, result.report);
}

// The subjects whose videos are measured, in the order of the clips.
std::vector<std::string> measured_subjects(const EvalStreamRequest& request,
                                           const actions::Corpus& corpus) {
  std::vector<std::string> subjects = corpus.subjects();
  if (request.subjects.empty()) return subjects;
  std::erase_if(subjects, [&](const std::string& name) {
    return std::ranges::find(request.subjects, name) == request.subjects.end();
  });
  for (const std::string& name : request.subjects)
    if (std::ranges::find(subjects, name) == subjects.end())
      throw InvalidArgument(fmt::format("there is no subject {}; expected some of {}", name,
                                        fmt::join(corpus.subjects(), ", ")));
  return subjects;
}

// Measures one subject after the other; the subjects of a job are its units.
class SubjectStreams {
 public:
  SubjectStreams(const EvalStreamRequest& request, Context& context)
      : request_(request),
        context_(context),
        corpus_(actions::read_corpus(context.inputs[0])),
        subjects_(measured_subjects(request, corpus_)) {
    if (!request.model.empty()) model_ = actions::load_model(request.model);
  }

  std::optional<Measured> run(int& status) {
    std::vector<std::string> names;
    for (const std::string& subject : subjects_) names.push_back("subject " + subject);
    std::vector<SubjectReport> reports(subjects_.size());
    Units units(context_, units_from(std::move(names), clip_files(corpus_)), reports);
    const bool measures = !units.open().empty();
    if (measures && !model_) {
      clips_ = load_clips(corpus_, request_.train.points, request_.cut_first, context_);
      status = clips_.status();
    }
    for (const std::size_t unit : units.open()) units.take(unit, measured(subjects_[unit]));
    if (!units.finish_whole()) return {};
    Measured all{.report = {},
                 .classes = model_ ? model_->classes : known_classes(corpus_, request_.unknown)};
    ClipFailures failures;
    for (const SubjectReport& subject : reports) {
      failures = by_clip(subject.failures);
      if (subject.report) all.report += *subject.report;
    }
    if (!measures) complain_of(failures, corpus_.clips.size(), context_);
    status = failures.empty() ? kDone : kSomeFailed;
    return all;
  }

 private:
  SubjectReport measured(const std::string& subject) const {
    SubjectReport found{.failures = listed(clips_.failures)};
    const actions::ModelStreams which{.unknown = request_.unknown, .subjects = {subject}};
    const std::vector<std::string> readable = clips_.corpus.subjects();
    if (model_) found.report = evaluate_model_streams(model_, corpus_, which, request_.evaluate);
    else if (std::ranges::find(readable, subject) != readable.end())
      found.report = evaluate_subject_streams(clips_.corpus, clips_.points, which, request_.train,
                                              request_.evaluate);
    return found;
  }

  const EvalStreamRequest& request_;
  Context& context_;
  actions::Corpus corpus_;
  std::vector<std::string> subjects_;
  std::shared_ptr<const actions::Model> model_{};
  ClipSet clips_;
};

std::string counts_text(const EventCounts& counts) {
  const auto percent = [](double share) {
    return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
  };
  return fmt::format("{:5} {:5} {:7} {:>11} {:>8} {:>8} {:7.1f}", counts.truths, counts.events,
                     counts.correct, percent(counts.precision()), percent(counts.recall()),
                     percent(counts.f1()), counts.mean_delay());
}

void print_text(const Measured& measured, Context& context) {
  const StreamReport& report = measured.report;
  context.console.print(
      fmt::format("{} in {}, of which {} show unrelated motion or none\n",
                  detail::counted(report.points[0].overlaps[0].all.truths, "action"),
                  detail::counted(report.frames, "frame"),
                  report.frames - std::min(report.frames, report.action_frames)));
  constexpr std::string_view kHead = "true found correct precision   recall       F1   delay";
  for (std::size_t o = 0; o < report.points[0].overlaps.size(); ++o) {
    context.console.print(
        fmt::format("\noverlap {:<12g} {}\n", report.points[0].overlaps[o].overlap, kHead));
    for (const StreamPoint& point : report.points)
      context.console.print(
          fmt::format("reject {:<12g} {}\n", point.reject, counts_text(point.overlaps[o].all)));
    // The classes at the reject level of the model, or at the first factor that was given.
    const auto usual = std::ranges::find(report.points, 1.0, &StreamPoint::reject);
    const StreamPoint& shown = usual == report.points.end() ? report.points[0] : *usual;
    for (std::size_t c = 0; c < measured.classes.size(); ++c)
      context.console.print(fmt::format("  {:<17} {}\n", measured.classes[c],
                                        counts_text(shown.overlaps[o].classes[c])));
  }
  context.console.print("\ndelay: mean frames from the end of an action to its report\n");
}

int run_eval_stream(EvalStreamRequest& request, Context& context) {
  if (!request.subjects.empty() && request.model.empty())
    throw InvalidArgument("--subjects needs --model; without a model each subject is tested");
  if (request.evaluate.rejects.empty() || request.evaluate.overlaps.empty())
    throw InvalidArgument("--rejects and --overlaps need one number or more each");
  if (request.model.empty() && request.train.cut.points > 1)
    throw InvalidArgument(
        fmt::format("--model-points {}: streams are matched with one point per frame",
                    request.train.cut.points));
  require_no_file("-o", request.output);
  resolve_device(context);
  request.evaluate.exec = context.exec;
  request.evaluate.joined.seed = context.exec.seed;
  request.evaluate.joined.max_pixels = context.max_pixels;
  int status = kDone;
  const std::optional<Measured> measured = SubjectStreams(request, context).run(status);
  if (!measured) return status;
  if (!request.output.empty())
    write_evaluation_folder(request.output, context,
                            stream_evaluation(measured->report, measured->classes));
  if (context.json)
    print_result(context, record_ref(EvalStreamResult{context.inputs[0], measured->report}));
  else print_text(*measured, context);
  return status;
}

}  // namespace

Command actions_eval_stream_command() {
  return {
      .system = "actions",
      .verb = "eval-stream",
      .summary = "measure recognition in continuous video: precision, recall, delay",
      .text =
          "Joins the clips of each subject to one video, in random order and with unrelated motion "
          "between them, recognizes what happens in it, and compares the events with the true "
          "ones. The model is trained on all other subjects, or given. An event is right if it has "
          "the label of a true one and enough frames in common with it; events of one action that "
          "follow each other count as one. Reports precision, recall, F1 and the mean delay from "
          "the end of an action to its report, for all and for each action, and for several "
          "factors of the reject levels. --people 2 shows two people side by side. INPUT is what "
          "actions train takes. Shards divide the subjects.",
      .arguments = {{"INPUT", "folder with one folder of videos per action, or a list of clips"}},
      .examples = {{"fovea actions eval-stream clips", "leave out each subject in turn"},
                   {"fovea actions eval-stream clips --people 2",
                    "show clips of the subject side by side"},
                   {"fovea actions eval-stream clips --unknown bend,jack",
                    "two actions are unrelated motion"},
                   {"fovea actions eval-stream clips -o report",
                    "see the mistakes by fovea view report/evaluation.json"}},
      .request = make_request<EvalStreamRequest, run_eval_stream>,
      .result = {.record = sample_record<EvalStreamResult>},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
