#include "view/saved_results/saved_results.h"

#include <fovea/core/error.h>
#include <fovea/flow/show.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/show.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <span>

#include "core/words.h"
#include "view/picture.h"
#include "view/records.h"
#include "view/saved_results/find_input.h"
#include "view/truth.h"

namespace fovea::view {
namespace {

constexpr std::size_t kNamed = 3;  // missing inputs in a message

std::string short_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// What a file says of an input that is not there.
struct Missing {
  std::string name{};  // as the file has it
  std::string text{};  // a sentence about the whole of it; may be empty
  std::int64_t boxes = 0, events = 0;
  std::optional<double> greatest{};  // score
};
void describe(FieldVisitor& visit, Missing& missing) {
  visit("name", missing.name, "as the file has it");
  visit("text", missing.text, "a sentence about the whole of it");
  visit("boxes", missing.boxes, "how many");
  visit("events", missing.events, "how many");
  visit("greatest", missing.greatest, "score");
}

std::string missing_text(const std::vector<Missing>& missing) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i)
    names.push_back(detail::shown(missing[i].name));
  const std::size_t more = missing.size() - names.size();
  return fmt::format("{} not found: {}{}",
                     detail::counted(missing.size(), "input was", "inputs were"),
                     fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// "COCO JSON: 12 boxes in 5 inputs."
std::string summary_of(const SavedFile& file, std::size_t inputs) {
  std::size_t boxes = 0;
  for (const SavedItem& item : file.items) boxes += item.boxes.size();
  const std::string counted_inputs = detail::counted(inputs, "input");
  if (!file.events.empty())
    return fmt::format("{}: {} in {}.", file.what, detail::counted(file.events.size(), "event"),
                       counted_inputs);
  const std::string what = file.what.empty() ? "Result" : file.what;
  return boxes > 0 ? fmt::format("{}: {} in {}.", what, detail::counted(boxes, "box", "boxes"),
                                 counted_inputs)
                   : fmt::format("{}: {}.", what, counted_inputs);
}

// A file in the list of all.
struct ListedFile {
  std::string name{}, summary{};
  bool evaluation = false, truth = false;
  std::optional<double> least{}, greatest{};  // the range of all scores
  std::vector<Missing> missing{};

  void add(std::optional<double> score) {
    if (!score) return;
    least = std::min(least.value_or(*score), *score);
    greatest = std::max(greatest.value_or(*score), *score);
  }
};
void describe(FieldVisitor& visit, ListedFile& file) {
  visit("name", file.name, "without its folder");
  visit("summary", file.summary, "whole sentences");
  visit("evaluation", file.evaluation, "whether it is one");
  visit("truth", file.truth, "whether it says what is true", {.sparse = true});
  visit("least", file.least, "score");
  visit("greatest", file.greatest, "score");
  visit("missing", file.missing, "what it says of inputs that are not there");
}

// What a file says about an image, or about a video and one of its frames.
struct Said {
  std::size_t file = 0;
  std::string text{};
  std::vector<SavedBox> boxes{};
  std::vector<std::pair<std::string, double>> scores{};
  std::vector<SavedEvent> events{};

  // The events, with the boxes of those that the frame shows.
  void add(std::vector<SavedEvent> all, std::int64_t frame) {
    for (const SavedEvent& event : all)
      if (event.box && event.first <= frame && frame <= event.last)
        boxes.push_back(
            {.box = *event.box, .label = event.name, .score = event.score, .truth = event.truth});
    events = std::move(all);
  }
};
void describe(FieldVisitor& visit, Said& said) {
  visit("file", said.file, "its number");
  visit("text", said.text, "a sentence about the whole of it");
  visit("boxes", said.boxes, "in the image or frame");
  visit.derived("scores", named_values(said.scores), "of classes, the best first");
  visit("events", said.events, "in the whole of the video");
}

// What cannot be opened says so when it is looked at.
bool has_labels(const std::string& mesh) {
  try {
    return ends_in(mesh, {"ply"}) && io::holds_labels(mesh);
  } catch (const IoError&) {
    return false;
  }
}

std::string missing_name(const SavedItem& item) {
  if (!item.input.empty()) return item.input;
  return item.stem.empty() ? "the input that it is about" : item.stem;
}
std::string missing_name(const SavedEvent& event) {
  return event.input.empty() ? "the video that it is about" : event.input;
}

// What these items and events of a file say, by the names of their inputs.
std::vector<Missing> missing_of(const SavedFile& file, const std::vector<std::size_t>& items,
                                const std::vector<std::size_t>& events) {
  std::map<std::string, Missing> missing;
  for (const std::size_t i : items) {
    const SavedItem& item = file.items[i];
    Missing& each = missing[missing_name(item)];
    each.boxes += static_cast<std::int64_t>(item.boxes.size());
    each.text = item.text;
    for (const SavedBox& box : item.boxes)
      if (box.score) each.greatest = std::max(each.greatest.value_or(*box.score), *box.score);
  }
  for (const std::size_t i : events) ++missing[missing_name(file.events[i])].events;
  std::vector<Missing> list;
  for (auto& [name, each] : missing) {
    each.name = name;
    list.push_back(std::move(each));
  }
  return list;
}

void check_labels(const std::string& path, std::size_t labels, const Input& input,
                  std::size_t faces) {
  if (labels != faces)
    throw FormatError(fmt::format("{}: {} for {}, which has {}; expected one per face", path,
                                  detail::counted(labels, "label"), input.name(),
                                  detail::counted(faces, "face")));
}

// The labels of a mesh's triangles, from a file with one label per face.
std::vector<std::int32_t> triangle_labels(const std::string& path, Input& input) {
  const std::shared_ptr<const io::TriangleMesh> mesh = input.mesh();
  const std::vector<std::int32_t> of_file = io::read_labels(path);
  check_labels(path, of_file.size(), input, static_cast<std::size_t>(mesh->file_faces()));
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
std::vector<SavedBox> evaluated_boxes(const report::EvaluatedInput& input,
                                      const std::vector<report::EvaluationCurve>& curves) {
  std::vector<SavedBox> boxes;
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

// The boxes of an item; those that are shares of the picture become boxes in its pixels.
std::vector<SavedBox> boxes_of(const SavedItem& item, Input& input, std::int64_t frame) {
  std::vector<SavedBox> boxes = item.boxes;
  if (!item.relative) return boxes;
  const auto picture = input.frame(static_cast<int>(frame));
  for (SavedBox& box : boxes)
    box.box = {picture->width() * box.box.x, picture->height() * box.box.y,
               picture->width() * box.box.width, picture->height() * box.box.height};
  return boxes;
}

// What is true about a video, like what a file says; nothing where nothing is known.
std::optional<Said> said_by(const Truth& truth, const Input* input, std::int64_t frame) {
  if (input == nullptr || input->kind() != InputKind::kVideo) return {};
  Said said;
  try {
    std::vector<SavedEvent> events = truth.events(*input);
    const auto people = truth.people(*input, frame);
    if (events.empty() && !people) return {};
    for (const people::Annotation& person : people.value_or(std::vector<people::Annotation>{}))
      said.boxes.push_back({.box = exact(person.box),
                            .label = person.ignore ? "does not count" : person.label,
                            .truth = true});
    said.add(std::move(events), frame);
  } catch (const Error& error) {
    said.text = error.what();
  }
  return said;
}

}  // namespace

void describe(FieldVisitor& visit, SavedBox& box) {
  visit("box", box.box, "pixels");
  visit("label", box.label, "what it is");
  visit("truth", box.truth, "whether someone is there, and was not found there");
  visit.optional("group", box.group, "the model that found it");
  visit("score", box.score, "what a threshold is compared with");
  visit("confidence", box.confidence, "from 0 to 1");
}

void describe(FieldVisitor& visit, SavedEvent& event) {
  visit("name", event.name, "what happens");
  visit("first", event.first, "frame");
  visit("last", event.last, "frame, which belongs to it");
  visit("truth", event.truth, "whether it really happens");
  visit("score", event.score, "what a threshold is compared with");
}

void SavedResults::add(SavedFile content, Inputs& inputs, const std::vector<std::string>& folders) {
  add(File{.content = std::move(content), .folders = folders}, inputs);
}

std::string SavedResults::add_sent(SavedFile content, Inputs& inputs) {
  const std::lock_guard lock(mutex_);
  const File& added = add(File{.content = std::move(content), .sent = true}, inputs);
  return added.found.empty() ? "" : *added.found.begin();
}

const SavedResults::File& SavedResults::add(File file, Inputs& inputs) {
  const std::lock_guard lock(mutex_);
  if (file.content.evaluation) add_evaluated_items(file);
  file.homeless_items.resize(file.content.items.size());
  file.homeless_events.resize(file.content.events.size());
  std::iota(file.homeless_items.begin(), file.homeless_items.end(), std::size_t{0});
  std::iota(file.homeless_events.begin(), file.homeless_events.end(), std::size_t{0});
  files_.push_back(std::move(file));
  place(files_.size() - 1, inputs);
  const File& placed = files_.back();
  const auto missing = missing_of(placed.content, placed.homeless_items, placed.homeless_events);
  if (!missing.empty() && !placed.sent)
    notes_.push_back(
        fmt::format("{}: {}", detail::shown(placed.content.path), missing_text(missing)));
  return placed;
}

void SavedResults::add_labels_inside(const Input& mesh, Inputs& inputs) {
  const std::string& path = mesh.path();
  if (mesh.kind() != InputKind::kMesh || !has_labels(path)) return;
  add({.path = path, .what = "parts", .items = {{.input = path, .parts = path}}}, inputs, {});
}

void SavedResults::look_again(Inputs& inputs) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (!files_[i].homeless_items.empty() || !files_[i].homeless_events.empty()) place(i, inputs);
}

// Places what has no input yet.
void SavedResults::place(std::size_t index, Inputs& inputs) {
  File& file = files_[index];
  // What stands in a folder of labels is beside them.
  const std::string& path = file.content.path;
  const bool folder = std::filesystem::is_directory(path);
  InputFinder find(inputs, folder ? path + "/labels" : path, file.folders, file.sent);
  if (file.content.evaluation) find_evaluated(file, find);
  place_items(index, find);
  place_events(index, find);
  file.summary = summary_of(file.content, file.found.size());
}

void SavedResults::show_truth(std::shared_ptr<const Truth> truth, const Inputs& inputs) {
  truth_ = std::move(truth);
  all_inputs_ = &inputs;
}

void SavedResults::find_evaluated(File& file, InputFinder& find) {
  file.evaluated.clear();
  for (const report::EvaluatedInput& input : file.content.evaluation->inputs) {
    std::vector<std::shared_ptr<Input>> there;
    for (const std::string& name : input.files)
      if (const auto found = find.named(name)) there.push_back(found);
    if (there.size() != input.files.size()) there.clear();
    file.evaluated.push_back(std::move(there));
  }
}

// What the inputs of an evaluation have becomes items as other files have them.
void SavedResults::add_evaluated_items(File& file) {
  const report::Evaluation& evaluation = *file.content.evaluation;
  for (const report::EvaluatedInput& input : evaluation.inputs) {
    if (input.files.empty()) continue;  // nobody named it, so that it is not looked for
    file.content.items.push_back({.input = input.files.front(),
                                  .frame = input.frame,
                                  .boxes = evaluated_boxes(input, curves_of(evaluation)),
                                  .motion = evaluation.system == "flow" ? input.truth : "",
                                  .parts = evaluation.system == "mesh" ? input.truth : ""});
  }
}

void SavedResults::place_items(std::size_t index, InputFinder& find) {
  File& file = files_[index];
  std::erase_if(file.homeless_items, [&](std::size_t i) {
    SavedItem& item = file.content.items[i];
    for (std::string* beside : {&item.motion, &item.parts})
      if (!beside->empty() && *beside != file.content.path)
        *beside = find.file(*beside).value_or("");
    std::shared_ptr<Input> input = item.input.empty() ? nullptr : find.named(item.input);
    if (!input && !item.stem.empty()) input = find.stemmed(item);
    else if (!input && item.input.empty()) input = find.fitting(item);
    if (!input) return false;
    file.found.insert(input->id());
    const std::int64_t frame = input->kind() == InputKind::kVideo ? item.frame : 0;
    places_[input->id()].emplace(frame, Place{index, i});
    inputs_[input->id()] = input;
    if (!item.motion.empty() || !item.parts.empty()) layered_[input->id()].push_back({index, i});
    return true;
  });
}

void SavedResults::place_events(std::size_t index, InputFinder& find) {
  File& file = files_[index];
  std::erase_if(file.homeless_events, [&](std::size_t i) {
    const SavedEvent& event = file.content.events[i];
    const std::shared_ptr<Input> input =
        event.input.empty() ? find.fitting({}) : find.named(event.input);
    if (!input || input->kind() != InputKind::kVideo) return false;
    file.found.insert(input->id());
    events_[input->id()][index].push_back(i);
    return true;
  });
}

std::string SavedResults::list_json() const {
  const std::lock_guard lock(mutex_);
  std::vector<ListedFile> list;
  for (const File& file : files_) {
    ListedFile listed{
        .name = short_name(file.content.path),
        .summary = file.summary,
        .evaluation = file.content.evaluation.has_value(),
        .missing = missing_of(file.content, file.homeless_items, file.homeless_events)};
    if (!listed.missing.empty())
      listed.summary += fmt::format(" {}.", missing_text(listed.missing));
    for (const SavedItem& item : file.content.items)
      for (const SavedBox& box : item.boxes) listed.add(box.score);
    for (const SavedEvent& event : file.content.events) listed.add(event.score);
    list.push_back(std::move(listed));
  }
  if (truth_)
    list.push_back({.name = short_name(truth_->path()),
                    .summary = "What is true about videos.",
                    .truth = true});
  return fmt::format("{{\"files\": {}}}", records_json(list));
}

std::vector<Layer> SavedResults::layers(std::string_view id) const {
  std::vector<Layer> layers;
  const auto places = layered_.find(id);
  if (places == layered_.end()) return layers;
  for (const Place& place : places->second) {
    const SavedItem& item = item_at(place);
    const bool truth = files_[place.file].content.evaluation.has_value();
    const std::string what = item.motion.empty() ? "parts" : "motion";
    const std::string file = short_name(item.motion.empty() ? item.parts : item.motion);
    const bool inside = !item.parts.empty() && item.parts == item.input;
    layers.push_back({.name = fmt::format("earlier-{}-{}", place.file, place.item),
                      .title = inside  ? "Parts of the file"
                               : truth ? "True " + what
                                       : "Earlier " + what,
                      .text = inside ? fmt::format("The parts that {} holds.", file)
                                     : fmt::format("From {}.", file),
                      .shown = inside});
  }
  return layers;
}

const SavedItem* SavedResults::layered_item(std::string_view id, std::string_view name) const {
  const std::vector<Layer> known = layers(id);
  const auto found = std::ranges::find(known, name, &Layer::name);
  if (found == known.end()) return nullptr;
  return &item_at(layered_.find(id)->second[static_cast<std::size_t>(found - known.begin())]);
}

std::shared_ptr<const Picture> SavedResults::layer(std::string_view id,
                                                   std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const SavedItem* item = layered_item(id, name);
  if (item == nullptr || item->motion.empty()) return nullptr;
  return pictures_.get(
      fmt::format("{}/{}", id, name),
      [&] {
        return std::make_shared<const Picture>(flow::wheel_picture(
            io::read_flow(item->motion), {.exec = {.device = Device::cpu(), .threads = 1}}));
      },
      [](const auto& picture) { return picture->bytes(); });
}

std::vector<report::Color> SavedResults::surface(std::string_view id, std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const SavedItem* item = layered_item(id, name);
  if (item == nullptr || item->parts.empty()) return {};
  Input& input = *inputs_.find(id)->second;
  if (item->labels.empty()) return mesh::part_colors(triangle_labels(item->parts, input));
  check_labels(item->parts, item->labels.size(), input, input.mesh()->faces.size());
  return mesh::part_colors(item->labels);
}

std::string SavedResults::input_json(std::string_view id, std::int64_t frame) const {
  const std::lock_guard lock(mutex_);
  std::vector<Said> said;
  if (const auto places = places_.find(id); places != places_.end()) {
    const auto [first, last] = places->second.equal_range(frame);
    for (auto each = first; each != last; ++each) {
      const SavedItem& item = item_at(each->second);
      said.push_back({.file = each->second.file,
                      .text = item.text,
                      .boxes = boxes_of(item, *inputs_.find(id)->second, frame),
                      .scores = item.scores});
    }
  }
  if (const auto files = events_.find(id); files != events_.end())
    for (const auto& [file, numbers] : files->second) {
      std::vector<SavedEvent> events;
      for (const std::size_t i : numbers) events.push_back(files_[file].content.events[i]);
      said.push_back({.file = file});
      said.back().add(std::move(events), frame);
    }
  if (truth_)
    if (auto truth = said_by(*truth_, all_inputs_->find(id).get(), frame)) {
      truth->file = files_.size();
      said.push_back(*std::move(truth));
    }
  std::vector<Layer> shown = layers(id);
  for (Layer& each : shown) each.picture = layer(id, each.name);
  return fmt::format("{{\"files\": {}, \"layers\": {}}}", records_json(said), records_json(shown));
}

std::string SavedResults::evaluation_json(std::size_t index) const {
  const std::lock_guard lock(mutex_);
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

std::string SavedResults::mistake_png(std::size_t index, std::size_t number, int side) const {
  const std::lock_guard lock(mutex_);
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
