// JSON that was saved before: what the verbs print with --json, COCO, and evaluations.
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/core/record.h>
#include <fovea/emd/map_result.h>
#include <fovea/emd/track_result.h>
#include <fovea/flow/summary.h>
#include <fovea/people/detection.h>
#include <fovea/people/track.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/words.h"
#include "io/text/json_reader.h"
#include "view/inputs.h"
#include "view/result.h"
#include "view/saved_results/saved_file.h"

namespace fovea::view {
namespace {

using nlohmann::json;

// Members of a tree from outside, with messages that name the file.
class Members {
 public:
  explicit Members(const std::string& name) : name_(name) {}

  [[noreturn]] void fail(const std::string& cause) const {
    throw FormatError(fmt::format("{}: {}", name_, cause));
  }
  const json& object(const json& value, const char* what) const {
    if (!value.is_object()) fail(fmt::format("has something else where {} should be", what));
    return value;
  }
  const json& array(const json& tree, const char* key) const {
    static const json kNone = json::array();
    const auto found = tree.find(key);
    if (found == tree.end() || found->is_null()) return kNone;
    if (!found->is_array()) fail(fmt::format("'{}' is no array", key));
    return *found;
  }
  std::string text(const json& tree, const char* key) const {
    const auto found = tree.find(key);
    if (found == tree.end() || found->is_null()) return {};
    if (!found->is_string()) fail(fmt::format("'{}' is no text", key));
    return found->get<std::string>();
  }
  std::optional<double> number(const json& tree, const char* key) const {
    const auto found = tree.find(key);
    if (found == tree.end() || found->is_null()) return {};
    if (!found->is_number()) fail(fmt::format("'{}' is no number", key));
    return found->get<double>();
  }
  // A result of ours, as far as it is there: other versions may have had less.
  template <class Record>
  Record record(const json& tree) const {
    Record record{};
    io::read_record(tree, record_ref(record), name_);
    return record;
  }
  std::int64_t whole(const json& tree, const char* key, std::int64_t otherwise) const {
    const auto found = tree.find(key);
    if (found == tree.end() || found->is_null()) return otherwise;
    if (!found->is_number_integer()) fail(fmt::format("'{}' is no whole number", key));
    return found->get<std::int64_t>();
  }
  Rect<double> box(const json& tree, const char* key) const {
    const json& sides = array(tree, key);
    if (sides.size() != 4 || !std::ranges::all_of(sides, &json::is_number))
      fail(fmt::format("has a '{}' that has not four numbers", key));
    return {sides[0].get<double>(), sides[1].get<double>(), sides[2].get<double>(),
            sides[3].get<double>()};
  }

 private:
  const std::string& name_;
};

// Numbers of categories become their names; a single category says nothing.
std::unordered_map<std::int64_t, std::string> category_names(const Members& take,
                                                             const json& tree) {
  std::unordered_map<std::int64_t, std::string> names;
  const json& categories = take.array(tree, "categories");
  if (categories.size() < 2) return names;
  for (const json& category : categories)
    names[take.whole(take.object(category, "a category"), "id", -1)] = take.text(category, "name");
  return names;
}

SavedFile coco(const Members& take, const json& tree, const std::string& name) {
  SavedFile file{.path = name, .what = "COCO JSON"};
  std::unordered_map<std::int64_t, std::size_t> place;
  for (const json& image : take.array(tree, "images")) {
    SavedItem item{.input = take.text(take.object(image, "an image"), "file_name"),
                   .frame = take.whole(image, "frame", 0)};
    if (item.input.empty()) take.fail("an image has no 'file_name'");
    if (!place.emplace(take.whole(image, "id", -1), file.items.size()).second)
      take.fail(fmt::format("two images have the id {}", take.whole(image, "id", -1)));
    file.items.push_back(std::move(item));
  }
  const auto names = category_names(take, tree);
  for (const json& each : take.array(tree, "annotations")) {
    const std::int64_t id = take.whole(take.object(each, "an annotation"), "image_id", -1);
    const auto image = place.find(id);
    if (image == place.end())
      take.fail(fmt::format("an annotation is of image {}, which is not in the file", id));
    const auto named = names.find(take.whole(each, "category_id", -1));
    SavedBox box{.box = take.box(each, "bbox"),
                 .label = named == names.end() ? "" : named->second,
                 .score = take.number(each, "score")};
    box.truth = !box.score;  // what people annotated has no score
    file.items[image->second].boxes.push_back(std::move(box));
  }
  return file;
}

// A person, a track, a target or a region of a verb's result.
template <class Box>
SavedBox saved_box(const Box& found) {
  SavedBox saved{.box = exact(found.box), .score = found.score};
  if constexpr (requires { found.id; }) saved.label = std::to_string(found.id);
  if constexpr (requires { found.confidence.has_value(); }) saved.confidence = found.confidence;
  return saved;
}

template <class Box>
void add_boxes(const std::vector<Box>& found, SavedItem& item) {
  for (const Box& each : found) item.boxes.push_back(saved_box(each));
}

// What a verb says about an input, or about a frame of a video.
struct Found {
  std::string input{}, error{}, name{}, seg{};
  std::int64_t frame = 0;
  std::vector<people::Detection> people{};
  std::vector<people::Track> tracks{};
  std::vector<Found> frames{};
  std::vector<double> scores{};
  std::vector<std::int32_t> labels{};
  std::vector<actions::Event> events{};
};
void describe(FieldVisitor& visit, Found& found) {
  visit("input", found.input, "its name");
  visit("error", found.error, "why it failed");
  visit("name", found.name, "of its class");
  visit("seg", found.seg, "file with the labels of a mesh");
  visit("first_frame", found.frame, "of a part of a video");
  visit("frame", found.frame, "of a frame of a video");
  visit("people", found.people, "by people detect");
  visit("tracks", found.tracks, "by people track");
  visit("frames", found.frames, "of a video");
  visit("scores", found.scores, "of all classes of the file");
  visit("labels", found.labels, "of the triangles of a mesh");
  visit("events", found.events, "what happens when");
}

SavedItem item_of(const std::string& input, const Found& found) {
  SavedItem item{.input = input, .frame = found.frame};
  add_boxes(found.people, item);
  add_boxes(found.tracks, item);
  return item;
}

bool is_event(const json& tree) {
  return tree.is_object() && tree.contains("first_frame") && tree.contains("last_frame");
}

// An action that was recognized in a video, which a later line may name.
void add_event(const Members& take, const actions::Event& event, const std::string& input,
               SavedFile& file) {
  if (event.first_frame < 0 || event.last_frame < event.first_frame)
    take.fail(
        fmt::format("an event lasts from frame {} to {}", event.first_frame, event.last_frame));
  const SavedBox box = saved_box(event);
  file.events.push_back({.input = input,
                         .name = event.name,
                         .first = event.first_frame,
                         .last = event.last_frame,
                         .box = event.box.empty() ? std::nullopt : std::optional(box.box),
                         .score = box.score});
}

// A line of its own. What is true has no score.
void take_event(const Members& take, const json& tree, SavedFile& file) {
  add_event(take, take.record<actions::Event>(tree), take.text(tree, "input"), file);
  if (!tree.contains("score")) file.events.back().score.reset();
}

// labelme's file of one image. A frame of a video has no file of its own and is known by its name.
void take_labelme(const Members& take, const json& tree, SavedFile& file) {
  SavedItem item{.input = take.text(tree, "imagePath")};
  if (item.input.empty()) take.fail("has no 'imagePath', which labelme's files have");
  item.stem = std::filesystem::path(item.input).stem().string();
  for (const json& shape : take.array(tree, "shapes")) {
    const json& points = take.array(take.object(shape, "a shape"), "points");
    double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (const json& point : points) {
      if (!point.is_array() || point.size() != 2 || !std::ranges::all_of(point, &json::is_number))
        take.fail("has a point that has not two numbers");
      left = std::min(left, point[0].get<double>());
      right = std::max(right, point[0].get<double>());
      top = std::min(top, point[1].get<double>());
      bottom = std::max(bottom, point[1].get<double>());
    }
    if (points.size() < 2) continue;  // a single point has no box
    const std::string label = take.text(shape, "label");
    SavedBox box{.box = {left, top, right - left, bottom - top},
                 .label = label == "person" ? "" : label,
                 .score = take.number(shape, "score")};
    box.truth = !box.score;  // what people annotated has no score
    item.boxes.push_back(std::move(box));
  }
  file.what = "labelme";
  file.items.push_back(std::move(item));
}

// Scores, whose classes stand at the top of the file.
void add_scores(const Found& found, const json& classes, SavedItem& item) {
  for (std::size_t i = 0; i < std::min(found.scores.size(), classes.size()); ++i)
    if (classes[i].is_string() && std::isfinite(found.scores[i]))
      item.scores.emplace_back(classes[i].get<std::string>(), found.scores[i]);
  std::ranges::stable_sort(item.scores, std::greater{}, &std::pair<std::string, double>::second);
  if (!found.name.empty()) item.text = fmt::format("The class is {}.", found.name);
}

std::string text_or_none(const json& tree, const char* key) {
  const auto found = tree.find(key);
  return found == tree.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

// Tracks that say of which frame they are, as emd track has them: frame by frame.
bool take_framed_tracks(const Members& take, const json& result, SavedFile& file) {
  const json& tracks = take.array(result, "tracks");
  if (tracks.empty() || !tracks.front().is_object() || !tracks.front().contains("frame"))
    return false;
  const auto found = take.record<emd::TrackResult>(result);
  for (const emd::FramedTrack& each : found.tracks) {
    if (file.items.empty() || file.items.back().input != found.input ||
        file.items.back().frame != each.frame)
      file.items.push_back({.input = found.input, .frame = each.frame});
    file.items.back().boxes.push_back(saved_box(each.track));
  }
  return true;
}

void take_result(const Members& take, const json& result, const json& tree, SavedFile& file) {
  if (take.text(take.object(result, "a result"), "input").empty())
    take.fail("a result has no 'input'");
  if (take_framed_tracks(take, result, file)) return;
  auto found = take.record<Found>(result);
  if (!found.error.empty()) {
    file.items.push_back(
        {.input = found.input, .text = fmt::format("It failed: {}.", found.error)});
    return;
  }
  for (const Found& frame : found.frames) file.items.push_back(item_of(found.input, frame));
  if (!found.frames.empty()) return;
  SavedItem item = item_of(found.input, found);
  item.parts = found.seg;
  if (const std::string mesh = text_or_none(result, "output");
      item.parts.empty() && mesh.ends_with(".ply"))
    item.parts = mesh;  // which has the labels inside
  if (!found.labels.empty()) item.parts = file.path;
  item.labels = std::move(found.labels);
  add_scores(found, take.array(tree, "classes"), item);
  file.items.push_back(std::move(item));
  for (const actions::Event& event : found.events) add_event(take, event, found.input, file);
}

// Motion of two images, or of two frames of a video, and the file that it was written to, which the
// page does not save.
void take_motion(const Members& take, const json& tree, SavedFile& file) {
  const auto found = take.record<flow::FlowResult>(tree);
  SavedItem item{.input = found.first.value_or(found.input.value_or("")),
                 .frame = found.first_frame.value_or(0)};
  const std::string output = found.output.value_or("");
  if (!found.input && ends_in(output, flow_extensions())) item.motion = output;
  else if (!found.motion || (!found.input && !output.empty()))
    take.fail("has no field of motion beside it; expected the result of a run with -o FILE.flo");
  else
    item.text = fmt::format("Pixels moved by {:.2f} pixels on average.", found.motion->mean_motion);
  file.items.push_back(std::move(item));
}

// Maps of distances, with the regions where the target is.
void take_maps(const Members& take, const json& tree, SavedFile& file) {
  const auto found = take.record<emd::MapResult>(tree);
  if (!found.frame_stats) take.fail("'frame_stats' is no array");
  for (const emd::MapResult::Frame& frame : *found.frame_stats) {
    SavedItem item{.input = found.input, .frame = frame.frame};
    if (frame.regions) add_boxes(*frame.regions, item);
    file.items.push_back(std::move(item));
  }
}

}  // namespace

SavedFile parse_saved_lines(std::string_view text, const std::string& name) {
  SavedFile file{.path = name, .what = "JSON lines"};
  const Members take(name);
  std::size_t named = 0;  // events whose input is known
  for (const std::string_view line : detail::split(text, '\n')) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const json result = io::parse_json(line, name);
    if (is_event(result)) {
      take_event(take, result, file);
    } else if (result.is_object() && result.value("events", json()).is_number()) {
      // The summary of actions recognize, behind the events of its video.
      for (; named < file.events.size(); ++named)
        file.events[named].input = take.text(result, "input");
    } else {
      take_result(take, result, result, file);
    }
  }
  if (!file.events.empty()) file.what = "actions recognize";
  return file;
}

SavedFile parse_saved_json(std::string_view text, const std::string& name) {
  const json tree = io::parse_json(text, name);
  const Members take(name);
  if (tree.is_array())
    take.fail(
        "is a bare array, as --coco-results writes it, which names no images; take the file of "
        "--coco");
  if (!tree.is_object()) take.fail("is no JSON object");
  SavedFile file{.path = name, .what = take.text(tree, "command")};
  if (tree.contains("evaluation")) {
    file.evaluation = report::parse_evaluation(text, name);
    return file;
  }
  if (tree.contains("images") && tree["images"].is_array()) return coco(take, tree, name);
  if (tree.contains("results")) {
    for (const json& result : take.array(tree, "results")) take_result(take, result, tree, file);
    return file;
  }
  if (tree.contains("shapes")) {
    take_labelme(take, tree, file);
    return file;
  }
  if (is_event(tree)) {
    file.what = "actions recognize";
    take_event(take, tree, file);
    return file;
  }
  if (tree.contains("input") && tree.contains("tracks")) {
    take_result(take, tree, tree, file);
    return file;
  }
  if (tree.contains("input") && tree.contains("frame_stats")) {
    take_maps(take, tree, file);
    return file;
  }
  if (tree.contains("mean_motion") || (tree.contains("first") && tree.contains("second"))) {
    take_motion(take, tree, file);
    return file;
  }
  take.fail(
      "is no result that the view shows; expected COCO JSON, or what a verb prints with --json");
}

}  // namespace fovea::view
