// The request and the results of an evaluation of actions.
#pragma once
#include <fovea/actions/curves.h>
#include <fovea/actions/fold_reports.h>
#include <fovea/report/evaluation.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/actions/actions.h"
#include "cli/program/command.h"

namespace fovea::cli {

enum class Protocol : unsigned char { kAuto, kLeaveOneSubjectOut, kSplit };
std::span<const Choice> choices(Protocol);

struct ActionsEvalRequest {
  Protocol protocol = Protocol::kAuto;
  std::string kth{};
  bool partial = false;
  std::vector<std::string> test_subjects{};
  std::vector<std::string> validation_subjects{};
  bool choose = true;
  bool paper = false;
  bool cut_first = false;
  actions::CurveOptions curves{};
  bool unknown = false;
  std::string output{};
  actions::EvaluateOptions evaluate{};
  actions::TrainOptions train{};
};
void describe(OptionVisitor& visit, ActionsEvalRequest& request);
// Sets the paper's options, before those that are given beside --paper.
void preset_chosen(ActionsEvalRequest& request);

// What a part of a split lacks because videos are not there.
struct MissingPart {
  std::string name;  // of the part: training, validation or test
  int videos = 0, of_videos = 0;
  int clips = 0, of_clips = 0;
};
void describe(FieldVisitor& visit, MissingPart& part);
struct MissingVideos {
  std::vector<MissingPart> parts;  // empty where no part of the split lacks a video
  std::vector<std::string> names;  // of the videos, such as person01_boxing_d1
};
void describe(FieldVisitor& visit, MissingVideos& missing);

// The clips, and how they are divided into training and test.
struct ActionsTask {
  actions::Corpus corpus;
  std::vector<std::int32_t> train, validation, test;
  MissingVideos missing{};
};
bool is_split(const ActionsEvalRequest& request);
// The folds of the clips that can be read.
std::vector<actions::Fold> folds_of(const ActionsEvalRequest& request, const ActionsTask& task,
                                    const ClipSet& clips);

struct ActionsEvalResult {
  actions::Corpus corpus;
  actions::EvaluateReport report;
  std::vector<actions::CurvePoint> windows;
  std::vector<actions::CurvePoint> subjects;
  std::size_t folds = 0;
  int failed = 0;
  double point_seconds = 0;
  MissingVideos missing;
  std::optional<actions::UnknownReport> unknown;
  // Of a split: how many clips were trained on, chosen by and tested with.
  std::vector<std::size_t> split;

  // All methods that were evaluated; matching comes first.
  std::vector<const actions::MethodReport*> methods() const;
};

// What is evaluated apart from other things: a fold, a window, the curve over training subjects,
// unknown actions. Nothing where this is a shard of a job; `status` is then its exit status.
std::optional<ActionsEvalResult> evaluate_actions(const ActionsEvalRequest& request,
                                                  const ActionsTask& task, Context& context,
                                                  int& status);

// How many clips of a scenario were tested, and how many of them were classified correctly.
struct ScenarioRow {
  std::string name;
  int tested = 0;
  int correct = 0;
};
void describe(FieldVisitor& visit, ScenarioRow& row);
std::vector<ScenarioRow> by_scenario(const actions::Corpus& corpus,
                                     const actions::MethodReport& report);

// What fovea view shows of the first method: curves, confused actions, and clips that were
// classified wrongly.
report::Evaluation actions_evaluation(const ActionsEvalResult& result);

void print_evaluation(const ActionsEvalResult& result, Context& context);
// What it prints as JSON, with any values.
RecordRef sample_actions_evaluation();
// Writes the folder: that of every evaluation, and methods.svg.
void write_actions_evaluation(const std::string& folder, const ActionsEvalResult& result,
                              const Context& context);

}  // namespace fovea::cli
