// The fields of what the people system gives.
#include <fovea/core/record_values.h>
#include <fovea/people/detector.h>
#include <fovea/people/mine.h>
#include <fovea/people/track.h>

namespace fovea::people {

void describe(FieldVisitor& visit, Detection& person) {
  visit.record("Detection", "a person that a detector found");
  visit("box", person.box, "the person, within the image", {.unit = "pixels", .prefixed = false});
  visit("window", person.window, "the window that was classified",
        {.unit = "pixels", .printed = false});
  visit("score", person.score,
        "higher means more certain; the model's threshold is the least that counts");
  visit("confidence", person.confidence,
        "share of the detections with this score that are people, from 0 to 1, where the model has "
        "a calibration");
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

void describe(FieldVisitor& visit, Model& model) {
  Extent window = model.window();
  FieldValue facts = detail::named_texts(model.facts);
  visit.record("Model", "a trained detector");
  visit("kind", model.kind, "of detector");
  visit("threshold", model.threshold, "windows with this score or more are people, by default");
  visit("window", window, "that is classified", {.unit = "pixels"});
  visit("person_height", model.person_height, "a person's height divided by the window's");
  visit("person_aspect", model.person_aspect, "a person's width divided by the height");
  visit("calibration", model.calibration, "how scores become confidence, where that was fitted");
  visit("facts", facts, "how it was made: data, command, counts");
}

void describe(FieldVisitor& visit, WindowPlace& place) {
  visit("image", place.image, "its number");
  visit("level", place.level, "of its pyramid");
  visit("column", place.column, "of the windows of the level");
  visit("row", place.row, "of the windows of the level");
}

void describe(FieldVisitor& visit, MinedWindow& window) {
  visit.record("MinedWindow", "a window that looks like a person");
  describe(visit, window.place);
  visit("score", window.score, "that it gets");
}

void describe(FieldVisitor& visit, MinedImage& image) {
  visit.record("MinedImage", "what was found in an image without people");
  visit("image", image.image, "its number");
  visit("windows", image.windows, "windows that were evaluated");
  visit("passed", image.passed, "windows that reached the least score");
  visit("evaluations", image.evaluations, "blocks or trees that were evaluated");
  visit("found", image.found, "windows that are kept");
}

}  // namespace fovea::people
