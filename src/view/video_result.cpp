#include "view/video_result.h"

#include "view/records.h"

namespace fovea::view {

void describe(FieldVisitor& visit, Span& span) {
  visit("name", span.name, "what happens");
  visit("first", span.first, "frame");
  visit("last", span.last, "frame");
  visit("text", span.text, "what else is known");
}

void describe(FieldVisitor& visit, ShapeLayer& layer) {
  describe_title(visit, layer);
  visit("shown", layer.shown, "whether it is seen at first");
}

void describe(FieldVisitor& visit, LayerShape& drawn) {
  visit("layer", drawn.layer, "by its name");
  visit("shape", drawn.shape, "what is drawn", {.flat = true});
}

void describe(FieldVisitor& visit, VideoResult& video) {
  visit("frames", video.frames, "that were looked at");
  visit("spans", video.spans, "bars of the time line");
  visit("layers", video.layers, "of shapes");
}

std::string shapes_json(const VideoResult& video, int frame) {
  return records_json(video.shapes(frame));
}

}  // namespace fovea::view
