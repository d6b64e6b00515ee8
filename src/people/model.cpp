// A model as a file: the classifier's tensors (model_parts.h), how its people stand in the window,
// and the facts of its training.
#include <fovea/core/error.h>
#include <fovea/io/models.h>
#include <fovea/people/model.h>

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kFactPrefix = "people.";

std::string schema_of(Kind kind) { return std::string("people.") + to_string(kind); }

Kind kind_of(const io::ModelFile& file, const std::string& path) {
  const auto schema = file.metadata().find("schema");
  if (schema == file.metadata().end())
    throw ModelError(path + ": not a model of Fovea: it names no schema");
  std::string known;
  for (const Choice& choice : choices(Kind{})) {
    const Kind kind = static_cast<Kind>(choice.value);
    if (schema->second == schema_of(kind)) return kind;
    known += (known.empty() ? "" : ", ") + schema_of(kind);
  }
  throw ModelError(fmt::format("{}: holds \"{}\", expected one of {}", path,
                               schema->second.substr(0, 60), known));
}

std::variant<LinearModel, CascadeModel, ChannelsModel> load(Kind kind, const io::ModelFile& file) {
  if (kind == Kind::kCascade) return load_cascade(file);
  if (kind == Kind::kChannels) return load_channels(file);
  return load_linear(kind, file);
}

Extent window_of(const LinearModel& model) { return model.hog.window(); }
template <class Classifier>
Extent window_of(const Classifier& model) {
  return {model.window_width, model.window_height};
}

int stride_of(const io::ModelFile& file, const std::string& path) {
  const int stride = file.tensor<std::int32_t>("stride", {1})[0];
  if (stride < 1 || stride > 256)
    throw ModelError(fmt::format("{}: a stride of {} pixels, expected 1 to 256", path, stride));
  return stride;
}

void check_person(const Model& model, const std::string& path) {
  const bool fits = model.person_height > 0 && model.person_height <= 4 &&
                    model.person_aspect > 0 && model.person_aspect <= 4;
  if (!fits)
    throw ModelError(
        fmt::format("{}: a person of {} of the window's height and {} of that wide is "
                    "impossible",
                    path, model.person_height, model.person_aspect));
}

}  // namespace

std::span<const Choice> choices(Kind) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"hog", static_cast<int>(Kind::kHog)},
       {"hog-cells", static_cast<int>(Kind::kHogCells)},
       {"hog-integral", static_cast<int>(Kind::kHogIntegral)},
       {"cascade", static_cast<int>(Kind::kCascade)},
       {"channels", static_cast<int>(Kind::kChannels)}}};
  return kChoices;
}

const char* to_string(Kind kind) { return choices(kind)[static_cast<std::size_t>(kind)].word; }

Extent Model::window() const {
  return std::visit([](const auto& model) { return window_of(model); }, classifier);
}

Model Model::read(const std::string& path) { return parse_model(io::ModelFile::read(path), path); }

std::shared_ptr<const Model> load_model(std::string_view name) {
  const std::string path = io::find_model(name, "people");
  return std::make_shared<const Model>(path.ends_with(".safetensors") ? Model::read(path)
                                                                      : import_model(path));
}

Model parse_model(const io::ModelFile& file, const std::string& path) {
  Model model;
  model.kind = kind_of(file, path);
  file.require_schema(schema_of(model.kind), kVersion);
  file.require_finite();
  const auto person = file.tensor<float>("person", {3});
  model.threshold = person[0];
  model.person_height = person[1];
  model.person_aspect = person[2];
  check_person(model, path);
  model.stride = stride_of(file, path);
  model.classifier = load(model.kind, file);
  for (const auto& [key, value] : file.metadata()) {
    if (key.starts_with(kFactPrefix)) model.facts[key.substr(kFactPrefix.size())] = value;
  }
  return model;
}

void Model::write(const std::string& path) const {
  io::ModelFile file;
  file.set_schema(schema_of(kind), kVersion);
  file.add("person", {3}, std::vector<float>{threshold, person_height, person_aspect});
  file.add("stride", {1}, std::vector<std::int32_t>{stride});
  std::visit([&](const auto& model) { save(file, model); }, classifier);
  for (const auto& [key, value] : facts) file.set_metadata(std::string(kFactPrefix) + key, value);
  file.write(path);
}

}  // namespace fovea::people
