#include <fovea/core/record.h>
#include <fovea/emd/map_result.h>

#include <span>
#include <utility>

namespace fovea::emd {

static void describe(FieldVisitor& visit, Areas::Under& under) {
  visit.record("RocAreas", "areas under ROC curves");
  visit("emd", under.emd, "of the map");
  visit("spectral_angle", under.angle, "of the spectral angle");
  visit("sad", under.differences, "of the sum of absolute differences");
  visit("matched_filter", under.matched, "of the matched filter");
  visit("ace", under.adaptive, "of the adaptive cosine estimator");
}
void describe(FieldVisitor& visit, Areas& areas) {
  visit("positives", areas.positives, "pixels of the target in the truth");
  visit("negatives", areas.negatives, "other pixels");
  visit("roc_auc", areas.under, "how well scores separate them");
}
static void describe(FieldVisitor& visit, MapResult::Frame& frame) {
  visit.record("MappedFrame", "the map of one frame");
  visit("frame", frame.frame, "number of the frame, from 0");
  visit("seconds", frame.seconds, "time in the mapper", {.unit = "seconds"});
  visit("stats", frame.stats, "how its pixels got their distances");
  visit("regions", frame.regions, "where the target is, the best score first");
}

MapperFacts facts_of(const SceneMapper& mapper) {
  const std::span<const std::uint16_t> target = mapper.mapper().target();
  MapperFacts facts{.target = {target.begin(), target.end()},
                    .ground = facts_of(mapper.mapper().ground())};
  if (mapper.options().spectral()) return facts;
  facts.low = mapper.range().low;
  facts.high = mapper.range().high;
  return facts;
}

void describe(FieldVisitor& visit, MapperFacts& facts) {
  visit("target", facts.target, "the target's histogram");
  visit("low", facts.low, "where levels begin, or black is");
  visit("high", facts.high, "where levels end, or white is");
  visit("ground", facts.ground, "the ground distance");
}

void describe(FieldVisitor& visit, MapResult& report) {
  visit.record("MapResult", "the distance of every pixel to the target");
  visit("input", report.input, "the image, cube or video, or the first of several");
  visit("output", report.output, "file or folder of the maps");
  visit("picture", report.picture, "picture or video of the maps");
  visit("width", report.size.width, "of the maps", {.unit = "pixels"});
  visit("height", report.size.height, "of the maps", {.unit = "pixels"});
  visit("frames", report.frames, "how many maps there are");
  visit("dropped", report.dropped, "of a live source: frames that were not looked at");
  visit("interrupted", report.interrupted, "whether the run ended before the frames did");
  describe(visit, report.mapper);
  visit("areas", report.areas, "where the truth is given", {.flat = true});
  visit("detect_threshold", report.threshold, "greatest distance of regions");
  visit("stats", report.stats, "how the pixels of all frames got their distances");
  visit("frame_stats", report.frame_stats, "one per frame");
}

void MapResult::add_regions(std::int64_t number, RegionSet&& found) {
  if (!threshold) threshold = found.threshold;
  if (!frame_stats) frame_stats.emplace();
  frame_stats->push_back({.frame = number, .regions = std::move(found.regions)});
}

}  // namespace fovea::emd
