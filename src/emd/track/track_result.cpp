#include <fovea/core/record.h>
#include <fovea/emd/track_result.h>

namespace fovea::emd {

void describe(FieldVisitor& visit, FramedTrack& framed) {
  visit("frame", framed.frame, "number of the frame, from 0");
  describe(visit, framed.track);
}

static void describe(FieldVisitor& visit, TrackResult::Windows& map) {
  visit.record("TrackMaps", "how windows of all maps got their distances");
  visit("windows", map.stats.pixels, "that were mapped");
  visit("cached", map.stats.cached, "whose histogram was known from an earlier frame");
  visit("duplicate", map.stats.duplicate, "whose histogram occurs elsewhere in the frame");
  visit("solved", map.stats.solved, "new histograms given to the solver");
  visit("pivots", map.stats.pivots, "simplex pivots for the solved ones");
  visit("solved_by", map.stats.solved_by, "which solver took how many of them");
}
static void describe(FieldVisitor& visit, TrackResult::Means& means) {
  visit("mean_overlap", means.overlap, "over all targets");
  visit("precision_20px", means.precision, "over all targets");
}
static void describe(FieldVisitor& visit, TrackResult::Measured& measured) {
  describe(visit, measured.errors);
  visit("seconds_per_frame", measured.seconds, "in the tracker alone", {.unit = "seconds"});
}
static void describe(FieldVisitor& visit, TrackResult::Rival& rival) {
  visit.record("TrackRival", "another tracker on the same frames");
  visit("name", rival.name, "what it is called");
  visit("bar", rival.bar, "whether it is one of the plain trackers that ours must beat");
  describe(visit, rival.measured);
}
static void describe(FieldVisitor& visit, TrackResult::Contest& contest) {
  visit("rivals", contest.rivals, "other trackers");
  visit("bar_overlap", contest.overlap, "best mean overlap of the plain ones");
  visit("bar_precision_20px", contest.precision, "best precision of the plain ones");
  visit("passes", contest.passes, "whether ours is as good as both");
}
static void describe(FieldVisitor& visit, TrackResult::Target& target) {
  visit.record("TrackedTarget", "a target that was followed");
  visit("id", target.id, "from 1");
  visit("parts", target.parts, "whether its parts were compared");
  visit("measured", target.measured, "where true boxes are given", {.flat = true});
  visit("contest", target.contest, "with --rivals", {.flat = true});
}
void describe(FieldVisitor& visit, TrackResult& printed) {
  visit.record("TrackResult", "targets that were followed");
  visit("input", printed.input, "the video, or the folder or glob of frames");
  visit("output", printed.output, "file of the boxes");
  visit("video", printed.video, "video of the frames with the boxes");
  visit("map_video", printed.map_video, "video of the likelihood");
  visit("width", printed.size.width, "of the frames", {.unit = "pixels"});
  visit("height", printed.size.height, "of the frames", {.unit = "pixels"});
  visit("bands", printed.bands, "of frames that are cubes");
  visit("frames", printed.frames, "frames that were read");
  visit("dropped", printed.dropped, "of a live source: frames that were not looked at");
  visit("interrupted", printed.interrupted, "whether the run ended before the video did");
  visit("means", printed.means, "where true boxes are given", {.flat = true});
  visit("map", printed.map, "how distances were found");
  visit("targets", printed.targets, "in the order of their ids");
  visit("tracks", printed.tracks, "every target in every frame");
}

}  // namespace fovea::emd
