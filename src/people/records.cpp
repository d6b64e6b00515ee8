// The fields of what the people system gives.
#include <fovea/core/record.h>
#include <fovea/people/detector.h>

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

}  // namespace fovea::people
