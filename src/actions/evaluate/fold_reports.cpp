#include <fovea/actions/fold_reports.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <set>

#include "actions/evaluate/evaluate.h"

namespace fovea::actions {
namespace {

FoldMethod part_of(const MethodReport& report, const Fold& fold, bool first) {
  FoldMethod part{report.method, report.tested > 0, {}, first ? report.seconds : 0};
  if (!part.used) return part;
  part.labels.reserve(fold.test.size());
  for (const std::int32_t clip : fold.test)
    part.labels.push_back(report.labels[static_cast<std::size_t>(clip)]);
  return part;
}

std::vector<FoldMethod> parts_of(const std::vector<MethodReport>& reports, const Fold& fold,
                                 bool first) {
  std::vector<FoldMethod> parts;
  parts.reserve(reports.size());
  for (const MethodReport& report : reports) parts.push_back(part_of(report, fold, first));
  return parts;
}

// Puts together what a method has given in all folds. `get` takes it out of the report of one.
template <class Get>
MethodReport joined(const Corpus& corpus, std::span<const Fold> folds,
                    std::span<const FoldReport> reports, const Get& get) {
  MethodScorer scorer(get(reports.front()).method, corpus);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const FoldMethod& part = get(reports[i]);
    scorer.add_seconds(part.seconds);
    if (!part.used) continue;
    if (part.labels.size() != folds[i].test.size())
      throw InvalidArgument(fmt::format("join_folds: fold {} has {} labels of {} for {} clips",
                                        folds[i].name, part.labels.size(), part.method,
                                        folds[i].test.size()));
    scorer.add(folds[i], part.labels);
  }
  return scorer.result();
}

}  // namespace

std::vector<FoldReport> fold_reports(const EvaluateReport& report, std::span<const Fold> folds) {
  std::set<std::int32_t> tested;
  std::vector<FoldReport> parts;
  parts.reserve(folds.size());
  for (std::size_t i = 0; i < folds.size(); ++i) {
    for (const std::int32_t clip : folds[i].test)
      if (!tested.insert(clip).second)
        throw InvalidArgument(
            fmt::format("fold_reports: clip {} is tested by fold {} and by another; expected one",
                        clip, folds[i].name));
    FoldReport part;
    if (i < report.chosen.size()) part.chosen = report.chosen[i];
    if (i < report.fused_chosen.size()) part.fused_chosen = report.fused_chosen[i];
    part.matching = part_of(report.matching, folds[i], i == 0);
    part.fused = part_of(report.fused, folds[i], i == 0);
    part.recipes = parts_of(report.recipes, folds[i], i == 0);
    part.baselines = parts_of(report.baselines, folds[i], i == 0);
    parts.push_back(std::move(part));
  }
  return parts;
}

EvaluateReport join_folds(const Corpus& corpus, std::span<const Fold> folds,
                          std::span<const FoldReport> reports) {
  if (folds.empty() || folds.size() != reports.size())
    throw InvalidArgument(
        fmt::format("join_folds: {} reports for {} folds", reports.size(), folds.size()));
  for (const FoldReport& report : reports)
    if (report.recipes.size() != reports[0].recipes.size() ||
        report.baselines.size() != reports[0].baselines.size())
      throw InvalidArgument("join_folds: folds were evaluated with different methods");
  check_folds(folds, corpus.clips.size());
  EvaluateReport result;
  for (const FoldReport& report : reports) {
    if (!report.chosen.empty()) result.chosen.push_back(report.chosen);
    if (!report.fused_chosen.empty()) result.fused_chosen.push_back(report.fused_chosen);
  }
  const auto all = [&](const auto& get) { return joined(corpus, folds, reports, get); };
  result.matching = all([](const FoldReport& one) -> const FoldMethod& { return one.matching; });
  result.fused = all([](const FoldReport& one) -> const FoldMethod& { return one.fused; });
  for (std::size_t i = 0; i < reports[0].recipes.size(); ++i)
    result.recipes.push_back(
        all([i](const FoldReport& one) -> const FoldMethod& { return one.recipes[i]; }));
  for (std::size_t i = 0; i < reports[0].baselines.size(); ++i)
    result.baselines.push_back(
        all([i](const FoldReport& one) -> const FoldMethod& { return one.baselines[i]; }));
  return result;
}

}  // namespace fovea::actions
