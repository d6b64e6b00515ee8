// The fields of what the emd system gives.
#include <fovea/core/record.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/map.h>
#include <fovea/emd/regions.h>
#include <fovea/emd/track.h>

#include <array>

namespace fovea::emd {
namespace {

// The words that to_string() has for the values of an enumeration from 0 on.
template <class Enum, std::size_t kCount>
std::array<Choice, kCount> words_of() {
  std::array<Choice, kCount> words{};
  for (std::size_t i = 0; i < kCount; ++i)
    words[i] = {to_string(static_cast<Enum>(i)), static_cast<int>(i)};
  return words;
}

}  // namespace

std::span<const Choice> choices(GroundForm) {
  static const auto kChoices = words_of<GroundForm, 5>();
  return kChoices;
}
std::span<const Choice> choices(Status) {
  static const auto kChoices = words_of<Status, 4>();
  return kChoices;
}
std::span<const Choice> choices(SolvedBy) {
  static const auto kChoices = words_of<SolvedBy, kSolvers>();
  return kChoices;
}

GroundFacts facts_of(const GroundDistance& ground) {
  return {ground.rows(),     ground.columns(), ground.form(), ground.metric(),
          ground.greatest(), ground.unit(),    ground.exact()};
}

void describe(FieldVisitor& visit, GroundFacts& facts) {
  visit.record("GroundFacts", "what a ground distance is");
  visit("rows", facts.rows, "bins of the first histogram");
  visit("columns", facts.columns, "bins of the second histogram");
  visit("form", facts.form, "what solves it; general is searched");
  visit("metric", facts.metric, "whether no detour is cheaper");
  visit("greatest", facts.greatest, "the greatest cost");
  visit("unit", facts.unit, "costs are whole multiples of it");
  visit("exact", facts.exact, "whether no cost was rounded");
}

void describe(FieldVisitor& visit, SolvedCounts& counts) {
  visit.record("SolvedCounts", "how many problems each solver took");
  for (std::size_t i = 0; i < counts.counts.size(); ++i)
    visit(to_string(static_cast<SolvedBy>(i)), counts.counts[i], "problems that it took");
}

void describe(FieldVisitor& visit, MapReport& report) {
  visit.record("MapReport", "how pixels got their distances");
  visit("pixels", report.pixels, "that were mapped");
  visit("cached", report.cached, "whose histogram was known from an earlier frame");
  visit("duplicate", report.duplicate, "whose histogram occurs elsewhere in the frame");
  visit("skipped", report.skipped, "new histograms proved to lie above the threshold");
  visit("solved", report.solved, "new histograms given to the solver");
  visit("pivots", report.pivots, "simplex pivots for the solved ones");
  visit("unproved", report.unproved, "solved ones that are upper bounds");
  visit("cache_resets", report.resets, "how often the cache was full and was emptied");
  visit("cache_entries", report.entries, "histograms in the cache afterwards");
  visit("cache_bytes", report.cache_bytes, "memory of the cache afterwards", {.unit = "bytes"});
  double rate = report.hit_rate();  // follows from the others
  visit("hit_rate", rate, "share of pixels that needed neither bound nor solver");
  visit("solved_by", report.solved_by, "which solver took how many of the solved ones");
}

void describe(FieldVisitor& visit, Region& region) {
  visit.record("Region", "a place where the target is");
  visit("box", region.box, "around its pixels", {.unit = "pixels", .prefixed = false});
  visit("area", region.area, "pixels at or below the threshold in it");
  visit("score", region.score, "0 to 1");
  visit("peak", region.peak, "the pixel with the least distance", {.unit = "pixels"});
  visit("distance", region.distance, "the least one");
  visit("mean_distance", region.mean_distance, "of its pixels");
}

void describe(FieldVisitor& visit, RegionSet& found) {
  visit.record("RegionSet", "where the target is");
  visit("regions", found.regions, "the best score first");
  visit("threshold", found.threshold, "greatest distance of a target");
  visit("labels", found.labels, "the number of each pixel's region, from 1, and 0 for none",
        {.printed = false});
}

void describe(FieldVisitor& visit, Track& track) {
  visit.record("Track", "a target in a frame");
  visit("id", track.id, "from 1, in the order in which targets were added");
  visit("box", track.box, "where it is, or was last seen", {.unit = "pixels", .prefixed = false});
  visit("score", track.score, "likelihood inside the box less that in the ring around it");
  visit("confidence", track.confidence, "score / the first frame's score, 0 to 1");
  visit("lost", track.lost, "whether the target is lost, and the box is where it was last seen");
}

void describe(FieldVisitor& visit, TrackReport& report) {
  visit.record("TrackReport", "how a track compares with the true boxes");
  visit("mean_overlap", report.mean_overlap, "intersection over union of the boxes on average");
  visit("precision_20px", report.precision_20px,
        "share of frames with at most 20 pixels between the centers");
  visit("success_50", report.success_50, "share of frames with an overlap above one half");
  visit("success_area", report.success_area, "mean success over 21 thresholds from 0 to 1");
  visit("mean_center_distance", report.mean_center_distance, "between the centers",
        {.unit = "pixels"});
  visit("missed_frames", report.missed, "frames in which the boxes have nothing in common");
  visit("evaluated_frames", report.frames, "frames that have a truth");
}

void describe(FieldVisitor& visit, RocPoint& point) {
  visit.record("RocPoint", "the rates of one threshold");
  visit("threshold", point.threshold, "scores as good as this, or better, mean target");
  visit("false_rate", point.false_rate, "share of the background that is called target");
  visit("true_rate", point.true_rate, "share of the target that is found");
}

void describe(FieldVisitor& visit, Roc& roc) {
  visit.record("Roc", "how well a score separates a target from its background");
  visit("curve", roc.curve, "one point per distinct score, the best first");
  visit("area", roc.area,
        "under the curve: the probability that a pixel of the target scores better than one of "
        "the background");
  visit("positives", roc.positives, "pixels of the target");
  visit("negatives", roc.negatives, "pixels of the background");
}

}  // namespace fovea::emd
