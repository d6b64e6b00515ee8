// A linear classifier in a model file: the options of the descriptor as text, which is read with
// the checks of the command line, and two tensors.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "people/hog/hog_layout.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr std::string_view kOptionPrefix = "hog.";

HogOptions load_options(const io::ModelReader& in) {
  HogOptions hog;
  for_each_option(hog, [&](const OptionField& field) {
    const bool stored = in.file().metadata().contains(std::string(kOptionPrefix) + field.name);
    if (stored || !is_later_option(field.name)) in.option(kOptionPrefix, field);
  });
  try {
    check_geometry(hog);
  } catch (const InvalidArgument& error) {
    in.unfit(fmt::format("describes an impossible descriptor: {}", error.what()));
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
  for_each_stored_option(
      model.hog, [&](const OptionField& field) { io::add_option(file, kOptionPrefix, field); });
  io::add_floats(file, "weights", model.weights);
  io::add_floats(file, "bias", {model.bias});
}

void check_linear(Kind kind, const LinearModel& model) {
  const int size = descriptor_size(hog_of_kind(kind, model.hog));
  if (model.weights.size() != static_cast<std::size_t>(size))
    throw InvalidArgument(
        fmt::format("linear model: {} weights; the descriptor of {} has {} numbers",
                    model.weights.size(), to_string(kind), size));
}

LinearModel load_linear(Kind kind, const io::ModelReader& in) {
  LinearModel model;
  model.hog = hog_of_kind(kind, load_options(in));
  in.file().require_finite();
  model.weights = in.floats("weights", descriptor_size(model.hog));
  model.bias = in.floats("bias", 1).front();
  return model;
}

}  // namespace fovea::people
