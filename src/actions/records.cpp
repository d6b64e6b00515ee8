// The fields of what the actions system gives.
#include <fovea/actions/classify.h>
#include <fovea/actions/curves.h>
#include <fovea/actions/distances.h>
#include <fovea/actions/evaluate_stream.h>
#include <fovea/actions/fold_reports.h>
#include <fovea/actions/match_example.h>
#include <fovea/actions/recognize.h>
#include <fovea/core/record.h>

namespace fovea::actions {

void describe(FieldVisitor& visit, SpaceTimePoint& point) {
  visit.record("SpaceTimePoint", "where the picture changes in space and in time at once");
  visit("frame", point.frame, "number of the frame, from 0");
  visit("x", point.x, "from the center of the frame's top left pixel", {.unit = "pixels"});
  visit("y", point.y, "from the center of the frame's top left pixel", {.unit = "pixels"});
  visit("sigma2", point.sigma2, "extent in space, a variance", {.unit = "pixels squared"});
  visit("tau2", point.tau2, "extent in time, a variance", {.unit = "frames squared"});
  visit("confidence", point.confidence, "the response of the detector");
}

void describe(FieldVisitor& visit, PointSet& set) {
  visit.record("PointSet", "the points of a video, the most confident of a frame first");
  visit("size", set.size, "width and height of the video", {.unit = "pixels"});
  visit("frames", set.frames, "how many the video has");
  visit("frame_rate", set.frame_rate, "frames per second");
  visit("points", set.points, "in the order of frames");
  visit("descriptors", set.descriptors,
        "one row of 162 numbers per point, HoG before HoF; no rows where points are not described",
        {.printed = false});
  visit("detector", set.detector, "that found the points; absent where nobody knows");
  visit("votes", set.votes, "how flow votes in descriptors; absent where nobody knows");
  visit("found_with", set.found_with,
        "the options on which the points depend, as words of the program; empty where nobody knows",
        {.later = true, .compared = false});
}

void describe(FieldVisitor& visit, MatchedNode& node) {
  visit("frame", node.frame, "of the scene");
  visit("point", node.point, "of the frame, by confidence from 0; -1 was not seen");
}

void describe(FieldVisitor& visit, Event& event) {
  visit.record("Event", "an action that was seen in a stream");
  visit("name", event.name, "the action");
  visit("label", event.label, "its number in the model");
  visit("score", event.score,
        "1 for a match without any difference, 0 for one at the limit of what is reported");
  visit("first_frame", event.first_frame, "number of its first frame");
  visit("last_frame", event.last_frame, "number of its last frame");
  visit("start_seconds", event.start_seconds, "when the first frame begins", {.unit = "seconds"});
  visit("end_seconds", event.end_seconds, "when the last frame ends", {.unit = "seconds"});
  visit("box", event.box, "around the matched points and their extent",
        {.unit = "pixels", .prefixed = false});
  visit("distance", event.distance, "of the match, per node");
  visit("margin", event.margin,
        "by which share of the distance the best other action is farther away; of an event that "
        "late fusion classified, the logarithm of its odds");
  visit("dummies", event.dummies, "nodes of the prototype that were not seen");
  visit("prototype", event.prototype, "number of the prototype that matched");
  visit("place", event.place,
        "number of the place, such as a person; events of different places may overlap in time");
  visit("latency_frames", event.latency_frames,
        "frames from the last one until the event was reported");
  visit("path", event.path, "the matched points, one per node", {.printed = false});
}

void describe(FieldVisitor& visit, ClipClass& clip) {
  visit.record("ClipClass", "which action a whole clip shows");
  visit("name", clip.name, "the action; none where nothing fits or the clip is rejected");
  visit("label", clip.label, "its number in the model, or -1");
  visit("truth", clip.truth, "the action that a list says the clip shows", {.compared = false});
  visit("first_frame", clip.first_frame, "of the clip in its file, from 0", {.compared = false});
  visit("score", clip.score,
        "how far the clip lies below the limit: 1 without any difference, 0 at the limit, negative "
        "where it is rejected");
  visit("distance", clip.distance,
        "of the nearest prototype of the nearest action, by matching; none where none fits");
  visit("margin", clip.margin,
        "by which share of its distance the second action is farther away; with late fusion the "
        "logarithm of the nearest one's odds against it");
  visit("probability", clip.probability, "of the nearest action, where the model has late fusion");
  visit.derived("nearest", clip.name_of(clip.nearest),
                "the nearest action, rejected or not; none where none fits");
  visit("nearest_label", clip.nearest, "its number in the model, or -1", {.printed = false});
  visit.derived("runner_up", clip.name_of(clip.runner_up), "the second nearest action, or none");
  visit("runner_up_label", clip.runner_up, "its number in the model, or -1", {.printed = false});
  visit("prototype", clip.prototype, "the nearest prototype of the model, or -1");
  visit("distances", Named{clip.classes, clip.distances},
        "to each action; none for one none of whose prototypes fits into the clip");
}

void describe(FieldVisitor& visit, ExampleNode& node) {
  visit.record("ExampleNode", "a node of an example, and where it was found in the scene");
  visit("strand", node.strand, "number of the chain, with several points per frame");
  visit("model_frame", node.model_frame, "of the example, from 0");
  visit("model_seconds", node.model_seconds, "time of that frame", {.unit = "seconds"});
  visit("model_x", node.model_x, "place in the example as it was filmed", {.unit = "pixels"});
  visit("model_y", node.model_y, "place in the example", {.unit = "pixels"});
  visit("scene_frame", node.scene_frame, "of the scene, from 0");
  visit("scene_seconds", node.scene_seconds, "time of that frame", {.unit = "seconds"});
  visit("scene_point", node.scene_point, "number of the matched point; -1: not seen");
  visit("scene_x", node.scene_x, "place in the scene; none where it is not seen",
        {.unit = "pixels"});
  visit("scene_y", node.scene_y, "place in the scene; none where it is not seen",
        {.unit = "pixels"});
  visit.derived("dummy", node.scene_point < 0, "whether it is not seen");
  visit("distance", node.distance, "of both descriptors; none where it is not seen");
  visit("appearance", node.appearance, "what a point that is seen adds to the energy");
  visit("dummies", node.dummies, "what a node that is not seen adds to the energy");
  visit("time", node.time, "what differences of gaps in time add to the energy");
  visit("angles", node.angles, "what differences of angles add to the energy");
}

void describe(FieldVisitor& visit, ExampleReport& report) {
  visit.record("ExampleReport", "where an example lies in a scene");
  visit("mirrored", report.mirrored, "whether the example matches as if seen in a mirror");
  visit("energy", report.energy, "the sum of the four terms");
  visit("appearance", report.appearance, "of points that are seen");
  visit("dummies", report.dummies, "of points that are not");
  visit("time", report.time, "differences of gaps in time");
  visit("angles", report.angles, "differences of angles");
  visit("dummy_count", report.dummy_count, "nodes that are not seen");
  visit("frames", report.frames, "of both videos");
  visit("dropped", report.dropped, "frames of live sources that were not looked at");
  visit("nodes", report.nodes, "of the example, strand after strand");
}

void describe(FieldVisitor& visit, CurvePoint& point) {
  visit("at", point.at, "the window, or the number of training subjects");
  visit("correct", point.correct, "clips that were classified correctly");
  visit("tested", point.tested, "clips that were tested, over all draws");
  visit("seconds", point.seconds, "time of matching; 0 where it is not measured",
        {.unit = "seconds", .timing = true});
}

void describe(FieldVisitor& visit, MethodReport& report) {
  visit.record("MethodReport", "how often one method was right");
  visit("method", report.method, "its name");
  visit("tested", report.tested, "clips that were tested");
  visit("correct", report.correct, "clips that were classified correctly");
  visit.derived("accuracy", report.accuracy(), "share of clips that were classified correctly");
  visit("low", report.interval.low, "lower bound of the accuracy, by Wilson's 95 % interval");
  visit("high", report.interval.high, "upper bound of the accuracy");
  visit("unclassified", report.unclassified,
        "clips without any match, which do not count as correct");
  visit("seconds", report.seconds, "time it took", {.unit = "seconds", .timing = true});
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(report.confusion.classes));
  for (int truth = 0; truth < report.confusion.classes; ++truth)
    for (int found = 0; found < report.confusion.classes; ++found)
      rows[static_cast<std::size_t>(truth)].push_back(report.confusion.at(truth, found));
  visit.derived("confusion_matrix", std::move(rows),
                "clips by true action, one row each, and by predicted action");
  visit("labels", report.labels, "the predicted label of each clip, or -1", {.printed = false});
}

void describe(FieldVisitor& visit, UnknownReport::Point& point) {
  visit("known_kept", point.known_kept, "share of known clips that are kept");
  visit("unknown_kept", point.unknown_kept, "share of unknown clips that are kept");
}

void describe(FieldVisitor& visit, UnknownReport& report) {
  visit.record("UnknownReport", "how well known actions are kept and unknown ones rejected");
  visit("known", report.known, "clips that show a trained action, in all trials");
  visit("known_kept", report.known_kept, "of these, not rejected");
  visit("known_right", report.known_right, "of these, not rejected and classified correctly");
  visit("unknown", report.unknown, "clips that show the action that was left out");
  visit("unknown_kept", report.unknown_kept, "of these, not rejected");
  visit("area", report.area, "under the curve: 1 separates all");
  visit("curve", report.curve, "one point per limit of the reject rule");
}

void describe(FieldVisitor& visit, FoldMethod& method) {
  visit("method", method.method, "its name");
  visit("used", method.used, "whether the fold was evaluated with it");
  visit("seconds", method.seconds, "time it took", {.unit = "seconds"});
  visit("labels", method.labels, "of the test clips; -1: none");
}

void describe(FieldVisitor& visit, FoldReport& report) {
  visit("chosen", report.chosen, "the recipe that the fold chose");
  visit("fused_chosen", report.fused_chosen, "the recipe with fusion that the fold chose");
  visit("matching", report.matching, "what matching gave");
  visit("fused", report.fused, "what fusion gave");
  visit("recipes", report.recipes, "what each recipe gave");
  visit("baselines", report.baselines, "what simpler methods gave");
}

void describe(FieldVisitor& visit, EventCounts& counts) {
  visit.record("EventCounts", "how many events are right");
  visit.optional("name", counts.name, "the action");
  visit("true_events", counts.truths, "actions that took place");
  visit("events", counts.events, "actions that were reported");
  visit("correct", counts.correct, "actions that were reported and took place");
  visit("delay_frames", counts.delay_frames, "sum of the delays", {.printed = false});
  visit.derived("precision", counts.precision(), "share of reported actions that are right");
  visit.derived("recall", counts.recall(), "share of actions that were reported");
  visit.derived("f1", counts.f1(), "harmonic mean of precision and recall");
  visit.derived("mean_delay_frames", counts.mean_delay(),
                "from the end of an action to its report");
}

void describe(FieldVisitor& visit, EventMistake& mistake) {
  visit("truth", mistake.truth, "label of the action; -1: none that is known");
  visit("found", mistake.found, "label of the event; -1: none");
  visit("score", mistake.score, "of the event");
  visit("between", mistake.between, "whether the event lies between clips");
  visit("surplus", mistake.surplus, "whether another event is about the same clip");
  visit("path", mistake.path, "video of the clip");
  visit("frame", mistake.frame, "of that video");
}

void describe(FieldVisitor& visit, EventReport& report) {
  visit.record("EventReport", "events that are right with one share of frames in common");
  visit("overlap", report.overlap, "share of frames in common at which an event is right");
  describe(visit, report.all);
  visit("classes", report.classes, "the same for each action");
  visit("mistakes", report.mistakes, "actions that were not found, and events that are not right",
        {.printed = false});
}

void describe(FieldVisitor& visit, StreamPoint& point) {
  visit.record("StreamPoint", "events at one factor of the reject levels");
  visit("reject", point.reject, "factor of the reject levels");
  visit("matches", point.raw_events, "before events that follow each other are joined");
  visit("overlaps", point.overlaps, "one per share of frames in common");
}

void describe(FieldVisitor& visit, StreamReport& report) {
  visit.record("StreamReport", "how well actions are recognized in continuous video");
  visit("frames", report.frames, "of all videos");
  visit("action_frames", report.action_frames, "frames of clips; the others show unrelated motion");
  visit("recognize_seconds", report.seconds, "time of points and matching",
        {.unit = "seconds", .timing = true});
  visit("points", report.points, "of the curve, one per factor of the reject levels");
}

void describe(FieldVisitor& visit, ClipDistances& distances) {
  visit("matching", distances.matching, "one row per clip, one column per prototype");
  visit("singles", distances.singles, "of single descriptors, by class");
  visit("votes", distances.votes, "of single descriptors, by class");
}

}  // namespace fovea::actions
