// A linear classifier in a model file: the descriptor's options as text facts, which are read with
// the checks of the command line, and two tensors.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <string_view>

#include "people/hog/hog_layout.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr const char* kOldColor = "hog.colour";  // as version 0.1.0 spelled hog.color
constexpr std::size_t kLongestValue = 40;        // what stands there may end up in a message

std::string key_of(const OptionField& field) { return "hog." + std::string(field.name); }

HogOptions load_options(const io::ModelFile& file) {
  HogOptions hog;
  const auto& facts = file.metadata();
  try {
    for_each_option(hog, [&](const OptionField& field) {
      auto fact = facts.find(key_of(field));
      if (fact == facts.end() && field.name == "color") fact = facts.find(kOldColor);
      if (fact == facts.end())
        throw ModelError(fmt::format("model lacks the fact '{}'; expected a linear people model",
                                     key_of(field)));
      set_option(field, std::string_view(fact->second).substr(0, kLongestValue));
    });
    check_geometry(hog);
  } catch (const InvalidArgument& error) {
    throw ModelError(fmt::format("model describes an impossible descriptor: {}", error.what()));
  }
  return hog;
}

}  // namespace

void save(io::ModelFile& file, const LinearModel& model) {
  check_geometry(model.hog);
  const int size = descriptor_size(model.hog);
  if (model.weights.size() != static_cast<std::size_t>(size))
    throw InvalidArgument(fmt::format("linear model: {} weights; its descriptor has {} numbers",
                                      model.weights.size(), size));
  HogOptions hog = model.hog;
  for_each_option(
      hog, [&](const OptionField& field) { file.set_metadata(key_of(field), option_text(field)); });
  file.add("weights", {size}, model.weights);
  file.add("bias", {1}, std::span<const float>(&model.bias, 1));
}

void check_linear(Kind kind, const LinearModel& model) {
  const int size = descriptor_size(hog_of_kind(kind, model.hog));
  if (model.weights.size() != static_cast<std::size_t>(size))
    throw InvalidArgument(
        fmt::format("linear model: {} weights; the descriptor of {} has {} numbers",
                    model.weights.size(), to_string(kind), size));
}

LinearModel load_linear(Kind kind, const io::ModelFile& file) {
  LinearModel model;
  model.hog = hog_of_kind(kind, load_options(file));
  file.require_finite();
  model.weights = file.floats("weights", {descriptor_size(model.hog)});
  model.bias = file.floats("bias", {1}).front();
  return model;
}

}  // namespace fovea::people
