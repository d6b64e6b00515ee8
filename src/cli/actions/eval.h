// The request and the results of an evaluation of actions.
#pragma once
#include <fovea/actions/evaluate.h>

#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

enum class Protocol : unsigned char { kLeaveOneSubjectOut, kSplit };
std::span<const Choice> choices(Protocol);

struct ActionsEvalRequest {
  Protocol protocol = Protocol::kLeaveOneSubjectOut;
  std::string kth{};
  bool partial = false;
  std::vector<std::string> test_subjects{};
  bool choose = true;
  bool paper = false;
  bool cut_first = false;
  std::vector<int> windows{};
  int draws = 0;
  std::string output{};
  actions::EvaluateOptions evaluate{};
  actions::TrainOptions train{};
};
void describe(OptionVisitor& visit, ActionsEvalRequest& request);
// Sets the paper's options, before those that are given beside --paper.
void preset_chosen(ActionsEvalRequest& request);

// Accuracy and time with another window, or with fewer subjects.
struct CurvePoint {
  int at = 0;  // the window T, or the number of subjects
  int correct = 0;
  int tested = 0;
  double seconds = 0;
};

struct ActionsEvalResult {
  actions::Corpus corpus;
  actions::EvaluateReport report;
  std::vector<CurvePoint> windows;
  std::vector<CurvePoint> subjects;
  std::size_t folds = 0;
  int failed = 0;
  double point_seconds = 0;

  // All methods that were evaluated; matching comes first.
  std::vector<const actions::MethodReport*> methods() const;
};

// How many clips of a scenario were tested, and how many of them were classified correctly.
struct ScenarioRow {
  std::string name;
  int tested = 0;
  int correct = 0;
};
std::vector<ScenarioRow> by_scenario(const actions::Corpus& corpus,
                                     const actions::MethodReport& report);

void print_evaluation(const ActionsEvalResult& result, Context& context);
// Writes the confusion matrix and curves as pictures and CSV, and a page with all of them.
void write_actions_evaluation(const std::string& folder, const ActionsEvalResult& result,
                              const Context& context);

}  // namespace fovea::cli
