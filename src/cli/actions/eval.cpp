// fovea actions eval: measures how often actions are classified correctly, compared with simpler
// methods.
#include "cli/actions/eval.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/actions/actions.h"
#include "cli/program/batch.h"
#include "cli/program/run.h"

namespace fovea::cli {

std::span<const Choice> choices(Protocol) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"leave-one-subject-out", static_cast<int>(Protocol::kLeaveOneSubjectOut)},
       {"split", static_cast<int>(Protocol::kSplit)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, ActionsEvalRequest& request) {
  visit("protocol", request.protocol,
        "leave out each subject in turn, or test one split: KTH's own or that of --test-subjects");
  visit.path("kth", request.kth, TextUse::kInput,
             "KTH's sequence file, 00sequences.txt; INPUT is then the folder that has one folder "
             "per action");
  visit("partial", request.partial,
        "with --kth: accept a part of the set and leave out clips whose video is missing");
  visit("test-subjects", request.test_subjects, "subjects whose clips a split tests",
        {.value_name = "NAMES"});
  visit("choose", request.choose,
        "choose features and scores inside each fold from a fixed pool of recipes",
        {.off_help = "use the features and scores that the options give, instead of choosing them "
                     "inside each fold"});
  describe(visit, request.evaluate);
  visit("paper", request.paper,
        "use the paper's value for every option that is not given beside it, and --no-choose");
  visit("cut-first", request.cut_first,
        "cut clips out of their videos before points are found, so that frames around a clip have "
        "no influence");
  visit("windows", request.windows, "also evaluate these windows T, such as 5,10,20,40", 0, 1e6);
  visit("draws", request.draws,
        "also evaluate fewer training subjects, with this number of random draws; 0 does not", 0,
        1000);
  visit.path("output", request.output, TextUse::kFolder, "folder for pictures, CSV and a page");
  describe(visit, request.train);
}

void preset_chosen(ActionsEvalRequest& request) {
  if (!request.paper) return;
  request.train = actions::paper_options();
  request.choose = false;
}

namespace {

// The clips, and how they are divided into training and test.
struct Task {
  actions::Corpus corpus;
  std::vector<std::int32_t> train, test;
};

// With --partial, clips whose video is missing are left out.
Task kth_task(const ActionsEvalRequest& request, const std::string& folder) {
  const actions::KthSequences kth = actions::read_kth(request.kth, folder, !request.partial);
  std::vector<bool> tests(kth.corpus.clips.size(), false);
  for (const std::int32_t clip : kth.test) tests[static_cast<std::size_t>(clip)] = true;
  Task task;
  task.corpus.classes = kth.corpus.classes;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const actions::Clip& clip = kth.corpus.clips[i];
    if (request.partial && !std::filesystem::exists(clip.path)) continue;
    (tests[i] ? task.test : task.train)
        .push_back(static_cast<std::int32_t>(task.corpus.clips.size()));
    task.corpus.clips.push_back(clip);
  }
  if (task.corpus.clips.empty())
    throw InvalidArgument(fmt::format("{}: none of the videos of {} exists", folder, request.kth));
  return task;
}

Task make_task(const ActionsEvalRequest& request, const Context& context) {
  if (!request.kth.empty()) return kth_task(request, context.inputs[0]);
  Task task{actions::read_corpus(context.inputs[0]), {}, {}};
  const std::vector<std::string>& subjects = request.test_subjects;
  const std::vector<std::string> known = task.corpus.subjects();
  for (const std::string& name : subjects)
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument(
          fmt::format("--test-subjects: there is no subject {}; expected one of {}", name,
                      fmt::join(known, ", ")));
  for (std::size_t i = 0; i < task.corpus.clips.size(); ++i) {
    const bool tests = std::ranges::find(subjects, task.corpus.clips[i].subject) != subjects.end();
    (tests ? task.test : task.train).push_back(static_cast<std::int32_t>(i));
  }
  return task;
}

std::vector<actions::Fold> folds_of(const ActionsEvalRequest& request, const Task& task,
                                    const ClipSet& clips) {
  if (request.protocol == Protocol::kLeaveOneSubjectOut)
    return actions::leave_one_subject_out(clips.corpus);
  actions::Fold fold{"split", {}, {}};
  const auto keep = [&](const std::vector<std::int32_t>& from, std::vector<std::int32_t>& to) {
    for (const std::int32_t clip : from)
      if (const std::int32_t place = clips.place[static_cast<std::size_t>(clip)]; place >= 0)
        to.push_back(place);
  };
  keep(task.train, fold.train);
  keep(task.test, fold.test);
  return {fold};
}

int subjects_of(const actions::Corpus& corpus, const actions::Fold& fold) {
  std::vector<std::string> names;
  for (const std::int32_t clip : fold.train)
    names.push_back(corpus.clips[static_cast<std::size_t>(clip)].subject);
  std::ranges::sort(names);
  return static_cast<int>(std::unique(names.begin(), names.end()) - names.begin());
}

// The folds of all draws are evaluated together, so that each pair of clips is matched only once.
std::vector<CurvePoint> subject_curve(const ActionsEvalRequest& request, const ClipSet& clips,
                                      const std::vector<actions::Fold>& folds,
                                      const actions::TrainOptions& options, const Exec& exec) {
  int most = subjects_of(clips.corpus, folds[0]);
  for (const actions::Fold& fold : folds) most = std::min(most, subjects_of(clips.corpus, fold));
  std::vector<actions::Fold> all;
  std::vector<CurvePoint> curve;
  std::vector<std::size_t> point_of;
  for (int subjects = 1; subjects <= most; subjects = subjects == 1 ? 2 : subjects + 2) {
    curve.push_back({.at = subjects});
    for (int draw = 0; draw < request.draws; ++draw)
      for (actions::Fold& fold : actions::fewer_subjects(
               clips.corpus, folds, subjects, exec.seed + static_cast<std::uint64_t>(draw))) {
        curve.back().tested += static_cast<int>(fold.test.size());
        all.push_back(std::move(fold));
        point_of.push_back(curve.size() - 1);
      }
  }
  const std::vector<actions::Recipe> one{{"given", options}};
  const actions::EvaluateReport report =
      actions::evaluate(clips.corpus, clips.points, all, one, {.baselines = false, .exec = exec});
  for (std::size_t i = 0; i < all.size(); ++i)
    curve[point_of[i]].correct += report.recipes[0].correct_by_fold[i];
  return curve;
}

int run_actions_eval(ActionsEvalRequest& request, Context& context) {
  if (request.protocol == Protocol::kSplit && request.kth.empty() && request.test_subjects.empty())
    throw InvalidArgument("--protocol split needs --kth SEQUENCES or --test-subjects NAMES");
  settle_device(context);
  const actions::TrainOptions& options = request.train;
  Task task = make_task(request, context);
  ClipSet clips = load_clips(task.corpus, options.points, request.cut_first, context);
  const std::vector<actions::Fold> folds = folds_of(request, task, clips);
  const std::vector<actions::Recipe> given{{request.paper ? "paper" : "given", options}};
  ActionsEvalResult result;
  request.evaluate.exec = context.exec;
  result.report = actions::evaluate(clips.corpus, clips.points, folds,
                                    request.choose ? actions::default_recipes(options) : given,
                                    request.evaluate);
  for (const int window : request.windows) {
    actions::TrainOptions other = options;
    other.match.window = window;
    const std::vector<actions::Recipe> one{{fmt::format("T {}", window), other}};
    const actions::MethodReport report =
        actions::evaluate(clips.corpus, clips.points, folds, one,
                          {.baselines = false, .exec = context.exec})
            .recipes[0];
    result.windows.push_back({window, report.correct, report.tested, report.seconds});
  }
  if (request.draws > 0)
    result.subjects = subject_curve(request, clips, folds, options, context.exec);
  result.point_seconds = clips.seconds;
  result.failed = clips.failed;
  result.folds = folds.size();
  const int status = clips.status();
  result.corpus = std::move(clips.corpus);
  context.console.end_progress();
  if (!request.output.empty()) write_actions_evaluation(request.output, result, context);
  print_evaluation(result, context);
  return status;
}

}  // namespace

Command actions_eval_command() {
  return {
      .system = "actions",
      .verb = "eval",
      .summary = "measure how often actions are classified correctly",
      .text =
          "Leaves out each subject in turn, or tests one split, and reports how many clips are "
          "classified correctly, with Wilson's 95 % interval, which actions are confused, and how "
          "many clips voting by nearest descriptors and bags of visual words classify correctly in "
          "the same run. Features and scores are chosen inside each fold from a pool that is fixed "
          "beforehand. INPUT is what actions train takes, or with --kth the folder of the KTH set.",
      .arguments =
          {{"INPUT",
            "folder with one folder of videos or files of points per action, or a list of clips"}},
      .examples = {{"fovea actions eval clips", "leave out each subject in turn"},
                   {"fovea actions eval clips.txt --windows 5,10,20 --draws 6 -o report",
                    "write a page with curves over the window and over training subjects"},
                   {"fovea actions eval kth --kth 00sequences.txt --protocol split",
                    "test KTH's own split"}},
      .request = make_request<ActionsEvalRequest, run_actions_eval>,
      .reads_images = true};
}

}  // namespace fovea::cli
