// What a run found in the frames of a video: what happens when, and what is drawn over a frame.
#pragma once
#include <fovea/core/record.h>
#include <fovea/report/explanation.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::view {

// Something that happens in a video, as a bar of the time line. Both frames belong to it.
struct Span {
  std::string name{};
  int first = 0;
  int last = 0;
  std::string text{};  // what else is known, in a few words
};

// Shapes that are switched on and off together.
struct ShapeLayer {
  std::string name{};
  std::string title{};
  std::string text{};
  bool shown = true;  // at first
};

struct LayerShape {
  std::string layer{};  // by its name
  report::Shape shape{};
};

struct VideoResult {
  int frames = 0;  // that were looked at, from the first
  std::vector<Span> spans{};
  std::vector<ShapeLayer> layers{};
  // What is drawn over a frame. May be called by several threads.
  std::function<std::vector<LayerShape>(int frame)> shapes{};
};

// What the page reads.
void describe(FieldVisitor& visit, Span& span);
void describe(FieldVisitor& visit, ShapeLayer& layer);
void describe(FieldVisitor& visit, LayerShape& drawn);
void describe(FieldVisitor& visit, VideoResult& video);
// [{"layer", "kind", "points", ...}, ...] of one frame.
std::string shapes_json(const VideoResult& video, int frame);

}  // namespace fovea::view
