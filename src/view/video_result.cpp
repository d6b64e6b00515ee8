#include "view/video_result.h"

#include <fovea/io/json_writer.h>

#include <nlohmann/json.hpp>

namespace fovea::view {

std::string video_json(const VideoResult& video) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object().member("frames", video.frames).key("spans").begin_array();
  for (const Span& span : video.spans)
    json.begin_object()
        .member("name", span.name)
        .member("first", span.first)
        .member("last", span.last)
        .member("text", span.text)
        .end_object();
  json.end_array().key("layers").begin_array();
  for (const ShapeLayer& layer : video.layers)
    json.begin_object()
        .member("name", layer.name)
        .member("title", layer.title)
        .member("text", layer.text)
        .member("shown", layer.shown)
        .end_object();
  json.end_array().end_object().finish();
  return text;
}

// An explanation writes its shapes as the page reads them; only the names of layers are added.
std::string shapes_json(const VideoResult& video, int frame) {
  std::vector<LayerShape> drawn = video.shapes(frame);
  report::Explanation all;
  for (LayerShape& each : drawn) all.shapes.push_back(std::move(each.shape));
  nlohmann::json shapes = nlohmann::json::parse(report::to_json(all))["shapes"];
  for (std::size_t i = 0; i < drawn.size(); ++i) shapes[i]["layer"] = drawn[i].layer;
  return shapes.dump();
}

}  // namespace fovea::view
