#include "view/result.h"

#include <fmt/format.h>

#include "view/records.h"

namespace fovea::view {
namespace {

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

// What reasons with a place are about, as parts of the picture.
std::vector<report::Figure> patches_of(const Picture& picture, const report::Explanation& why) {
  std::vector<report::Figure> patches;
  for (const report::Reason& reason : why.reasons) {
    const auto patch = patch_of(picture, reason.place);
    if (!patch.empty())
      patches.push_back(report::Figure::picture(
          rgb_copy(patch), {.caption = fmt::format("{}: {:+.3g}", reason.name, reason.value)}));
  }
  return patches;
}

}  // namespace

void Result::show(std::shared_ptr<const Picture> shown) {
  image = std::move(shown);
  size = {image->width(), image->height()};
}

Image<std::uint8_t> rgb_copy(ImageView<const std::uint8_t> image) {
  Image<std::uint8_t> rgb(image.width, image.height, 3);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      for (int c = 0; c < 3; ++c) rgb.at(x, y, c) = image.at(x, y, image.channels >= 3 ? c : 0);
  return rgb;
}

std::function<Image<std::uint8_t>()> rgb_later(std::shared_ptr<const Picture> picture) {
  return [picture = std::move(picture)] { return rgb_copy(picture->pixels()); };
}

void ResultMemory::add(const Picture* picture) {
  if (picture != nullptr && counted_.insert(picture).second) bytes_ += picture->bytes();
}

void ResultMemory::add(const Result& result) {
  add(result.image.get());
  for (const Layer& layer : result.layers) add(layer.picture.get());
  for (const Layer& surface : result.surfaces)
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

void describe(FieldVisitor& visit, Layer& layer) {
  describe_title(visit, layer);
  visit("shown", layer.shown, "whether it is seen at first");
  visit("opacity", layer.opacity, "at first");
  if (!layer.picture) return;
  visit.derived("width", layer.picture->width(), "pixels");
  visit.derived("height", layer.picture->height(), "pixels");
  visit.derived("levels", layer.picture->levels(), "sizes in which there are tiles");
}

void describe(FieldVisitor& visit, RecognizedEvent& event) {
  visit("name", event.name, "what happened");
  visit("score", event.score, "higher means more certain");
  visit("start", event.start_seconds, "seconds");
  visit("end", event.end_seconds, "seconds");
}

void describe(FieldVisitor& visit, Timing& timing) {
  visit("stage", timing.stage, "of the run");
  visit("seconds", timing.seconds, "how long it took");
}

void describe(FieldVisitor& visit, Span& span) {
  visit("name", span.name, "what happens");
  visit("first", span.first, "frame");
  visit("last", span.last, "frame");
  visit("text", span.text, "what else is known");
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

void describe(FieldVisitor& visit, WhyPicture& picture) { describe_title(visit, picture); }

void describe(FieldVisitor& visit, SavedAs& saved) {
  visit("name", saved.name, "of the output of the program");
  visit("file", saved.file, "its own name");
  visit("help", saved.help, "what it is");
}

void describe(FieldVisitor& visit, Result& result) {
  visit("width", result.size.width, "pixels");
  visit("height", result.size.height, "pixels");
  visit("summary", result.summary, "whole sentences");
  visit("command", result.command, "line of the shell that gives this result");
  visit("python", result.python, "lines of Python that do");
  visit.derived("explains", result.explain || result.explain_face, "whether a click asks why");
  visit("why_hint", result.why_hint, "what it asks");
  visit("layers", result.layers, "rasters over the picture");
  visit("marks", result.marks, "boxes over the picture");
  visit("surfaces", result.surfaces, "colors of a mesh");
  visit("true_score", result.true_score, "the name of the right one");
  visit("events", result.events, "that have become certain in a stream");
  visit.derived("scores", named_values(result.scores), "bars");
  visit.derived("facts", named_values(result.facts), "for people");
  visit("timings", result.timings, "of the stages");
  visit("stem", result.stem, "of the names of saved files");
  visit("files", result.files, "that can be saved");
  visit("why_pictures", result.why_pictures, "that belong to explanations");
  visit("video", result.video, "what was found in the whole of a video");
}

std::string result_page(const Result& result, const report::Explanation* explanation) {
  const auto without_folders = [&](std::string line) {
    for (const std::string& folder : result.folders)
      for (std::size_t at; (at = line.find(folder)) != line.npos;) line.erase(at, folder.size());
    return line;
  };
  const std::string command = without_folders(result.command);
  report::Page page(result.title, result.summary);
  page.section("Result");
  if (result.picture)
    page.figure(report::Figure::picture(
        result.picture(), {.caption = result.summary, .command = command, .alt = result.summary}));
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
    if (const auto patches = result.image && !result.video ? patches_of(*result.image, *explanation)
                                                           : std::vector<report::Figure>();
        !patches.empty())
      page.figures(patches);
    page.code(report::to_text(*explanation));
  }
  page.section("How it was made").facts(result.facts);
  report::Table times{.columns = {{"stage"}, {"time", "ms"}}};
  for (const Timing& timing : result.timings)
    times.rows.push_back({timing.stage, report::Cell(timing.seconds * 1000)});
  page.table(times).code(command).code(without_folders(result.python));
  page.provenance({.command = command});
  return page.html();
}

}  // namespace fovea::view
