// The fields of what the people system gives.
#include <fovea/core/record.h>
#include <fovea/people/detector.h>
#include <fovea/people/evaluate_tracks.h>
#include <fovea/people/track.h>

namespace fovea::people {

void describe(FieldVisitor& visit, Detection& person) {
  visit.record("Detection", "a person that a detector found");
  visit("box", person.box, "the person, within the image", {.unit = "pixels", .prefixed = false});
  visit("window", person.window, "the window that was classified",
        {.unit = "pixels", .printed = false});
  visit("score", person.score,
        "higher means more certain; the model's threshold is the least that counts");
  visit("scale", person.scale, "pixels of the image per pixel of the pyramid level");
}

void describe(FieldVisitor& visit, ScanCounts& counts) {
  visit("windows", counts.windows, "windows that were classified");
  visit("evaluations", counts.evaluations,
        "blocks or trees that were evaluated in all windows together");
  visit("weightless", counts.zero_weight_windows,
        "windows with a sufficient score that mean shift left out, because their weight is 0");
}

void describe(FieldVisitor& visit, DetectResult& result) {
  visit.record("DetectResult", "the people of an image");
  visit("width", result.size.width, "of the image", {.unit = "pixels"});
  visit("height", result.size.height, "of the image", {.unit = "pixels"});
  describe(visit, result.counts);
  visit("people", result.people, "the highest score first");
}

void describe(FieldVisitor& visit, Track& track) {
  visit.record("Track", "a person in a frame");
  visit("id", track.id, "from 1, in the order in which people were confirmed");
  visit("box", track.box, "the person, smoothed, or predicted where there is no detection",
        {.unit = "pixels", .prefixed = false});
  visit("score", track.score, "of the last detection");
  visit("missed", track.missed, "frames since the last detection");
  visit("detection", track.detection,
        "place of the detection among those of this frame; -1 where there is none",
        {.printed = false});
  visit("age", track.age, "frames since the first detection", {.printed = false});
  visit("velocity_x", track.velocity_x, "motion to the right",
        {.unit = "pixels per frame", .printed = false});
  visit("velocity_y", track.velocity_y, "motion downwards",
        {.unit = "pixels per frame", .printed = false});
  visit("refound", track.refound, "whether the person was lost and has been found again here",
        {.printed = false});
}

void describe(FieldVisitor& visit, TrackResult& result) {
  visit.record("TrackResult", "the people of a frame");
  visit("people", result.people, "in the order of their ids");
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
