// How an evaluation of actions is asked for and told.
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
  std::string test_subjects{};
  bool choose = true;
  bool baselines = true;
  bool paper = false;
  bool cut_first = false;
  std::string windows{};
  int draws = 0;
  std::string output{};
  actions::TrainOptions train{};
};
void describe(OptionVisitor& visit, ActionsEvalRequest& request);

// Accuracy and time with another window, or with fewer subjects.
struct CurvePoint {
  int at = 0;  // T, or subjects
  int right = 0;
  int tested = 0;
  double seconds = 0;
};

struct ActionsEvalResult {
  actions::Corpus corpus;
  actions::Evaluation evaluation;
  std::vector<CurvePoint> windows;
  std::vector<CurvePoint> subjects;
  std::size_t folds = 0;
  int failed = 0;
  double point_seconds = 0;
  double seconds = 0;

  // Every method, what it is measured by first.
  std::vector<const actions::Judged*> methods() const;
};

// Of clips with each scenario: how many, and how many the method told right.
struct ScenarioRow {
  std::string name;
  int tested = 0;
  int right = 0;
};
std::vector<ScenarioRow> by_scenario(const actions::Corpus& corpus, const actions::Judged& judged);

void print_evaluation(const ActionsEvalResult& result, Context& context);
// Confusion matrix and curves as pictures and CSV, and a page with all of it.
void write_actions_evaluation(const std::string& folder, const ActionsEvalResult& result,
                              const Context& context);

}  // namespace fovea::cli
