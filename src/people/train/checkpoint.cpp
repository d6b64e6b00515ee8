#include "people/train/checkpoint.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace fovea::people {
namespace {

constexpr const char* kSchema = "people.checkpoint";
constexpr int kVersion = 1;

// "cost 0.1 then, 0.2 now" of the first setting that differs; empty where none can be named.
std::string difference(const std::string& then, const std::string& now) {
  const auto flat = [](const std::string& text) {
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    return parsed.is_object() ? parsed.flatten() : nlohmann::json::object();
  };
  const nlohmann::json before = flat(then), after = flat(now);
  for (const auto& [path, value] : after.items()) {
    const auto found = before.find(path);
    if (found == before.end() || *found == value) continue;
    const std::string name = path.substr(path.rfind('/') + 1);
    return fmt::format("{} {} then, {} now", name,
                       found->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                       value.dump());
  }
  return {};
}

std::string metadata_of(const io::ModelFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? std::string() : found->second;
}

}  // namespace

std::string settings_json(const TrainSettings& settings) {
  return fmt::format("{{\"kind\": \"{}\", \"window\": \"{}x{}\", \"options\": {}, \"seed\": {}{}}}",
                     to_string(settings.kind), settings.window.width, settings.window.height,
                     settings.options, settings.seed,
                     settings.sample_bytes > 0
                         ? fmt::format(", \"sample_bytes\": {}", settings.sample_bytes)
                         : "");
}

std::string data_text(const TrainSurvey& survey) {
  return fmt::format("{} positives {:08x}, {} negatives {:08x}", survey.positives.sizes.size(),
                     survey.positives.checksum, survey.negatives.sizes.size(),
                     survey.negatives.checksum);
}

Checkpoint::Checkpoint(std::string path, const TrainSettings& settings, const TrainSurvey& survey)
    : path_(std::move(path)),
      kind_(to_string(settings.kind)),
      settings_(settings_json(settings)),
      data_(data_text(survey)),
      negatives_(static_cast<int>(survey.negatives.sizes.size())) {}

std::optional<io::ModelFile> Checkpoint::read() const {
  if (path_.empty() || !std::filesystem::exists(path_)) return std::nullopt;
  io::ModelFile file = io::ModelFile::read(path_);
  file.require_schema(kSchema, kVersion);
  file.require_finite();
  const auto refuse = [&](const char* what, const std::string& detail) {
    throw InvalidArgument(fmt::format(
        "{}: this training was begun with {}{}; continue it with the same, or remove the file",
        path_, what, detail.empty() ? "" : " (" + detail + ")"));
  };
  const std::string kind = metadata_of(file, "kind"), settings = metadata_of(file, "settings"),
                    data = metadata_of(file, "data");
  if (kind != kind_) refuse("another kind", fmt::format("{} then, {} now", kind, kind_));
  if (settings != settings_) refuse("other options", difference(settings, settings_));
  if (data != data_) refuse("other images", fmt::format("{} then, {} now", data, data_));
  return file;
}

void Checkpoint::write(io::ModelFile file) const {
  if (path_.empty()) return;
  file.set_schema(kSchema, kVersion);
  file.set_metadata("kind", kind_);
  file.set_metadata("settings", settings_);
  file.set_metadata("data", data_);
  file.write(path_);
}

void Checkpoint::add_places(io::ModelFile& file, const std::vector<WindowPlace>& places) {
  std::vector<std::int32_t> numbers;
  for (const WindowPlace& place : places)
    numbers.insert(numbers.end(), {place.image, place.level, place.column, place.row});
  file.add("places", {static_cast<std::int64_t>(places.size()), 4}, numbers);
}

std::vector<WindowPlace> Checkpoint::places(const io::ModelFile& file,
                                            const std::function<ScanPlan(int)>& plan) const {
  const auto numbers = file.tensor<std::int32_t>("places", {io::kAnySize, 4});
  std::vector<WindowPlace> places;
  ScanPlan levels;
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    const WindowPlace place{numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]};
    const bool image = place.image >= 0 && place.image < negatives_;
    if (image && (places.empty() || places.back().image != place.image)) levels = plan(place.image);
    const bool level =
        image && place.level >= 0 && place.level < static_cast<int>(levels.levels.size());
    if (!level || place.column < 0 || place.row < 0 ||
        place.column >= levels.levels[static_cast<std::size_t>(place.level)].columns ||
        place.row >= levels.levels[static_cast<std::size_t>(place.level)].rows)
      damaged(fmt::format("window {} lies outside of the images", i / 4));
    places.push_back(place);
  }
  return places;
}

void Checkpoint::damaged(const std::string& what) const {
  throw ModelError(fmt::format("{}: {}; remove the file", path_, what));
}

}  // namespace fovea::people
