// The fields of what is measured: how well people are found, followed and told from others.
#include <fovea/core/record_values.h>
#include <fovea/people/evaluate_tracks.h>
#include <fovea/people/kernels.h>
#include <fovea/people/measure.h>
#include <fovea/people/study.h>

namespace fovea::people {
namespace {

// The miss rate at one reference point.
struct ReferenceRate {
  double false_positives = 0, miss_rate = 0;
};
void describe(FieldVisitor& visit, ReferenceRate& rate) {
  visit("false_positives_per_image", rate.false_positives, "where it is measured");
  visit("miss_rate", rate.miss_rate, "share of the people that are not found");
}

// What a search cost. The values that follow from others are only written.
template <class Measurement>
void describe_cost(FieldVisitor& visit, Measurement& measured) {
  double each = evaluations_per_window(measured.counts);
  FieldValue stages = detail::unless_empty(measured.stages),
             seconds = detail::number_above<0>(measured.seconds);
  describe(visit, measured.counts);
  visit("evaluations_per_window", each, "blocks or trees that were evaluated for a window");
  visit("stages", stages, "what the stages of a cascade reject");
  visit("search_seconds", seconds, "how long the search took",
        {.unit = "seconds", .compared = false});
}

}  // namespace

double evaluations_per_window(const ScanCounts& counts) {
  return counts.windows > 0
             ? static_cast<double>(counts.evaluations) / static_cast<double>(counts.windows)
             : 0;
}

void describe(FieldVisitor& visit, StageCount& stage) {
  visit.record("StageCount", "how much one stage of a cascade rejects");
  visit("blocks", stage.blocks, "classifiers of the stage");
  visit("reached", stage.reached, "windows that reached it");
  visit("passed", stage.passed, "windows that passed it");
}

void describe(FieldVisitor& visit, ImageFindings& findings) {
  visit.record("ImageFindings", "what was found in an image");
  describe(visit, findings.counts);
  visit("stages", findings.stages, "what the stages of a cascade reject");
  visit("people", findings.people, "the highest score first");
}

void describe(FieldVisitor& visit, CurvePoint& point) {
  visit.record("CurvePoint", "what the detections from one score on amount to");
  visit("false_positives", point.false_positives, "per image, or per window");
  visit("miss_rate", point.miss_rate, "share of the people that are not found");
  visit("precision", point.precision, "share of the detections that are people");
  visit("threshold", point.threshold, "the least score");
}

void describe(FieldVisitor& visit, ImageReport& report) {
  std::array<ReferenceRate, kReferencePoints> rates{};
  for (std::size_t i = 0; i < rates.size(); ++i)
    rates[i] = {reference_points()[i], report.miss_rates[i]};
  visit.record("ImageReport", "how well people are found in images");
  visit("log_average_miss_rate", report.log_average_miss_rate,
        "geometric mean of the miss rates at 0.01 to 1 false positives per image");
  visit("standard_deviation", report.deviation, "of it, over bootstrap samples of the images");
  visit("average_precision", report.average_precision, "area under precision over recall");
  visit("miss_rates", rates, "at nine numbers of false positives per image, from 0.01 to 1");
  visit("images", report.images, "how many were searched");
  visit("people", report.people, "how many there are, without ignored ones");
  visit("detections", report.detections, "how many there are, without those of ignored people");
  visit("reliability", report.reliability,
        "how well their confidence agrees with what is true, where the model has a calibration");
  visit("drawn", report.drawn, "the log-average miss rate of each bootstrap sample",
        {.printed = false});
  visit("curve", report.curve, "one point per score, from the highest down", {.printed = false});
}

void describe(FieldVisitor& visit, ImageMeasurement& measured) {
  double end = measured.report.curve.empty() ? 0 : measured.report.curve.back().false_positives;
  describe(visit, measured.report);
  visit("lowest_score", measured.lowest_score, "of a detection, where the curve ends");
  visit("curve_ends_at", end,
        "false positives per image there; from there to 1 the curve is taken as constant");
  describe_cost(visit, measured);
}

void describe(FieldVisitor& visit, WindowMeasurement& measured) {
  WindowReport& report = measured.report;
  double rate = report.miss_rate_at(1e-4), deviation = report.deviation(rate);
  double more = report.miss_rate_at(1e-3), fewer = report.miss_rate_at(1e-5);
  double blocks = evaluations_per_window(measured.counts);
  visit.record("WindowMeasurement", "how well windows with a person are told from others");
  visit("miss_rate_at_fppw_1e-4", rate, "miss rate at 1e-4 false positives per window");
  visit("standard_deviation", deviation, "of it");
  visit("miss_rate_at_fppw_1e-3", more, "miss rate at 1e-3 false positives per window");
  visit("miss_rate_at_fppw_1e-5", fewer, "miss rate at 1e-5 false positives per window");
  visit("crops", report.positives, "windows with a person");
  visit("blocks_per_window", blocks, "the same as evaluations_per_window");
  visit("curve", report.curve, "one point per score of a crop, from the highest down",
        {.printed = false});
  describe_cost(visit, measured);
}

void describe(FieldVisitor& visit, KernelTrial& trial) {
  visit.record("KernelTrial", "settings of a machine that were tried on held-out windows");
  visit("cost", trial.cost, "C of the machine");
  visit("gamma", trial.gamma, "of the RBF kernel; 0 for the linear machine");
  visit("miss_rate", trial.miss_rate, "mean where 0.5, 1, 2, 5 and 10 % of the negatives pass");
}

void describe(FieldVisitor& visit, StudyVariant& variant) {
  FieldValue hog = detail::option_fields(variant.hog);
  visit.record("StudyVariant", "one classifier of a study and how well it does");
  visit("parameter", variant.parameter, "what is varied; empty for the default");
  visit("value", variant.label, "what is changed, such as \"mask sobel\"");
  visit("miss_rate", variant.miss_rate, "at the study's false positives per window");
  visit("standard_deviation", variant.deviation, "of it");
  visit("numbers", variant.numbers, "of the descriptor");
  visit("hard_windows", variant.hard_windows, "that rounds have added");
  visit("crops", variant.report.positives, "windows with a person that it was measured on");
  visit("windows", variant.report.negatives, "windows without");
  visit("variant_seconds", variant.seconds, "that training and measuring took",
        {.unit = "seconds"});
  visit("hog", hog, "all options of the descriptor", {.one_line = true});
  visit("curve", variant.report.curve, "one point per score of a crop, from the highest down",
        {.printed = false});
}

void describe(FieldVisitor& visit, StudyReport& report) {
  FieldValue variants{ListRef{
      &report,
      [](const void* of) { return static_cast<const StudyReport*>(of)->variants.size() + 1; },
      [](void* of, std::size_t count) {
        static_cast<StudyReport*>(of)->variants.resize(count > 0 ? count - 1 : 0);
      },
      [](void* of, std::size_t i) {
        auto& in = *static_cast<StudyReport*>(of);
        return field_value(i == 0 ? in.base : in.variants[i - 1]);
      },
      &detail::sample_value<StudyVariant>}};
  visit.record("StudyReport", "the miss rates of a descriptor whose options are varied");
  visit("false_positives_per_window", report.false_rate, "at which miss rates are compared");
  visit("positives", report.positives, "crops that were learned from, with mirror images");
  visit("random_windows", report.random_windows,
        "windows without a person that all variants learned from");
  visit("variants", variants, "the default first, then one option changed in each");
}

void describe(FieldVisitor& visit, TrackReport::Threshold& threshold) {
  visit.record("TrackReport.Threshold", "HOTA where boxes match from one overlap on");
  visit("overlap", threshold.overlap, "least intersection over union of a match");
  visit("hota", threshold.hota, "geometric mean of deta and assa");
  visit("deta", threshold.deta, "how well people are found");
  visit("assa", threshold.assa, "how well identities are kept");
  visit("loca", threshold.loca, "how well boxes fit");
  visit("hits", threshold.hits, "true boxes that are found", {.printed = false});
  visit("misses", threshold.misses, "true boxes that are not found", {.printed = false});
  visit("false_positives", threshold.false_positives, "boxes where nobody is", {.printed = false});
  visit("assre", threshold.assre, "recall of identities", {.printed = false});
  visit("asspr", threshold.asspr, "precision of identities", {.printed = false});
}

void describe(FieldVisitor& visit, TrackReport& report) {
  visit.record("TrackReport", "how well people are followed");
  visit("frames", report.frames, "up to the last one that has a box");
  visit("people", report.people, "true identities");
  visit("tracks", report.tracks, "identities that were found");
  visit("truth_boxes", report.truth_boxes, "true boxes that count");
  visit("found_boxes", report.found_boxes, "boxes that were found");
  visit("mota", report.mota, "CLEAR MOT: 1 - (misses + false positives + switches) / true boxes");
  visit("motp", report.motp, "CLEAR MOT: mean overlap of hits");
  visit("recall", report.recall, "share of the true boxes that are found");
  visit("precision", report.precision, "share of the boxes that are people");
  visit("hits", report.hits, "true boxes that are found");
  visit("misses", report.misses, "true boxes that are not found");
  visit("false_positives", report.false_positives, "boxes where nobody is");
  visit("switches", report.switches, "how often a person is found under another id");
  visit("fragments", report.fragments, "how often a person is found again after a gap");
  visit("mostly_tracked", report.mostly_tracked, "people found in more than 80 % of their frames");
  visit("partly_tracked", report.partly_tracked, "people found in 20 % to 80 % of their frames");
  visit("mostly_lost", report.mostly_lost, "people found in less than 20 % of their frames");
  visit("idf1", report.idf1, "identities: harmonic mean of idp and idr");
  visit("idp", report.idp, "identities: precision");
  visit("idr", report.idr, "identities: recall");
  visit("id_hits", report.id_hits, "boxes whose identity is right");
  visit("hota", report.hota, "HOTA: mean over the thresholds of sqrt(deta x assa)");
  visit("deta", report.deta, "HOTA: how well people are found");
  visit("assa", report.assa, "HOTA: how well identities are kept");
  visit("detre", report.detre, "HOTA: recall of people");
  visit("detpr", report.detpr, "HOTA: precision of people");
  visit("assre", report.assre, "HOTA: recall of identities");
  visit("asspr", report.asspr, "HOTA: precision of identities");
  visit("loca", report.loca, "HOTA: how well boxes fit");
  visit("thresholds", report.thresholds, "HOTA at each overlap: 0.05, 0.1, ..., 0.95");
}

}  // namespace fovea::people
