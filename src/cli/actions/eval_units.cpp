// The units of fovea actions eval: folds, windows, the curve over training subjects, and unknown
// actions. Each keeps what it has measured, and which clips could not be read.
#include <fmt/format.h>

#include <algorithm>

#include "cli/actions/eval.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

using actions::CurvePoint;
using actions::FoldReport;

enum class Part : unsigned char { kFold, kWindow, kSubjects, kUnknown };
struct PartUnit {
  Part part = Part::kFold;
  std::string fold{};  // its name
  int window = 0;
};

// A fold is named after its subject, and is there even if none of its clips can be read.
std::vector<PartUnit> parts_of(const ActionsEvalRequest& request, const ActionsTask& task) {
  std::vector<PartUnit> parts;
  if (is_split(request)) parts.push_back({.fold = "split"});
  else
    for (const std::string& name : task.corpus.subjects()) parts.push_back({.fold = name});
  for (const int window : request.curves.windows)
    parts.push_back({.part = Part::kWindow, .window = window});
  if (request.curves.draws > 0) parts.push_back({.part = Part::kSubjects});
  if (request.unknown) parts.push_back({.part = Part::kUnknown});
  return parts;
}

std::string name_of(const PartUnit& unit) {
  switch (unit.part) {
    case Part::kFold: return "fold " + unit.fold;
    case Part::kWindow: return fmt::format("window {}", unit.window);
    case Part::kSubjects: return "training subjects";
    default: return "unknown actions";
  }
}

// What a unit gives: the clips that cannot be read, and one of the others.
struct PartResult {
  std::vector<FailedClip> failures{};
  std::optional<FoldReport> fold{};
  std::vector<CurvePoint> curve{};
  std::optional<actions::UnknownReport> unknown{};
};
void describe(FieldVisitor& visit, PartResult& part) {
  visit("failures", part.failures, "clips that cannot be read");
  visit("fold", part.fold, "what methods gave for a fold");
  visit("curve", part.curve, "points of a curve");
  visit("unknown", part.unknown, "how well unknown actions are rejected");
}

// Measures the units that are open.
class PartMeasurer {
 public:
  PartMeasurer(const ActionsEvalRequest& request, const ClipSet& clips,
               std::vector<actions::Fold> folds, const Exec& exec)
      : request_(request), clips_(clips), folds_(std::move(folds)), exec_(exec) {}

  void measure(const std::vector<PartUnit>& parts, Units& units) const {
    std::vector<std::size_t> open_folds;
    for (const std::size_t unit : units.open())
      if (parts[unit].part == Part::kFold) open_folds.push_back(unit);
    if (!open_folds.empty()) measure_folds(parts, open_folds, units);
    for (const std::size_t unit : units.open())
      if (parts[unit].part != Part::kFold) units.take(unit, measured(parts[unit]));
  }

 private:
  // Folds share tables of distances, so those that are open are evaluated together.
  void measure_folds(const std::vector<PartUnit>& parts, const std::vector<std::size_t>& open,
                     Units& units) const {
    const actions::TrainOptions& options = request_.train;
    const std::vector<actions::Recipe> given{{request_.paper ? "paper" : "given", options}};
    std::vector<actions::Fold> folds;
    std::vector<std::size_t> unit_of;
    for (const std::size_t unit : open) {
      const auto fold = std::ranges::find(folds_, parts[unit].fold, &actions::Fold::name);
      if (fold == folds_.end()) {
        units.take(unit, kept({}));  // none of its clips can be read
        continue;
      }
      folds.push_back(*fold);
      unit_of.push_back(unit);
    }
    if (folds.empty()) return;
    const actions::EvaluateReport report = actions::evaluate(
        clips_.corpus, clips_.points, folds,
        request_.choose ? actions::default_recipes(options) : given, request_.evaluate);
    const std::vector<FoldReport> reports = actions::fold_reports(report, folds);
    for (std::size_t i = 0; i < reports.size(); ++i)
      units.take(unit_of[i], kept({.fold = reports[i]}));
  }

  PartResult measured(const PartUnit& unit) const {
    if (unit.part == Part::kWindow)
      return kept(
          {.curve = actions::window_curve(clips_.corpus, clips_.points, folds_,
                                          std::span(&unit.window, 1), request_.train, exec_)});
    if (unit.part == Part::kSubjects)
      return kept({.curve = actions::subject_curve(clips_.corpus, clips_.points, folds_,
                                                   request_.curves.draws, request_.train, exec_)});
    return kept({.unknown = actions::evaluate_unknown(clips_.corpus, clips_.points, request_.train,
                                                      exec_)});
  }

  // As manifests have it, with the clips that cannot be read.
  PartResult kept(PartResult part) const {
    part.failures = listed(clips_.failures);
    return part;
  }

  const ActionsEvalRequest& request_;
  const ClipSet& clips_;
  std::vector<actions::Fold> folds_;
  const Exec& exec_;
};

// Puts together what all units have given. The folds are those of the clips that can be read.
void gather(const std::vector<PartUnit>& parts, std::vector<PartResult>& results,
            std::span<const actions::Fold> folds, ActionsEvalResult& result) {
  std::vector<FoldReport> reports(folds.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PartResult& part = results[i];
    const auto fold = std::ranges::find(folds, parts[i].fold, &actions::Fold::name);
    if (part.fold && fold != folds.end())
      reports[static_cast<std::size_t>(fold - folds.begin())] = std::move(*part.fold);
    auto& curve = parts[i].part == Part::kWindow ? result.windows : result.subjects;
    curve.insert(curve.end(), part.curve.begin(), part.curve.end());
    if (part.unknown) result.unknown = std::move(part.unknown);
  }
  result.report = actions::join_folds(result.corpus, folds, reports);
}

}  // namespace

std::optional<ActionsEvalResult> evaluate_actions(const ActionsEvalRequest& request,
                                                  const ActionsTask& task, Context& context,
                                                  int& status) {
  const std::vector<PartUnit> parts = parts_of(request, task);
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const PartUnit& part : parts) names.push_back(name_of(part));
  std::vector<PartResult> results(parts.size());
  Units units(context, units_from(std::move(names), clip_files(task.corpus)), results);
  ActionsEvalResult result;
  const bool measures = !units.open().empty();
  if (measures) {
    const ClipSet clips = load_clips(task.corpus, request.train.points, request.cut_first, context);
    status = clips.status();
    result.point_seconds = clips.seconds;
    PartMeasurer(request, clips, folds_of(request, task, clips), context.exec)
        .measure(parts, units);
  }
  if (!units.finish_whole()) return {};
  ClipFailures failures = by_clip(results[0].failures);
  if (!measures) complain_of(failures, task.corpus.clips.size(), context);
  ClipSet clips = readable_clips(task.corpus, std::move(failures));
  status = clips.status();
  result.failed = clips.failed;
  const std::vector<actions::Fold> folds = folds_of(request, task, clips);
  result.folds = folds.size();
  if (is_split(request))
    result.split = {folds[0].train.size(), folds[0].validation.size(), folds[0].test.size()};
  result.corpus = std::move(clips.corpus);
  gather(parts, results, folds, result);
  return result;
}

}  // namespace fovea::cli
