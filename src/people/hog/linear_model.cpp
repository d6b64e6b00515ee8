// A linear classifier in a model file: the options of the descriptor as text, which is read with
// the checks of the command line, and two tensors.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <string_view>

#include "people/hog/hog_layout.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr std::string_view kOptionPrefix = "hog.";

HogOptions load_options(const io::ModelReader& in) {
  HogOptions hog;
  in.options(kOptionPrefix, hog);
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
  io::add_options(file, kOptionPrefix, model.hog);
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
