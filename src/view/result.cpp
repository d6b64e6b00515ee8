// What a run found, as JSON for the page and as a page to keep.
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include "core/json_text.h"
#include "view/system.h"

namespace fovea::view {
namespace {

void write_layers(io::JsonWriter& json, const Result& result) {
  json.key("layers").begin_array();
  for (const Layer& layer : result.layers)
    json.begin_object()
        .member("name", layer.name)
        .member("title", layer.title)
        .member("text", layer.text)
        .member("shown", layer.shown)
        .member("opacity", layer.opacity)
        .member("width", layer.picture->width())
        .member("height", layer.picture->height())
        .member("levels", layer.picture->levels())
        .end_object();
  json.end_array();
}

void write_marks(io::JsonWriter& json, const Result& result) {
  json.key("marks").begin_array();
  for (const Mark& mark : result.marks) {
    const std::vector<double> box{mark.box.x, mark.box.y, mark.box.width, mark.box.height};
    json.begin_object().key("box").values(box).member("label", mark.label).end_object();
  }
  json.end_array();
}

}  // namespace

void write_events(io::JsonWriter& json, const std::vector<SeenEvent>& events) {
  json.key("events").begin_array();
  for (const SeenEvent& event : events)
    json.begin_object()
        .member("name", event.name)
        .member("score", event.score)
        .member("start", event.start_seconds)
        .member("end", event.end_seconds)
        .end_object();
  json.end_array();
}

std::string result_json(const Result& result) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object()
      .member("width", result.size.width)
      .member("height", result.size.height)
      .member("summary", result.summary)
      .member("command", result.command)
      .member("python", result.python)
      .member("explains", static_cast<bool>(result.explain))
      .member("why_hint", result.why_hint);
  write_layers(json, result);
  write_marks(json, result);
  write_events(json, result.events);
  json.key("scores").begin_array();
  for (const auto& [name, value] : result.scores)
    json.begin_object().member("name", name).member("value", value).end_object();
  json.end_array().key("facts").begin_array();
  for (const auto& [name, value] : result.facts)
    json.begin_object().member("name", name).member("value", value).end_object();
  json.end_array().key("timings").begin_array();
  for (const Timing& timing : result.timings)
    json.begin_object()
        .member("stage", timing.stage)
        .member("seconds", timing.seconds)
        .end_object();
  json.end_array().end_object().finish();
  return text;
}

std::string result_page(const Result& result, const report::Explanation* explanation) {
  report::Page page(result.title, result.summary);
  page.section("Result");
  page.figure(report::Figure::picture(
      result.picture,
      {.caption = result.summary, .command = result.command, .alt = result.summary}));
  std::vector<report::Figure> layers;
  layers.reserve(result.layers.size());
  for (const Layer& layer : result.layers)
    layers.push_back(report::Figure::picture(rgb_copy(layer.picture->pixels()),
                                             {.caption = layer.title + ": " + layer.text}));
  if (!layers.empty()) page.figures(layers);
  if (!result.scores.empty()) {
    report::Table table{.columns = {{"class"}, {"score"}}};
    for (const auto& [name, value] : result.scores) table.rows.push_back({name, value});
    page.table(table);
  }
  if (explanation != nullptr) {
    page.section(explanation->title).paragraph(explanation->summary);
    if (result.image)
      page.figure(report::Figure::picture(
          report::draw_explanation(rgb_copy(result.image->pixels()), *explanation),
          {.caption = explanation->summary}));
    page.code(report::to_text(*explanation));
  }
  page.section("How it was made").facts(result.facts);
  report::Table times{.columns = {{"stage"}, {"time", "ms"}}};
  for (const Timing& timing : result.timings)
    times.rows.push_back({timing.stage, report::Cell(timing.seconds * 1000)});
  page.table(times).code(result.command).code(result.python);
  page.provenance({.command = result.command});
  return page.html();
}

}  // namespace fovea::view
