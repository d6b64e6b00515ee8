#include "view/saved_results/saved_file.h"

#include <fovea/core/error.h>
#include <fovea/io/csv_reader.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/parquet_reader.h>
#include <fovea/people/mot.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "core/words.h"
#include "view/inputs.h"
#include "view/number.h"

namespace fovea::view {
namespace {

constexpr std::uintmax_t kMostTextBytes = std::uintmax_t{1} << 30;  // of one file of results

double number_in(const io::CsvTable& table, const io::CsvRow& row, std::size_t column) {
  const std::string& text = row.fields[column];
  const std::optional<double> value = number_of<double>(text);
  if (!value)
    table.fail(row, fmt::format("{} is \"{}\", expected a number", table.columns[column],
                                detail::shown(text, 40)));
  return *value;
}

// The columns of boxes, as people detect and people track write them.
struct BoxColumns {
  std::size_t input = 0;
  std::array<std::size_t, 4> sides{};
  std::optional<std::size_t> frame{}, id{}, score{};
};

std::optional<BoxColumns> box_columns(const io::CsvTable& table) {
  const auto input = table.column("input");
  if (!input) return {};
  BoxColumns columns{.input = *input,
                     .frame = table.column("frame"),
                     .id = table.column("id"),
                     .score = table.column("score")};
  constexpr std::array<const char*, 4> kSides{"x", "y", "width", "height"};
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const auto side = table.column(kSides[i]);
    if (!side) return {};
    columns.sides[i] = *side;
  }
  return columns;
}

SavedBox box_of(const io::CsvTable& table, const io::CsvRow& row, const BoxColumns& columns) {
  const auto side = [&](std::size_t i) { return number_in(table, row, columns.sides[i]); };
  SavedBox box{.box = {side(0), side(1), side(2), side(3)}};
  if (columns.score) box.score = number_in(table, row, *columns.score);
  if (columns.id) box.label = row.fields[*columns.id];
  return box;
}

// Rows of one image or frame follow each other.
std::vector<SavedItem> boxes_of(const io::CsvTable& table, const BoxColumns& columns) {
  std::vector<SavedItem> items;
  for (const io::CsvRow& row : table.rows) {
    const std::string& input = row.fields[columns.input];
    const bool framed = columns.frame && !row.fields[*columns.frame].empty();
    const auto frame =
        framed ? static_cast<std::int64_t>(number_in(table, row, *columns.frame)) : 0;
    if (items.empty() || items.back().input != input || items.back().frame != frame)
      items.push_back({.input = input, .frame = frame});
    items.back().boxes.push_back(box_of(table, row, columns));
  }
  return items;
}

void sort_scores(SavedItem& item) {
  std::ranges::stable_sort(item.scores, std::greater{}, &std::pair<std::string, double>::second);
}

// "file,class,beach,forest,...": the scores of all classes follow the class.
std::vector<SavedItem> classes_of(const io::CsvTable& table, std::size_t file, std::size_t name) {
  std::vector<SavedItem> items;
  for (const io::CsvRow& row : table.rows) {
    SavedItem item{.input = row.fields[file],
                   .text = fmt::format("The class is {}.", row.fields[name])};
    for (std::size_t i = std::max(file, name) + 1; i < row.fields.size(); ++i)
      if (const auto value = number_of<double>(row.fields[i]))
        item.scores.emplace_back(table.columns[i], *value);
    sort_scores(item);
    items.push_back(std::move(item));
  }
  return items;
}

// Tracks have identities; files of detections, in the same form, have none.
std::vector<people::MotBox> mot_boxes(std::string_view text, const std::string& name) {
  const auto bytes = std::as_bytes(std::span(text));
  try {
    return people::parse_mot(bytes, name, {.pedestrians = false});
  } catch (const FormatError&) {
    return people::parse_mot(bytes, name, {.identities = false, .pedestrians = false});
  }
}

// Whether a text has an object on its first line and another one behind it.
bool has_json_lines(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  return first.starts_with('{') &&
         first.substr(0, first.find_last_not_of(" \t\r") + 1).ends_with('}') &&
         text.find("\n{", first.size()) != text.npos;
}

// What a table of boxes was written by.
std::string writer_of(const io::CsvTable& table, const BoxColumns& columns) {
  if (table.column("region")) return "emd map";
  return columns.id ? "people track" : "people detect";
}

[[noreturn]] void throw_no_results(const std::string& name) {
  throw FormatError(
      fmt::format("{}: has neither the columns input, x, y, width and height of boxes nor file and "
                  "class of classified inputs",
                  name));
}

SavedFile saved_table(const io::CsvTable& table) {
  if (const auto columns = box_columns(table))
    return {
        .path = table.name, .what = writer_of(table, *columns), .items = boxes_of(table, *columns)};
  const auto file = table.column("file"), found = table.column("class");
  if (file && found)
    return {.path = table.name, .what = "classes", .items = classes_of(table, *file, *found)};
  throw_no_results(table.name);
}

// The columns of a table that saved_table() looks at.
std::vector<std::string> used_columns(const io::CsvTable& titles) {
  if (box_columns(titles))
    return {"input", "x", "y", "width", "height", "frame", "id", "score", "region"};
  const auto file = titles.column("file"), found = titles.column("class");
  if (!file || !found) throw_no_results(titles.name);
  std::vector<std::string> used{"file", "class"};
  for (std::size_t i = std::max(*file, *found) + 1; i < titles.columns.size(); ++i)
    used.push_back(titles.columns[i]);
  return used;
}

}  // namespace

std::string read_saved_text(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw IoError(fmt::format("{}: cannot be opened", detail::shown(path)));
  if (size > kMostTextBytes)
    throw FormatError(fmt::format("{}: has {} MiB, and the view reads results of at most {}",
                                  detail::shown(path), size >> 20, kMostTextBytes >> 20));
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_saved_file(std::string_view path) {
  return ends_in(path, {"json", "jsonl", "csv", "parquet", "txt", "flo", "seg"});
}

bool names_inputs(const SavedFile& file) {
  return std::ranges::none_of(file.items, &std::string::empty, &SavedItem::input) &&
         std::ranges::none_of(file.events, &std::string::empty, &SavedEvent::input);
}

SavedFile parse_saved_table(std::string_view text, const std::string& name) {
  return saved_table(io::parse_csv(text, name));
}

SavedFile parse_saved_parquet(std::string_view bytes, const std::string& name) {
  const io::CsvTable titles{.name = name, .columns = io::parquet_columns(bytes, name)};
  return saved_table(io::parse_parquet(bytes, name, used_columns(titles)));
}

SavedFile parse_saved_tracks(std::string_view text, const std::string& name) {
  const std::vector<people::MotBox> boxes = mot_boxes(text, name);
  SavedFile file{.path = name, .what = "MOT challenge text"};
  for (const people::MotBox& box : boxes) {
    if (file.items.empty() || file.items.back().frame != box.frame)
      file.items.push_back({.frame = box.frame});
    file.items.back().boxes.push_back(
        {.box = box.box, .label = box.id < 0 ? "" : std::to_string(box.id), .score = box.score});
  }
  return file;
}

SavedFile read_saved(const std::string& path) {
  if (!std::filesystem::exists(path))
    throw IoError(fmt::format("{}: there is no such file", detail::shown(path)));
  if (std::filesystem::is_directory(path)) return read_saved_folder(path);
  if (ends_in(path, {"flo"})) {
    (void)io::read_flow(path);  // a damaged file is refused now, not when it is looked at
    return {.path = path, .what = "motion", .items = {{.motion = path}}};
  }
  if (ends_in(path, {"seg", "ply"})) {
    (void)io::read_labels(path);
    return {.path = path, .what = "parts", .items = {{.parts = path}}};
  }
  const std::string text = read_saved_text(path);
  if (ends_in(path, {"csv"})) return parse_saved_table(text, path);
  if (ends_in(path, {"parquet"})) return parse_saved_parquet(text, path);
  if (ends_in(path, {"txt"}) && is_yolo_text(text))
    return {.path = path, .what = "YOLO labels", .items = {parse_yolo(text, path)}};
  if (ends_in(path, {"txt"})) return parse_saved_tracks(text, path);
  if (ends_in(path, {"jsonl"}) || has_json_lines(text)) return parse_saved_lines(text, path);
  return parse_saved_json(text, path);
}

}  // namespace fovea::view
