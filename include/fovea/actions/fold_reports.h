#pragma once
#include <fovea/actions/evaluate.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// What one method has given for the test clips of one fold.
struct FoldMethod {
  std::string method{};
  bool used = false;                   // whether the fold was evaluated with it
  std::vector<std::int32_t> labels{};  // by test clip; -1: none
  double seconds = 0;                  // of all folds that were evaluated together, in the first
};
FOVEA_API void describe(FieldVisitor& visit, FoldMethod& method);
// An evaluation of one fold, so that folds can be evaluated one by one and on several machines.
struct FoldReport {
  std::string chosen{};        // the name of the recipe; empty where there was none to choose
  std::string fused_chosen{};  // the same for recipes with fusion
  FoldMethod matching{};
  FoldMethod fused{};
  std::vector<FoldMethod> recipes{};
  std::vector<FoldMethod> baselines{};
};
FOVEA_API void describe(FieldVisitor& visit, FoldReport& report);

// Divides the report of an evaluation of these folds. Throws InvalidArgument where two folds test
// one clip, because a report has one label per clip.
FOVEA_API std::vector<FoldReport> fold_reports(const EvaluateReport& report,
                                               std::span<const Fold> folds);
// The report of an evaluation from those of its folds, in the same order: what evaluate() gives for
// all of them. Throws InvalidArgument where reports do not fit the folds.
FOVEA_API EvaluateReport join_folds(const Corpus& corpus, std::span<const Fold> folds,
                                    std::span<const FoldReport> reports);

}  // namespace fovea::actions
