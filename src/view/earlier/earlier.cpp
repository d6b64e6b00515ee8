#include "view/earlier/earlier.h"

#include <fovea/core/error.h>
#include <fovea/flow/show.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/show.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <span>

#include "core/words.h"
#include "view/earlier/find_input.h"
#include "view/picture.h"
#include "view/truth.h"

namespace fovea::view {
namespace {

constexpr std::size_t kNamed = 3;  // missing inputs in a message

std::string short_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string missing_text(const std::set<std::string>& missing) {
  if (missing.empty()) return {};
  std::vector<std::string> names;
  for (const std::string& name : missing) {
    if (names.size() == kNamed) break;
    names.push_back(detail::shown(name));
  }
  const std::size_t more = missing.size() - names.size();
  return fmt::format("{} not found: {}{}",
                     detail::counted(missing.size(), "input was", "inputs were"),
                     fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// "COCO JSON: 12 boxes in 5 inputs."
std::string summary_of(const EarlierFile& file, std::size_t inputs) {
  std::size_t boxes = 0;
  for (const EarlierItem& item : file.items) boxes += item.boxes.size();
  const std::string counted_inputs = detail::counted(inputs, "input");
  if (!file.events.empty())
    return fmt::format("{}: {} in {}.", file.what, detail::counted(file.events.size(), "event"),
                       counted_inputs);
  const std::string what = file.what.empty() ? "Result" : file.what;
  return boxes > 0 ? fmt::format("{}: {} in {}.", what, detail::counted(boxes, "box", "boxes"),
                                 counted_inputs)
                   : fmt::format("{}: {}.", what, counted_inputs);
}

// The range of the scores of all boxes.
struct ScoreRange {
  double least = 0, greatest = 0;
  bool any = false;
  void add(double score) {
    least = any ? std::min(least, score) : score;
    greatest = any ? std::max(greatest, score) : score;
    any = true;
  }
};

ScoreRange range_of(const EarlierFile& file) {
  ScoreRange range;
  for (const EarlierItem& item : file.items)
    for (const EarlierBox& box : item.boxes)
      if (box.score) range.add(*box.score);
  for (const EarlierEvent& event : file.events)
    if (event.score) range.add(*event.score);
  return range;
}

void write_range(io::JsonWriter& json, const EarlierFile& file) {
  const ScoreRange range = range_of(file);
  if (range.any) json.member("least", range.least).member("greatest", range.greatest);
}

void write_box(io::JsonWriter& json, const EarlierBox& box) {
  const std::array<double, 4> sides{box.box.x, box.box.y, box.box.width, box.box.height};
  json.begin_object().key("box").values(std::span<const double>(sides));
  json.member("label", box.label).member("truth", box.truth);
  if (!box.group.empty()) json.member("group", box.group);
  if (box.score) json.member("score", *box.score);
  json.end_object();
}

// What cannot be opened says so when it is looked at.
bool has_labels(const std::string& mesh) {
  try {
    return io::has_extension(mesh, {.name = {}, .extensions = {"ply"}}) && io::holds_labels(mesh);
  } catch (const IoError&) {
    return false;
  }
}

std::string missing_name(const EarlierItem& item) {
  if (!item.input.empty()) return item.input;
  return item.stem.empty() ? "the input that it is about" : item.stem;
}

// What a file says about a video: boxes of the frame, and all events.
struct SaidOfVideo {
  std::size_t file = 0;
  const std::string& text;
  const std::vector<EarlierBox>& boxes;
  const std::vector<EarlierEvent>& events;
};

void write_events_of(io::JsonWriter& json, const SaidOfVideo& said, std::int64_t frame) {
  const std::vector<EarlierEvent>& events = said.events;
  json.begin_object().member("file", said.file).member("text", said.text);
  json.key("boxes").begin_array();
  for (const EarlierBox& box : said.boxes) write_box(json, box);
  for (const EarlierEvent& event : events)
    if (event.box && event.first <= frame && frame <= event.last)
      write_box(
          json,
          {.box = *event.box, .label = event.name, .score = event.score, .truth = event.truth});
  json.end_array().key("scores").begin_array().end_array().key("events").begin_array();
  for (const EarlierEvent& event : events) {
    json.begin_object().member("name", event.name);
    json.member("first", event.first).member("last", event.last).member("truth", event.truth);
    if (event.score) json.member("score", *event.score);
    json.end_object();
  }
  json.end_array().end_object();
}

// The labels of a mesh's triangles, from a file with one label per face.
std::vector<std::int32_t> triangle_labels(const std::string& path, Input& input) {
  const std::shared_ptr<const io::TriangleMesh> mesh = input.mesh();
  const std::vector<std::int32_t> of_file = io::read_labels(path);
  if (of_file.size() != static_cast<std::size_t>(mesh->file_faces()))
    throw FormatError(fmt::format("{}: {} for {}, which has {}; expected one per face", path,
                                  detail::counted(of_file.size(), "label"), input.name(),
                                  detail::counted(mesh->file_faces(), "face")));
  std::vector<std::int32_t> labels(mesh->faces.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    labels[i] = of_file[mesh->polygons.empty() ? i : static_cast<std::size_t>(mesh->polygons[i])];
  return labels;
}

// The box with some of its surroundings, and drawn.
Image<std::uint8_t> cut_out(ImageView<const std::uint8_t> image, const Rect<double>& box) {
  const double margin = 0.4 * std::max(box.width, box.height);
  const auto within = [](double value, double least, double most) {
    return static_cast<int>(std::clamp(value, least, most));
  };
  const int left = within(box.x - margin, 0, image.width - 1);
  const int top = within(box.y - margin, 0, image.height - 1);
  const int right = within(box.right() + margin, left + 1, image.width);
  const int bottom = within(box.bottom() + margin, top + 1, image.height);
  Image<std::uint8_t> part = rgb_copy(image.crop(left, top, right - left, bottom - top));
  report::draw_box(part.view(), Rect<double>{box.x - left, box.y - top, box.width, box.height},
                   {.color = {255, 176, 0},
                    .thickness = std::clamp(static_cast<float>(part.height()) / 70, 2.F, 8.F)});
  return part;
}

// Boxes of an evaluation: people who are there, and those who were found by each model.
std::vector<EarlierBox> evaluated_boxes(const report::EvaluatedInput& input,
                                        const std::vector<report::EvaluationCurve>& curves) {
  std::vector<EarlierBox> boxes;
  for (const report::EvaluationBox& box : input.boxes)
    boxes.push_back({.box = box.box,
                     .label = box.label,
                     .score = box.score,
                     .group = box.score && box.curve < curves.size() ? curves[box.curve].name : "",
                     .truth = !box.score});
  return boxes;
}

const std::vector<report::EvaluationCurve>& curves_of(const report::Evaluation& evaluation) {
  static const std::vector<report::EvaluationCurve> kNone;
  return evaluation.charts.empty() ? kNone : evaluation.charts.front().curves;
}

}  // namespace

void Earlier::add(EarlierFile content, Inputs& inputs, const std::vector<std::string>& folders) {
  File file{.content = std::move(content)};
  // What stands in a folder of labels is beside them.
  const std::string& path = file.content.path;
  const bool folder = std::filesystem::is_directory(path);
  InputFinder find(inputs, folder ? path + "/labels" : path, folders);
  if (file.content.evaluation) take_evaluated(file, find);
  files_.push_back(std::move(file));
  place_items(files_.size() - 1, find);
}

void Earlier::add_labels_inside(Inputs& inputs) {
  for (const std::shared_ptr<Input>& input : inputs.all()) {
    const std::string& path = input->path();
    if (input->kind() != InputKind::kMesh || !has_labels(path)) continue;
    add({.path = path, .what = "parts", .items = {{.input = path, .parts = path}}}, inputs, {});
  }
}

void Earlier::show_truth(std::shared_ptr<const Truth> truth, const Inputs& inputs) {
  truth_ = std::move(truth);
  all_inputs_ = &inputs;
}

// What the inputs of an evaluation have becomes items as other files have them.
void Earlier::take_evaluated(File& file, InputFinder& find) {
  const report::Evaluation& evaluation = *file.content.evaluation;
  for (const report::EvaluatedInput& input : evaluation.inputs) {
    std::vector<std::shared_ptr<Input>> there;
    for (const std::string& name : input.files)
      if (const auto found = find.named(name)) there.push_back(found);
    if (there.size() != input.files.size()) there.clear();
    file.evaluated.push_back(std::move(there));
    if (input.files.empty()) continue;  // nobody named it, so that it is not looked for
    file.content.items.push_back({.input = input.files.front(),
                                  .frame = input.frame,
                                  .boxes = evaluated_boxes(input, curves_of(evaluation)),
                                  .motion = evaluation.system == "flow" ? input.truth : "",
                                  .parts = evaluation.system == "mesh" ? input.truth : ""});
  }
}

void Earlier::place_items(std::size_t index, InputFinder& find) {
  File& file = files_[index];
  std::set<std::string> missing, found;
  for (std::size_t i = 0; i < file.content.items.size(); ++i) {
    EarlierItem& item = file.content.items[i];
    for (std::string* beside : {&item.motion, &item.parts})
      if (!beside->empty() && *beside != file.content.path)
        *beside = find.file(*beside).value_or("");
    std::shared_ptr<Input> input = item.input.empty() ? nullptr : find.named(item.input);
    if (!input && !item.stem.empty()) input = find.stemmed(item);
    else if (!input && item.input.empty()) input = find.fitting(item);
    if (!input) {
      missing.insert(missing_name(item));
      continue;
    }
    found.insert(input->id());
    const std::int64_t frame = input->kind() == InputKind::kVideo ? item.frame : 0;
    places_[input->id()].emplace(frame, Place{index, i});
    if (item.relative) inputs_[input->id()] = input;
    if (item.motion.empty() && item.parts.empty()) continue;
    layered_[input->id()].push_back({index, i});
    inputs_[input->id()] = input;
  }
  place_events(index, find, missing, found);
  file.summary = summary_of(file.content, found.size());
  if (missing.empty()) return;
  file.summary += fmt::format(" {}.", missing_text(missing));
  notes_.push_back(fmt::format("{}: {}", detail::shown(file.content.path), missing_text(missing)));
}

void Earlier::place_events(std::size_t index, InputFinder& find, std::set<std::string>& missing,
                           std::set<std::string>& found) {
  const std::vector<EarlierEvent>& events = files_[index].content.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::shared_ptr<Input> input =
        events[i].input.empty() ? find.fitting({}) : find.named(events[i].input);
    if (!input || input->kind() != InputKind::kVideo) {
      missing.insert(events[i].input.empty() ? "the video that it is about" : events[i].input);
      continue;
    }
    found.insert(input->id());
    events_[input->id()].push_back({index, i});
  }
}

std::string Earlier::list_json() const {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object().key("files").begin_array();
  for (const File& file : files_) {
    json.begin_object().member("name", short_name(file.content.path));
    json.member("summary", file.summary);
    json.member("evaluation", file.content.evaluation.has_value());
    write_range(json, file.content);
    json.end_object();
  }
  if (truth_)
    json.begin_object()
        .member("name", short_name(truth_->path()))
        .member("summary", "What is true about videos.")
        .member("evaluation", false)
        .member("truth", true)
        .end_object();
  json.end_array().end_object().finish();
  return text;
}

std::vector<Layer> Earlier::layers(std::string_view id) const {
  std::vector<Layer> layers;
  const auto places = layered_.find(id);
  if (places == layered_.end()) return layers;
  for (const Place& place : places->second) {
    const EarlierFile& file = files_[place.file].content;
    const bool truth = file.evaluation.has_value(), motion = !file.items[place.item].motion.empty();
    const std::string what = motion ? "motion" : "parts";
    layers.push_back(
        {.name = fmt::format("earlier-{}-{}", place.file, place.item),
         .title = truth ? "True " + what : "Earlier " + what,
         .text = fmt::format("From {}.", short_name(motion ? file.items[place.item].motion
                                                           : file.items[place.item].parts)),
         .shown = false});
  }
  return layers;
}

const EarlierItem* Earlier::layered_item(std::string_view id, std::string_view name) const {
  const std::vector<Layer> known = layers(id);
  const auto found = std::ranges::find(known, name, &Layer::name);
  if (found == known.end()) return nullptr;
  const Place place = layered_.find(id)->second[static_cast<std::size_t>(found - known.begin())];
  return &files_[place.file].content.items[place.item];
}

std::shared_ptr<const Picture> Earlier::layer(std::string_view id, std::string_view name) const {
  const EarlierItem* item = layered_item(id, name);
  if (item == nullptr || item->motion.empty()) return nullptr;
  const std::string key = fmt::format("{}/{}", id, name);
  if (const auto kept = pictures_.find(key)) return *kept;
  auto picture = std::make_shared<const Picture>(flow::wheel_picture(
      io::read_flow(item->motion), {.exec = {.device = Device::cpu(), .threads = 1}}));
  pictures_.keep(key, picture, picture->bytes());
  return picture;
}

std::vector<report::Color> Earlier::surface(std::string_view id, std::string_view name) const {
  const EarlierItem* item = layered_item(id, name);
  if (item == nullptr || item->parts.empty()) return {};
  Input& input = *inputs_.find(id)->second;
  if (item->labels.empty()) return mesh::part_colors(triangle_labels(item->parts, input));
  if (item->labels.size() != input.mesh()->faces.size())
    throw FormatError(fmt::format("{}: {} for {}, which has {}; expected one per face", item->parts,
                                  detail::counted(item->labels.size(), "label"), input.name(),
                                  detail::counted(input.mesh()->faces.size(), "face")));
  return mesh::part_colors(item->labels);
}

void Earlier::write_item(io::JsonWriter& json, Place place, std::string_view id,
                         std::int64_t frame) const {
  const EarlierItem& item = files_[place.file].content.items[place.item];
  json.begin_object().member("file", place.file).member("text", item.text);
  double width = 1, height = 1;
  if (const auto input = inputs_.find(id); item.relative && input != inputs_.end()) {
    const auto picture = input->second->frame(static_cast<int>(frame));
    width = picture->width();
    height = picture->height();
  }
  json.key("boxes").begin_array();
  for (EarlierBox box : item.boxes) {
    box.box = {width * box.box.x, height * box.box.y, width * box.box.width,
               height * box.box.height};
    write_box(json, box);
  }
  json.end_array().key("scores").begin_array();
  for (const auto& [name, value] : item.scores)
    json.begin_object().member("name", name).member("value", value).end_object();
  json.end_array().end_object();
}

// One object per file, with all events of the video and the boxes of those that the frame shows.
void Earlier::write_events(io::JsonWriter& json, std::string_view id, std::int64_t frame) const {
  const auto places = events_.find(id);
  if (places == events_.end()) return;
  for (std::size_t i = 0; i < places->second.size();) {
    const std::size_t file = places->second[i].file;
    std::vector<EarlierEvent> events;
    for (; i < places->second.size() && places->second[i].file == file; ++i)
      events.push_back(files_[file].content.events[places->second[i].item]);
    write_events_of(json, {file, {}, {}, events}, frame);
  }
}

// Nothing where nothing is known about the video.
void Earlier::write_truth(io::JsonWriter& json, std::string_view id, std::int64_t frame) const {
  const std::shared_ptr<Input> input = all_inputs_->find(id);
  if (!input || input->kind() != InputKind::kVideo) return;
  std::vector<EarlierEvent> events;
  std::vector<EarlierBox> boxes;
  std::string problem;
  try {
    events = truth_->events(*input);
    const auto people = truth_->people(*input, frame);
    if (events.empty() && !people) return;
    for (const people::Annotation& person : people.value_or(std::vector<people::Annotation>{}))
      boxes.push_back({.box = {person.box.x, person.box.y, person.box.width, person.box.height},
                       .label = person.ignore ? "does not count" : person.label,
                       .truth = true});
  } catch (const Error& error) {
    problem = error.what();
  }
  write_events_of(json, {files_.size(), problem, boxes, events}, frame);
}

std::string Earlier::input_json(std::string_view id, std::int64_t frame) const {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object().key("files").begin_array();
  const auto places = places_.find(id);
  if (places != places_.end()) {
    const auto [first, last] = places->second.equal_range(frame);
    for (auto each = first; each != last; ++each) write_item(json, each->second, id, frame);
  }
  write_events(json, id, frame);
  if (truth_) write_truth(json, id, frame);
  json.end_array().key("layers").begin_array();
  for (const Layer& each : layers(id)) {
    json.begin_object().member("name", each.name).member("title", each.title);
    json.member("text", each.text).member("shown", each.shown).member("opacity", each.opacity);
    if (const std::shared_ptr<const Picture> picture = layer(id, each.name))
      json.member("width", picture->width())
          .member("height", picture->height())
          .member("levels", picture->levels());
    json.end_object();
  }
  json.end_array().end_object().finish();
  return text;
}

std::string Earlier::evaluation_json(std::size_t index) const {
  if (index >= files_.size() || !files_[index].content.evaluation) return {};
  const File& file = files_[index];
  report::Evaluation evaluation = *file.content.evaluation;
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object().key("names").begin_array();
  for (std::size_t i = 0; i < evaluation.inputs.size(); ++i) {
    report::EvaluatedInput& input = evaluation.inputs[i];
    json.value(input.files.empty() ? "an input that was not named"
                                   : short_name(input.files.front()));
    input = {.frame = input.frame};  // the page knows no paths
    for (const std::shared_ptr<Input>& each : file.evaluated[i]) input.files.push_back(each->id());
  }
  json.end_array().key("evaluation");
  report::write_evaluation(json, evaluation);
  json.end_object().finish();
  return text;
}

std::string Earlier::mistake_png(std::size_t index, std::size_t number, int side) const {
  if (index >= files_.size() || !files_[index].content.evaluation) return {};
  const report::Evaluation& evaluation = *files_[index].content.evaluation;
  if (number >= evaluation.mistakes.size()) return {};
  const report::Mistake& mistake = evaluation.mistakes[number];
  const auto& inputs = files_[index].evaluated[mistake.input];
  if (inputs.empty()) return {};
  if (!mistake.box) return inputs.front()->thumbnail(side);
  const std::int64_t frame = evaluation.inputs[mistake.input].frame;
  const auto whole = inputs.front()->frame(static_cast<int>(frame));
  return Picture(cut_out(whole->pixels(), *mistake.box)).thumbnail(side);
}

}  // namespace fovea::view
