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
  static constexpr std::array<Choice, 3> kChoices{
      {{"auto", static_cast<int>(Protocol::kAuto)},
       {"leave-one-subject-out", static_cast<int>(Protocol::kLeaveOneSubjectOut)},
       {"split", static_cast<int>(Protocol::kSplit)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, ActionsEvalRequest& request) {
  visit("protocol", request.protocol,
        "leave out each subject in turn, or test one split: KTH's own or that of --test-subjects; "
        "auto tests a split where there is one");
  visit.path("kth", request.kth, TextUse::kInput,
             "KTH's sequence file, 00sequences.txt; INPUT is then the folder that has one folder "
             "per action");
  visit("partial", request.partial,
        "with --kth: accept a part of the set, leave out clips whose video is missing, and say "
        "which");
  visit("test-subjects", request.test_subjects, "subjects whose clips a split tests",
        {.value_name = "NAMES"});
  visit("validation-subjects", request.validation_subjects,
        "subjects by whose clips a split selects prototypes and chooses recipes; without them some "
        "training subjects are set aside",
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
  describe(visit, request.curves);
  visit(
      "unknown", request.unknown,
      "also measure how well unknown actions are rejected: leave out each subject and each action "
      "in turn");
  visit.path("output", request.output, TextUse::kFolder,
             "folder for pictures, CSV, a page, and evaluation.json for fovea view");
  describe(visit, request.train);
}

void preset_chosen(ActionsEvalRequest& request) {
  if (!request.paper) return;
  request.train = actions::paper_options();
  request.choose = false;
}

bool is_split(const ActionsEvalRequest& request) {
  if (request.protocol != Protocol::kAuto) return request.protocol == Protocol::kSplit;
  return !request.kth.empty() || !request.test_subjects.empty();
}

std::vector<actions::Fold> folds_of(const ActionsEvalRequest& request, const ActionsTask& task,
                                    const ClipSet& clips) {
  if (!is_split(request)) return actions::leave_one_subject_out(clips.corpus);
  actions::Fold fold{"split", {}, {}, {}};
  const auto keep = [&](const std::vector<std::int32_t>& from, std::vector<std::int32_t>& to) {
    for (const std::int32_t clip : from)
      if (const std::int32_t place = clips.place[static_cast<std::size_t>(clip)]; place >= 0)
        to.push_back(place);
  };
  keep(task.train, fold.train);
  keep(task.validation, fold.validation);
  keep(task.test, fold.test);
  return {fold};
}

namespace {

// Counts the videos and clips of a part of KTH, and those that are not there.
MissingPart missing_in(const actions::KthSequences& kth, const char* name,
                       const std::vector<std::int32_t>& clips, const std::vector<bool>& is_there,
                       std::vector<std::string>& names) {
  MissingPart part{.name = name};
  std::string last;
  for (const std::int32_t clip : clips) {
    const auto at = static_cast<std::size_t>(clip);
    const std::string& path = kth.corpus.clips[at].path;
    const int videos = path == last ? 0 : 1;
    last = path;
    part.of_videos += videos;
    ++part.of_clips;
    if (is_there[at]) continue;
    part.videos += videos;
    ++part.clips;
    if (videos == 0) continue;
    const std::string stem = std::filesystem::path(path).stem().string();
    names.push_back(stem.substr(0, stem.rfind("_uncomp")));
  }
  return part;
}

// With --partial, clips whose video is missing are left out.
ActionsTask kth_task(const ActionsEvalRequest& request, const std::string& folder) {
  const actions::KthSequences kth = actions::read_kth(request.kth, folder, !request.partial);
  std::vector<bool> is_there(kth.corpus.clips.size(), true);
  if (request.partial)
    for (std::size_t i = 0; i < is_there.size(); ++i)
      is_there[i] = std::filesystem::exists(kth.corpus.clips[i].path);
  ActionsTask task;
  task.corpus.classes = kth.corpus.classes;
  std::vector<std::int32_t> place(is_there.size(), -1);
  for (std::size_t i = 0; i < is_there.size(); ++i) {
    if (!is_there[i]) continue;
    place[i] = static_cast<std::int32_t>(task.corpus.clips.size());
    task.corpus.clips.push_back(kth.corpus.clips[i]);
  }
  if (task.corpus.clips.empty())
    throw InvalidArgument(fmt::format("{}: none of the videos of {} exists", folder, request.kth));
  const auto divide = [&](const char* name, const std::vector<std::int32_t>& from,
                          std::vector<std::int32_t>& to) {
    for (const std::int32_t clip : from)
      if (place[static_cast<std::size_t>(clip)] >= 0)
        to.push_back(place[static_cast<std::size_t>(clip)]);
    if (request.partial)
      task.missing.parts.push_back(missing_in(kth, name, from, is_there, task.missing.names));
  };
  divide("training", kth.train, task.train);
  divide("validation", kth.validation, task.validation);
  divide("test", kth.test, task.test);
  return task;
}

void check_subjects(const char* option, const std::vector<std::string>& names,
                    const std::vector<std::string>& known) {
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument(fmt::format("--{}: there is no subject {}; expected one of {}", option,
                                        name, fmt::join(known, ", ")));
}

ActionsTask make_task(const ActionsEvalRequest& request, const Context& context) {
  if (!request.kth.empty()) return kth_task(request, context.inputs[0]);
  ActionsTask task{actions::read_corpus(context.inputs[0]), {}, {}, {}};
  const std::vector<std::string> known = task.corpus.subjects();
  check_subjects("test-subjects", request.test_subjects, known);
  check_subjects("validation-subjects", request.validation_subjects, known);
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const std::string& name : request.validation_subjects)
    if (is_in(request.test_subjects, name))
      throw InvalidArgument(fmt::format(
          "--validation-subjects: {} is also tested; give each subject one part", name));
  for (std::size_t i = 0; i < task.corpus.clips.size(); ++i) {
    const std::string& subject = task.corpus.clips[i].subject;
    (is_in(request.test_subjects, subject)         ? task.test
     : is_in(request.validation_subjects, subject) ? task.validation
                                                   : task.train)
        .push_back(static_cast<std::int32_t>(i));
  }
  return task;
}

// A split without anybody to train on or to test with is refused before points are found.
void check_split(const ActionsEvalRequest& request, const ActionsTask& task) {
  if (!is_split(request) || (!task.train.empty() && !task.test.empty())) return;
  throw InvalidArgument(fmt::format(
      "the split has {} clips to train on, {} to choose by and {} to test with; it needs some to "
      "train on and to test with (--protocol leave-one-subject-out needs no split)",
      task.train.size(), task.validation.size(), task.test.size()));
}

void note_missing(const MissingVideos& missing, Context& context) {
  if (missing.names.empty()) return;
  constexpr std::size_t kShown = 3;
  std::string text;
  for (const MissingPart& part : missing.parts)
    text += fmt::format("{}{} of {} {} videos ({} of {} clips)", text.empty() ? "" : ", ",
                        part.videos, part.of_videos, part.name, part.clips, part.of_clips);
  std::vector<std::string> first(
      missing.names.begin(),
      missing.names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, missing.names.size())));
  if (missing.names.size() > kShown)
    first.push_back(fmt::format("{} more", missing.names.size() - kShown));
  context.console.note(
      fmt::format("left out because they are not there: {}: {}", text, fmt::join(first, ", ")));
}

int run_actions_eval(ActionsEvalRequest& request, Context& context) {
  if (request.protocol == Protocol::kSplit && request.kth.empty() && request.test_subjects.empty())
    throw InvalidArgument("--protocol split needs --kth SEQUENCES or --test-subjects NAMES");
  if (request.partial && request.kth.empty())
    throw InvalidArgument("--partial accepts a part of KTH's set: give --kth SEQUENCES too");
  if (!request.kth.empty() &&
      (!request.test_subjects.empty() || !request.validation_subjects.empty()))
    throw InvalidArgument(
        "--kth has its own split; leave out --test-subjects and --validation-subjects");
  if (!request.validation_subjects.empty() && request.test_subjects.empty())
    throw InvalidArgument(
        "--validation-subjects belong to a split: give --test-subjects NAMES too");
  actions::check_cut(request.train.cut);
  resolve_device(context);
  ActionsTask task = make_task(request, context);
  note_missing(task.missing, context);
  check_split(request, task);
  request.evaluate.exec = context.exec;
  int status = kDone;
  std::optional<ActionsEvalResult> result = evaluate_actions(request, task, context, status);
  if (!result) return status;
  result->missing = std::move(task.missing);
  if (!request.output.empty()) write_actions_evaluation(request.output, *result, context);
  print_evaluation(*result, context);
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
          "beforehand: by the validation people of a split, or by leaving out each training person "
          "in turn; so are the weights with which matching, single descriptors and words are "
          "fused. "
          "INPUT is what actions train takes, or with --kth the folder of the KTH set, "
          "whose own split is tested; --kth with --paper is the paper's experiment: chains of 30 "
          "nodes, T 10, and 50 prototypes of the training people, selected on the validation "
          "people. Shards divide the folds, the windows of --windows, --draws and --unknown; their "
          "merged result has no times.",
      .arguments =
          {{"INPUT",
            "folder with one folder of videos or files of points per action, or a list of clips"}},
      .examples = {{"fovea actions eval clips", "leave out each subject in turn"},
                   {"fovea actions eval clips.txt --windows 5,10,20 --draws 6 -o report",
                    "write a page with curves over the window and over training subjects"},
                   {"fovea actions eval kth --kth 00sequences.txt",
                    "test KTH's own split, with recipes chosen on its validation people"},
                   {"fovea actions eval clips --unknown --no-choose --no-baselines",
                    "measure how many clips of unknown actions are rejected"},
                   {"fovea actions eval kth --kth 00sequences.txt --paper",
                    "test KTH's own split as the paper does"}},
      .request = make_request<ActionsEvalRequest, run_actions_eval>,
      .preset = "paper",
      .result = {.record = sample_actions_evaluation, .evaluates = true},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
