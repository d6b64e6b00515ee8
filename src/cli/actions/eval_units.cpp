// The units of fovea actions eval: folds, windows, the curve over training subjects, and unknown
// actions. Each keeps what it has measured, and which clips could not be read.
#include <fmt/format.h>

#include <algorithm>

#include "cli/actions/eval.h"
#include "cli/jobs/packing.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

using actions::CurvePoint;
using actions::FoldMethod;
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

void pack_method(Packer& out, const FoldMethod& method) {
  out.text(method.method).number(method.used).number(method.seconds);
  out.number(static_cast<std::uint64_t>(method.labels.size()));
  for (const std::int32_t label : method.labels) out.number(label);
}

FoldMethod unpacked_method(Unpacker& in) {
  FoldMethod method;
  method.method = in.text();
  method.used = in.number<bool>();
  method.seconds = in.number<double>();
  method.labels.resize(in.number<std::uint64_t>());
  for (std::int32_t& label : method.labels) label = in.number<std::int32_t>();
  return method;
}

void pack_methods(Packer& out, const std::vector<FoldMethod>& methods) {
  out.number(static_cast<std::uint64_t>(methods.size()));
  for (const FoldMethod& method : methods) pack_method(out, method);
}

std::vector<FoldMethod> unpacked_methods(Unpacker& in) {
  std::vector<FoldMethod> methods(in.number<std::uint64_t>());
  for (FoldMethod& method : methods) method = unpacked_method(in);
  return methods;
}

void pack_fold(Packer& out, const FoldReport& report) {
  out.text(report.chosen).text(report.fused_chosen);
  pack_method(out, report.matching);
  pack_method(out, report.fused);
  pack_methods(out, report.recipes);
  pack_methods(out, report.baselines);
}

FoldReport unpacked_fold(Unpacker& in) {
  FoldReport report;
  report.chosen = in.text();
  report.fused_chosen = in.text();
  report.matching = unpacked_method(in);
  report.fused = unpacked_method(in);
  report.recipes = unpacked_methods(in);
  report.baselines = unpacked_methods(in);
  return report;
}

void pack_curve(Packer& out, const std::vector<CurvePoint>& curve) {
  for (const CurvePoint& point : curve)
    out.number(point.at).number(point.correct).number(point.tested).number(point.seconds);
}

void unpack_curve(Unpacker& in, std::vector<CurvePoint>& curve) {
  while (!in.at_end()) {
    CurvePoint& point = curve.emplace_back();
    for (int* value : {&point.at, &point.correct, &point.tested}) *value = in.number<int>();
    point.seconds = in.number<double>();
  }
}

void pack_unknown(Packer& out, const actions::UnknownReport& report) {
  out.number(report.known).number(report.known_kept).number(report.known_right);
  out.number(report.unknown).number(report.unknown_kept).number(report.area);
  for (const auto& point : report.curve) out.number(point.known_kept).number(point.unknown_kept);
}

actions::UnknownReport unpacked_unknown(Unpacker& in) {
  actions::UnknownReport report;
  for (int* value : {&report.known, &report.known_kept, &report.known_right, &report.unknown,
                     &report.unknown_kept})
    *value = in.number<int>();
  report.area = in.number<double>();
  while (!in.at_end()) {
    auto& point = report.curve.emplace_back();
    point.known_kept = in.number<double>();
    point.unknown_kept = in.number<double>();
  }
  return report;
}

// Measures the units that are open.
class PartMeasurer {
 public:
  PartMeasurer(const ActionsEvalRequest& request, const ClipSet& clips,
               std::vector<actions::Fold> folds, const Exec& exec)
      : request_(request), clips_(clips), folds_(std::move(folds)), exec_(exec) {}

  void measure(const std::vector<PartUnit>& parts, EvaluatedUnits& units) const {
    std::vector<std::size_t> open_folds;
    for (const std::size_t unit : units.open())
      if (parts[unit].part == Part::kFold) open_folds.push_back(unit);
    if (!open_folds.empty()) measure_folds(parts, open_folds, units);
    for (const std::size_t unit : units.open())
      if (parts[unit].part != Part::kFold) units.take(unit, measured(parts[unit]));
  }

 private:
  // What every unit begins with: the clips that cannot be read.
  Packer begun() const {
    Packer out;
    pack_failures(out, clips_.failures);
    return out;
  }

  // Folds share tables of distances, so those that are open are evaluated together.
  void measure_folds(const std::vector<PartUnit>& parts, const std::vector<std::size_t>& open,
                     EvaluatedUnits& units) const {
    const actions::TrainOptions& options = request_.train;
    const std::vector<actions::Recipe> given{{request_.paper ? "paper" : "given", options}};
    std::vector<actions::Fold> folds;
    std::vector<std::size_t> unit_of;
    for (const std::size_t unit : open) {
      const auto fold = std::ranges::find(folds_, parts[unit].fold, &actions::Fold::name);
      if (fold == folds_.end()) {
        units.take(unit, begun().bytes());  // none of its clips can be read
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
    for (std::size_t i = 0; i < reports.size(); ++i) {
      Packer out = begun();
      pack_fold(out, reports[i]);
      units.take(unit_of[i], out.bytes());
    }
  }

  std::string measured(const PartUnit& unit) const {
    Packer out = begun();
    if (unit.part == Part::kWindow)
      pack_curve(out, actions::window_curve(clips_.corpus, clips_.points, folds_,
                                            std::span(&unit.window, 1), request_.train, exec_));
    else if (unit.part == Part::kSubjects)
      pack_curve(out, actions::subject_curve(clips_.corpus, clips_.points, folds_,
                                             request_.curves.draws, request_.train, exec_));
    else
      pack_unknown(out,
                   actions::evaluate_unknown(clips_.corpus, clips_.points, request_.train, exec_));
    return out.bytes();
  }

  const ActionsEvalRequest& request_;
  const ClipSet& clips_;
  std::vector<actions::Fold> folds_;
  const Exec& exec_;
};

// Puts together what all units have given. The folds are those of the clips that can be read.
void gather(const std::vector<PartUnit>& parts, const EvaluatedUnits& units,
            std::span<const actions::Fold> folds, ActionsEvalResult& result) {
  std::vector<FoldReport> reports(folds.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Unpacker in(units.measured(i));
    (void)unpack_failures(in);
    if (parts[i].part == Part::kWindow) unpack_curve(in, result.windows);
    else if (parts[i].part == Part::kSubjects) unpack_curve(in, result.subjects);
    else if (parts[i].part == Part::kUnknown) result.unknown = unpacked_unknown(in);
    else if (!in.at_end()) {
      const auto fold = std::ranges::find(folds, parts[i].fold, &actions::Fold::name);
      if (fold != folds.end())
        reports[static_cast<std::size_t>(fold - folds.begin())] = unpacked_fold(in);
    }
  }
  result.report = actions::join_folds(result.corpus, folds, reports);
}

}  // namespace

std::optional<ActionsEvalResult> evaluate_actions(const ActionsEvalRequest& request,
                                                  const ActionsTask& task, Context& context,
                                                  int& status) {
  const std::vector<PartUnit> parts = parts_of(request, task);
  const UnitFiles files = clip_files(task.corpus);
  std::vector<EvaluatedUnit> named;
  named.reserve(parts.size());
  for (const PartUnit& part : parts) named.push_back({name_of(part), files});
  EvaluatedUnits units(context, named);
  ActionsEvalResult result;
  const bool measures = !units.open().empty();
  if (measures) {
    const ClipSet clips = load_clips(task.corpus, request.train.points, request.cut_first, context);
    status = clips.status();
    result.point_seconds = clips.seconds;
    PartMeasurer(request, clips, folds_of(request, task, clips), context.exec)
        .measure(parts, units);
  }
  if (!units.finish()) return {};
  Unpacker first(units.measured(0));
  ClipFailures failures = unpack_failures(first);
  if (!measures) complain_of(failures, task.corpus.clips.size(), context);
  ClipSet clips = readable_clips(task.corpus, std::move(failures));
  status = clips.status();
  result.failed = clips.failed;
  const std::vector<actions::Fold> folds = folds_of(request, task, clips);
  result.folds = folds.size();
  if (is_split(request))
    result.split = {folds[0].train.size(), folds[0].validation.size(), folds[0].test.size()};
  result.corpus = std::move(clips.corpus);
  gather(parts, units, folds, result);
  return result;
}

}  // namespace fovea::cli
