#include "people/train/checkpoint.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/words.h"
#include "io/model/model_reader.h"
#include "io/model/old_names.h"
#include "io/text/json_reader.h"

namespace fovea::people {
namespace {

constexpr const char* kSchema = "people.checkpoint";
constexpr int kCheckpointVersion = 1;

// Whether a setting is one that trainings of trees did without at first, with the value that leaves
// everything as it was. It counts as absent, so that such trainings can be continued.
bool is_as_before(std::string_view name, const nlohmann::json& value) {
  return (name == "jitter" && value == 0) || (name == "kept-weight" && value == 1) ||
         (name == "jitter-pixels" && value == 1) || (name == "jitter-ratio" && value == 1.05) ||
         (name == "jitter-resample" && value == false) || (name == "final-rounds" && value == 1) ||
         (name == "shrinkage" && value == 1);
}

// Settings by their paths, such as "/options/hog/bins". Those of version 0.1.0 get today's names.
nlohmann::json flat_settings(const std::string& text, const std::string& name) {
  nlohmann::json result = nlohmann::json::object();
  const nlohmann::json flat = io::parse_json(text, name).flatten();
  for (const auto& [path, value] : flat.items()) {
    const std::size_t last = path.rfind('/') + 1;
    if (is_as_before(path.substr(last), value)) continue;
    result[path.substr(0, last) + std::string(io::current_name(path.substr(last)))] = value;
  }
  return result;
}

// A text such as "cost 0.1 then, 0.2 now" for the first setting that differs; empty where none can
// be named.
std::string difference(const nlohmann::json& before, const nlohmann::json& after) {
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
  file.require_schema(kSchema, kCheckpointVersion);
  file.require_finite();
  const auto refuse = [&](const char* what, const std::string& detail) {
    throw InvalidArgument(fmt::format(
        "{}: this training was begun with {}{}; continue it with the same, or remove the file",
        path_, what, detail.empty() ? "" : " (" + detail + ")"));
  };
  const io::ModelReader in(file);
  const std::string &kind = in.fact("kind"), &data = in.fact("data");
  if (kind != kind_)
    refuse("another kind", fmt::format("{} then, {} now", detail::shown(kind, 40), kind_));
  const nlohmann::json settings = flat_settings(in.fact("settings"), path_ + ": settings"),
                       now = flat_settings(settings_, "settings");
  if (settings != now) refuse("other options", difference(settings, now));
  if (data != data_)
    refuse("other images", fmt::format("{} then, {} now", detail::shown(data), data_));
  return file;
}

void Checkpoint::write(io::ModelFile file) const {
  if (path_.empty()) return;
  file.set_schema(kSchema, kCheckpointVersion);
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
