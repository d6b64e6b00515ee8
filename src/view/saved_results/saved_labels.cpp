// Folders of labels, one file per image or frame: YOLO's texts, labelme's JSON, and MOT texts of
// several videos.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "core/words.h"
#include "view/inputs.h"
#include "view/number.h"
#include "view/saved_results/saved_file.h"

namespace fovea::view {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClassNames = "classes.txt";  // of YOLO: a name per line, from class 0 on
constexpr std::size_t kMostLabelFiles = 1'000'000;
constexpr std::size_t kYoloNumbers = 5;  // class, center, width, height; then maybe a score

std::vector<std::string_view> words_in(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlank); at != line.npos;
       at = line.find_first_not_of(kBlank, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// The numbers of a line of YOLO; nothing where it is no such line. Places and sizes are shares of
// the image, of which boxes may reach out a little.
std::optional<std::array<double, kYoloNumbers + 1>> yolo_numbers(std::string_view line) {
  constexpr double kMostShare = 2, kMostClass = 1e6;
  const std::vector<std::string_view> words = words_in(line);
  if (words.size() != kYoloNumbers && words.size() != kYoloNumbers + 1) return {};
  std::array<double, kYoloNumbers + 1> numbers{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<double> number = number_of<double>(words[i]);
    if (!number) return {};
    if (i > 0 && i < kYoloNumbers && std::abs(*number) > kMostShare) return {};
    numbers[i] = *number;
  }
  if (numbers[0] < 0 || numbers[0] > kMostClass || numbers[0] != std::floor(numbers[0]) ||
      numbers[3] < 0 || numbers[4] < 0)
    return {};
  return numbers;
}

std::vector<std::string> lines_of(std::string_view text) {
  const std::vector<std::string_view> parts = detail::split(text, '\n');
  std::vector<std::string> lines;
  lines.reserve(parts.size());
  for (const std::string_view line : parts)
    lines.emplace_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string class_name(std::size_t number, const std::vector<std::string>& names) {
  if (number < names.size()) return names[number];
  return number == 0 ? "" : fmt::format("class {}", number);
}

// One file of a folder. A text without lines is YOLO's about an image without objects, and one of
// tracks is about the video of its name.
SavedFile labels_in(const std::string& file, const std::vector<std::string>& classes) {
  const std::string text = read_saved_text(file);
  if (!ends_in(file, {"txt"})) return parse_saved_json(text, file);
  if (is_yolo_text(text) || lines_of(text).empty())
    return {.path = file, .what = "YOLO labels", .items = {parse_yolo(text, file, classes)}};
  SavedFile tracks = parse_saved_tracks(text, file);
  for (SavedItem& item : tracks.items) item.stem = fs::path(file).stem().string();
  return tracks;
}

}  // namespace

bool is_yolo_text(std::string_view text) {
  const std::vector<std::string> lines = lines_of(text);
  const auto first =
      std::ranges::find_if(lines, [](const std::string& line) { return !line.empty(); });
  return first != lines.end() && yolo_numbers(*first).has_value();
}

SavedItem parse_yolo(std::string_view text, const std::string& name,
                     const std::vector<std::string>& classes) {
  SavedItem item{.stem = fs::path(name).stem().string(), .relative = true};
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.empty()) continue;
    const auto numbers = yolo_numbers(line);
    if (!numbers)
      throw FormatError(
          fmt::format("{}: line {}: \"{}\", expected YOLO's class, center and size of a box, as "
                      "shares of the image",
                      name, number, detail::shown(line, 60)));
    const auto& [kind, x, y, width, height, score] = *numbers;
    SavedBox box{.box = {x - width / 2, y - height / 2, width, height},
                 .label = class_name(static_cast<std::size_t>(kind), classes)};
    if (words_in(line).size() > kYoloNumbers) box.score = score;
    item.boxes.push_back(std::move(box));
  }
  return item;
}

bool is_saved_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  bool labels = false;
  for (fs::directory_iterator each(path, error), end; !error && each != end;
       each.increment(error)) {
    const std::string file = each->path().string();
    if (each->is_directory(error) || is_input_name(file)) return false;
    labels = labels || ends_in(file, {"txt", "json"});
  }
  return labels;
}

SavedFile read_saved_folder(const std::string& path) {
  SavedFile all{.path = path, .what = "Labels"};
  const std::string named = (fs::path(path) / kClassNames).string();
  std::vector<std::string> classes;
  if (fs::exists(named)) classes = lines_of(read_saved_text(named));
  const std::vector<std::string> files = files_in(path, {"txt", "json"});
  if (files.size() > kMostLabelFiles)
    throw FormatError(fmt::format("{}: has more than {} files of labels, which is the most",
                                  detail::shown(path), kMostLabelFiles));
  for (const std::string& file : files) {
    if (file == named) continue;
    SavedFile one = labels_in(file, classes);
    if (one.evaluation || !one.events.empty())
      throw FormatError(
          fmt::format("{}: is no file of labels; name it alone", detail::shown(file)));
    all.what = one.what;
    std::ranges::move(one.items, std::back_inserter(all.items));
  }
  return all;
}

}  // namespace fovea::view
