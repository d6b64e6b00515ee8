// A model as a file: the tensors of the classifier (model_parts.h), the size of people in the
// window, and the facts of its training.
#include <fovea/io/models.h>
#include <fovea/people/model.h>

#include <fmt/format.h>

#include <array>

#include "core/words.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kFactPrefix = "people.";
constexpr const char* kCalibration = "calibration";

std::string schema_of(Kind kind) { return std::string("people.") + to_string(kind); }

Kind kind_of(const io::ModelReader& in) {
  std::string known;
  for (const Choice& choice : choices(Kind{})) {
    const Kind kind = static_cast<Kind>(choice.value);
    if (in.schema() == schema_of(kind)) return kind;
    known += (known.empty() ? "" : ", ") + schema_of(kind);
  }
  in.unfit(fmt::format("holds {}, expected one of {}", detail::shown(in.schema(), 60), known));
}

Extent window_of(const LinearModel& model) { return model.hog.window; }
template <class Classifier>
Extent window_of(const Classifier& model) {
  return {model.window.width, model.window.height};
}

void check_person(const Model& model, const io::ModelReader& in) {
  const bool fits = model.person_height > 0 && model.person_height <= 4 &&
                    model.person_aspect > 0 && model.person_aspect <= 4;
  if (!fits)
    in.unfit(
        fmt::format("a person of {} of the window's height and {} of that wide is impossible; "
                    "expected more than 0 and at most 4 for both",
                    model.person_height, model.person_aspect));
}

// Nothing in models that were not calibrated.
std::optional<Calibration> load_calibration(const io::ModelReader& in) {
  if (!in.file().has(kCalibration)) return {};
  const std::vector<float> numbers = in.floats(kCalibration, 2);
  if (numbers[0] < 0)
    in.unfit(
        fmt::format("{} has the slope {}, expected 0 or more: a higher score must not mean "
                    "less confidence",
                    kCalibration, numbers[0]));
  return Calibration{numbers[0], numbers[1]};
}

}  // namespace

std::span<const Choice> choices(Kind) {
  static constexpr std::array<Choice, 6> kChoices{
      {{"hog", static_cast<int>(Kind::kHog)},
       {"hog-cells", static_cast<int>(Kind::kHogCells)},
       {"hog-integral", static_cast<int>(Kind::kHogIntegral)},
       {"cascade", static_cast<int>(Kind::kCascade)},
       {"channels", static_cast<int>(Kind::kChannels)},
       {"filtered", static_cast<int>(Kind::kFiltered)}}};
  return kChoices;
}

const char* to_string(Kind kind) { return choices(kind)[static_cast<std::size_t>(kind)].word; }

Extent Model::window() const {
  return std::visit([](const auto& model) { return window_of(model); }, classifier);
}

Model Model::read(const std::string& path) { return parse_model(io::ModelFile::read(path)); }

std::shared_ptr<const Model> load_model(std::string_view name) {
  const std::string path = io::find_model(name, "people");
  return std::make_shared<const Model>(path.ends_with(".safetensors") ? Model::read(path)
                                                                      : import_model(path));
}

std::variant<LinearModel, CascadeModel, ChannelsModel, FilteredModel> load_classifier(
    Kind kind, const io::ModelReader& in) {
  if (kind == Kind::kCascade) return load_cascade(in);
  if (kind == Kind::kChannels) return load_channels(in);
  if (kind == Kind::kFiltered) return load_filtered(in);
  return load_linear(kind, in);
}

Model parse_model(const io::ModelFile& file) {
  const io::ModelReader in(file);
  Model model;
  model.kind = kind_of(in);
  file.require_schema(schema_of(model.kind), kVersion);
  file.require_finite();
  const std::vector<float> person = in.floats("person", 3);
  model.threshold = person[0];
  model.person_height = person[1];
  model.person_aspect = person[2];
  check_person(model, in);
  model.stride = in.number("stride", 1, 256);
  model.classifier = load_classifier(model.kind, in);
  model.calibration = load_calibration(in);
  model.facts = in.facts(kFactPrefix);
  return model;
}

void Model::write(const std::string& path) const {
  io::ModelFile file;
  file.set_schema(schema_of(kind), kVersion);
  io::add_floats(file, "person", {threshold, person_height, person_aspect});
  io::add_number(file, "stride", stride);
  if (calibration) io::add_floats(file, kCalibration, {calibration->slope, calibration->offset});
  std::visit([&](const auto& model) { save(file, model); }, classifier);
  io::add_facts(file, kFactPrefix, facts);
  file.write(path);
}

}  // namespace fovea::people
