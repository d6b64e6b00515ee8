// fovea actions eval: how often an action is told right, beside simpler ways to do it.
#include "cli/actions/eval.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>

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
        "each subject left out in turn, or one split: KTH's own, or --test-subjects");
  visit("kth", request.kth,
        "KTH's sequence file, 00sequences.txt; INPUT is then the folder with its actions' folders");
  visit("partial", request.partial,
        "with --kth: the file or the videos are only a part of the set");
  visit("test-subjects", request.test_subjects, "of a split, parted by commas");
  visit("choose", request.choose,
        "choose features and scores inside each fold from a pool; off: as the options say");
  visit("baselines", request.baselines, "measure voting and bags of words beside it");
  visit("paper", request.paper,
        "the paper's letter for every option that is not set to something unusual here");
  visit("cut-first", request.cut_first,
        "cut clips before their points are found, not after: nothing around them counts");
  visit("windows", request.windows, "accuracy and time with these T too, such as 5,10,20,40");
  visit("draws", request.draws,
        "accuracy with fewer training subjects too, drawn so many times; 0: not", 0, 1000);
  visit("output", request.output, "folder for pictures, CSV and a page");
  describe(visit, request.train);
}

namespace {

std::vector<std::string> parted(const std::string& text) {
  std::vector<std::string> words;
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');)
    if (!word.empty()) words.push_back(word);
  return words;
}

std::vector<int> numbers_in(const std::string& option, const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& word : parted(text)) {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < 0)
      throw InvalidArgument(
          fmt::format("--{} {}: expected whole numbers parted by commas", option, text));
    numbers.push_back(value);
  }
  return numbers;
}

// What is told apart, and how clips are divided.
struct Task {
  actions::Corpus corpus;
  std::vector<std::int32_t> train, test;  // of a split
};

// Where only a part of the set is asked for, clips whose video is not there are left out.
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
    throw InvalidArgument(
        fmt::format("{}: none of the videos of {} is there", folder, request.kth));
  return task;
}

Task make_task(const ActionsEvalRequest& request, const Context& context) {
  if (!request.kth.empty()) return kth_task(request, context.inputs[0]);
  Task task{actions::read_corpus(context.inputs[0]), {}, {}};
  const std::vector<std::string> subjects = parted(request.test_subjects);
  const std::vector<std::string> known = task.corpus.subjects();
  for (const std::string& name : subjects)
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument(
          fmt::format("--test-subjects: {} is none of {}", name, fmt::join(known, ", ")));
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

// Folds of all draws are judged together, so that everything is matched once.
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
  const actions::Evaluation evaluation =
      actions::evaluate(clips.corpus, clips.points, all, one, false, exec);
  for (std::size_t i = 0; i < all.size(); ++i)
    curve[point_of[i]].right += evaluation.recipes[0].right_by_fold[i];
  return curve;
}

int run_actions_eval(ActionsEvalRequest& request, Context& context) {
  if (request.protocol == Protocol::kSplit && request.kth.empty() && request.test_subjects.empty())
    throw InvalidArgument("--protocol split needs --kth SEQUENCES or --test-subjects NAMES");
  const std::vector<int> windows = numbers_in("windows", request.windows);
  settle_device(context);
  const double start = steady_seconds();
  const actions::TrainOptions options =
      request.paper ? paper_unless_asked(request.train) : request.train;
  Task task = make_task(request, context);
  ClipSet clips = load_clips(task.corpus, {options.points, request.cut_first}, context);
  const std::vector<actions::Fold> folds = folds_of(request, task, clips);
  const bool choose = request.choose && !request.paper;
  const std::vector<actions::Recipe> given{{request.paper ? "paper" : "given", options}};
  ActionsEvalResult result;
  result.evaluation = actions::evaluate(clips.corpus, clips.points, folds,
                                        choose ? actions::default_recipes(options) : given,
                                        request.baselines, context.exec);
  for (const int window : windows) {
    actions::TrainOptions other = options;
    other.match.window = window;
    const std::vector<actions::Recipe> one{{fmt::format("T {}", window), other}};
    const actions::Judged judged =
        actions::evaluate(clips.corpus, clips.points, folds, one, false, context.exec).recipes[0];
    result.windows.push_back({window, judged.right, judged.tested, judged.seconds});
  }
  if (request.draws > 0)
    result.subjects = subject_curve(request, clips, folds, options, context.exec);
  result.seconds = steady_seconds() - start;
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
      .summary = "how often an action is told right, beside simpler ways",
      .text =
          "Leaves out each subject in turn, or tests a split, and tells how many clips were right, "
          "with Wilson's interval, which actions are taken for which, and what voting by nearest "
          "descriptors and bags of visual words come to in the same run. Features and scores are "
          "chosen inside each fold, from a pool that is fixed beforehand, by leaving out each of "
          "its training subjects: nothing of a test clip takes part in anything.",
      .arguments = {{"INPUT", "folder with a folder of videos an action, or a list of clips"}},
      .examples = {{"fovea actions eval clips.txt --json", "each subject left out in turn"},
                   {"fovea actions eval kth --kth 00sequences.txt --protocol split -o report",
                    "KTH's official split, with pictures"},
                   {"fovea actions eval clips.txt --windows 5,10,20 --draws 6 --no-baselines",
                    "against the window and the number of training subjects"}},
      .request = make_request<ActionsEvalRequest, run_actions_eval>};
}

}  // namespace fovea::cli
