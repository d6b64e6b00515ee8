// JSON of earlier runs: what the verbs print with --json, COCO, and evaluations.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/words.h"
#include "io/text/json_reader.h"
#include "view/earlier/earlier_file.h"

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

EarlierFile coco(const Members& take, const json& tree, const std::string& name) {
  EarlierFile file{.path = name, .what = "COCO JSON"};
  std::unordered_map<std::int64_t, std::size_t> place;
  for (const json& image : take.array(tree, "images")) {
    EarlierItem item{.input = take.text(take.object(image, "an image"), "file_name"),
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
    EarlierBox box{.box = take.box(each, "bbox"),
                   .label = named == names.end() ? "" : named->second,
                   .score = take.number(each, "score")};
    box.truth = !box.score;  // what people annotated has no score
    file.items[image->second].boxes.push_back(std::move(box));
  }
  return file;
}

EarlierBox box_in(const Members& take, const json& each) {
  EarlierBox box{.box = take.box(take.object(each, "a box"), "box"),
                 .score = take.number(each, "score")};
  if (each.contains("id")) box.label = std::to_string(take.whole(each, "id", 0));
  return box;
}

std::vector<EarlierBox> boxes_in(const Members& take, const json& tree) {
  std::vector<EarlierBox> boxes;
  for (const char* key : {"people", "tracks"})
    for (const json& each : take.array(tree, key)) boxes.push_back(box_in(take, each));
  return boxes;
}

// Tracks that say of which frame they are, as emd track has them: frame by frame.
bool take_framed_tracks(const Members& take, const json& result, const std::string& input,
                        EarlierFile& file) {
  const json& tracks = take.array(result, "tracks");
  if (tracks.empty() || !tracks.front().is_object() || !tracks.front().contains("frame"))
    return false;
  for (const json& each : tracks) {
    EarlierBox box = box_in(take, each);
    const std::int64_t frame = take.whole(each, "frame", 0);
    if (file.items.empty() || file.items.back().input != input || file.items.back().frame != frame)
      file.items.push_back({.input = input, .frame = frame});
    file.items.back().boxes.push_back(std::move(box));
  }
  return true;
}

bool is_event(const json& tree) {
  return tree.is_object() && tree.contains("first_frame") && tree.contains("last_frame");
}

// An action that was recognized in a video, which a later line may name.
void take_event(const Members& take, const json& tree, EarlierFile& file) {
  EarlierEvent event{.input = take.text(tree, "input"),
                     .name = take.text(tree, "name"),
                     .first = take.whole(tree, "first_frame", 0),
                     .last = take.whole(tree, "last_frame", 0),
                     .score = take.number(tree, "score")};
  if (event.first < 0 || event.last < event.first)
    take.fail(fmt::format("an event lasts from frame {} to {}", event.first, event.last));
  if (tree.contains("box")) event.box = take.box(tree, "box");
  file.events.push_back(std::move(event));
}

// labelme's file of one image. A frame of a video has no file of its own and is known by its name.
void take_labelme(const Members& take, const json& tree, EarlierFile& file) {
  EarlierItem item{.input = take.text(tree, "imagePath")};
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
    EarlierBox box{.box = {left, top, right - left, bottom - top},
                   .label = label == "person" ? "" : label,
                   .score = take.number(shape, "score")};
    box.truth = !box.score;  // what people annotated has no score
    item.boxes.push_back(std::move(box));
  }
  file.what = "labelme";
  file.items.push_back(std::move(item));
}

// Scores, whose classes stand at the top of the file.
void take_scores(const Members& take, const json& result, const json& tree, EarlierItem& item) {
  const json& scores = take.array(result, "scores");
  const json& classes = take.array(tree, "classes");
  for (std::size_t i = 0; i < std::min(scores.size(), classes.size()); ++i)
    if (scores[i].is_number() && classes[i].is_string())
      item.scores.emplace_back(classes[i].get<std::string>(), scores[i].get<double>());
  std::ranges::stable_sort(item.scores, std::greater{}, &std::pair<std::string, double>::second);
  if (const std::string name = take.text(result, "name"); !name.empty())
    item.text = fmt::format("The class is {}.", name);
}

std::string text_or_none(const json& tree, const char* key) {
  const auto found = tree.find(key);
  return found == tree.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

void take_result(const Members& take, const json& result, const json& tree, EarlierFile& file) {
  const std::string input = take.text(take.object(result, "a result"), "input");
  if (input.empty()) take.fail("a result has no 'input'");
  if (const std::string error = take.text(result, "error"); !error.empty()) {
    file.items.push_back({.input = input, .text = fmt::format("It failed: {}.", error)});
    return;
  }
  if (take_framed_tracks(take, result, input, file)) return;
  if (const json& frames = take.array(result, "frames"); !frames.empty()) {
    for (const json& frame : frames)
      file.items.push_back({.input = input,
                            .frame = take.whole(take.object(frame, "a frame"), "frame", 0),
                            .boxes = boxes_in(take, frame)});
    return;
  }
  EarlierItem item{.input = input,
                   .frame = take.whole(result, "first_frame", 0),
                   .boxes = boxes_in(take, result),
                   .parts = take.text(result, "seg")};
  if (const std::string mesh = text_or_none(result, "output");
      item.parts.empty() && mesh.ends_with(".ply"))
    item.parts = mesh;  // which has the labels inside
  for (const json& label : take.array(result, "labels")) {
    if (!label.is_number_integer()) take.fail("has a label that is no whole number");
    item.labels.push_back(label.get<std::int32_t>());
    item.parts = file.path;
  }
  take_scores(take, result, tree, item);
  file.items.push_back(std::move(item));
  for (const json& event : take.array(result, "events")) {
    take_event(take, take.object(event, "an event"), file);
    file.events.back().input = input;
  }
}

std::string motion_text(const Members& take, const json& tree) {
  const std::optional<double> mean = take.number(tree, "mean_motion");
  return mean ? fmt::format("Pixels moved by {:.2f} pixels on average.", *mean) : std::string();
}

// A pair of images, and the file that its motion was written to, which the page does not save.
void take_motion(const Members& take, const json& tree, EarlierFile& file) {
  const std::string output = take.text(tree, "output");
  if (output.empty() && tree.contains("mean_motion")) {
    file.items.push_back({.input = take.text(tree, "first"), .text = motion_text(take, tree)});
    return;
  }
  constexpr std::array<std::string_view, 6> kFields{".flo", ".png", ".pfm",
                                                    ".npy", ".tif", ".tiff"};
  if (std::ranges::none_of(kFields, [&](std::string_view end) { return output.ends_with(end); }))
    take.fail("has no field of motion beside it; expected the result of a run with -o FILE.flo");
  file.items.push_back({.input = take.text(tree, "first"), .motion = output});
}

// Maps of distances, with the regions where the target is.
void take_maps(const Members& take, const json& tree, EarlierFile& file) {
  for (const json& frame : take.array(tree, "frame_stats")) {
    EarlierItem item{.input = take.text(tree, "input"),
                     .frame = take.whole(take.object(frame, "a frame"), "frame", 0)};
    for (const json& region : take.array(frame, "regions"))
      item.boxes.push_back(box_in(take, region));
    file.items.push_back(std::move(item));
  }
}

}  // namespace

EarlierFile parse_earlier_lines(std::string_view text, const std::string& name) {
  EarlierFile file{.path = name, .what = "JSON lines"};
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

EarlierFile parse_earlier_json(std::string_view text, const std::string& name) {
  const json tree = io::parse_json(text, name);
  const Members take(name);
  if (tree.is_array())
    take.fail(
        "is a bare array, as --coco-results writes it, which names no images; take the file of "
        "--coco");
  if (!tree.is_object()) take.fail("is no JSON object");
  EarlierFile file{.path = name, .what = take.text(tree, "command")};
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
  if (tree.contains("input") && (tree.contains("tracks") || tree.contains("mean_motion"))) {
    take_result(take, tree, tree, file);
    if (tree.contains("mean_motion")) file.items.back().text = motion_text(take, tree);
    return file;
  }
  if (tree.contains("input") && tree.contains("frame_stats")) {
    take_maps(take, tree, file);
    return file;
  }
  if (tree.contains("first") && tree.contains("second")) {
    take_motion(take, tree, file);
    return file;
  }
  take.fail(
      "is no result that the view shows; expected COCO JSON, or what a verb prints with --json");
}

}  // namespace fovea::view
