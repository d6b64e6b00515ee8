// What a run found, as JSON for the page and as a page to keep.
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <array>

#include "core/json_text.h"
#include "view/system.h"

namespace fovea::view {
namespace {

constexpr std::array<const char*, 6> kMarkKinds{"plain",  "hit",  "false",
                                                "missed", "true", "ignored"};

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
    json.begin_object()
        .key("box")
        .values(box)
        .member("label", mark.label)
        .member("kind", kMarkKinds[static_cast<std::size_t>(mark.kind)])
        .end_object();
  }
  json.end_array();
}

void write_surfaces(io::JsonWriter& json, const Result& result) {
  json.key("surfaces").begin_array();
  for (const Surface& surface : result.surfaces)
    json.begin_object()
        .member("name", surface.name)
        .member("title", surface.title)
        .member("text", surface.text)
        .end_object();
  json.end_array();
}

report::Table span_table(const std::vector<Span>& spans) {
  report::Table table{.caption = "What was seen when.",
                      .columns = {{"what"}, {"first frame"}, {"last frame"}, {"details"}}};
  for (const Span& span : spans)
    table.rows.push_back({span.name, span.first, span.last, span.text});
  return table;
}

std::size_t bytes_of(const report::Table& table) {
  std::size_t bytes = sizeof table;
  for (const auto& row : table.rows) bytes += row.size() * sizeof(report::Cell);
  return bytes;
}

}  // namespace

void ResultMemory::add(const Picture* picture) {
  if (picture != nullptr && counted_.insert(picture).second) bytes_ += picture->bytes();
}

void ResultMemory::add(const Result& result) {
  add(result.image.get());
  for (const Layer& layer : result.layers) add(layer.picture.get());
  for (const Surface& surface : result.surfaces)
    bytes_ += sizeof surface + surface.colors.size() * sizeof(report::Color);
  bytes_ += sizeof result + result.json.size() + result.parts.size() +
            result.marks.size() * sizeof(Mark) + result.scores.size() * sizeof(result.scores[0]) +
            result.held_bytes;
}

std::size_t bytes_of(const report::Explanation& explanation) {
  std::size_t bytes = sizeof explanation + explanation.reasons.size() * sizeof(report::Reason);
  for (const report::Reason& reason : explanation.reasons) bytes += reason.text.size();
  for (const report::HeatLayer& layer : explanation.layers)
    bytes += sizeof layer + static_cast<std::size_t>(layer.values.stride()) *
                                static_cast<std::size_t>(layer.values.height()) * sizeof(float);
  for (const report::FaceLayer& layer : explanation.surface)
    bytes += sizeof layer + layer.values.size() * sizeof(float);
  for (const report::Shape& shape : explanation.shapes)
    bytes += sizeof shape + shape.points.size() * sizeof(report::Point);
  for (const report::Table& table : explanation.tables) bytes += bytes_of(table);
  return bytes;
}

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
      .member("explains", static_cast<bool>(result.explain) || result.explain_face)
      .member("why_hint", result.why_hint);
  write_layers(json, result);
  write_marks(json, result);
  write_surfaces(json, result);
  json.member("true_score", result.true_score);
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
  json.end_array().key("why_pictures").begin_array();
  for (const WhyPicture& picture : result.why_pictures)
    json.begin_object()
        .member("name", picture.name)
        .member("title", picture.title)
        .member("text", picture.text)
        .end_object();
  json.end_array();
  if (result.video) json.key("video").raw(video_json(*result.video));
  json.end_object().finish();
  return text;
}

std::string result_page(const Result& result, const report::Explanation* explanation) {
  report::Page page(result.title, result.summary);
  page.section("Result");
  if (result.picture)
    page.figure(report::Figure::picture(
        result.picture(),
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
  if (result.video) page.table(span_table(result.video->spans));
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
