// The part of a model file that models of channels and of filtered channels share: the window and
// how the channels of its levels are computed.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "people/channels/channels_math.h"
#include "people/model_parts.h"

namespace fovea::people {

constexpr int kMostTrees = 1 << 16;

// What is wrong with the geometry of a model, or nothing.
template <class Model>
std::string geometry_fault(const Model& model) {
  constexpr int kMostWindow = 2048;
  const auto side = [&](int pixels) {
    return pixels >= channels::kCell && pixels <= kMostWindow && pixels % channels::kCell == 0;
  };
  if (model.shrink != channels::kCell)
    return fmt::format("cells of {} pixels; only {} is known", model.shrink, channels::kCell);
  if (!side(model.window.width) || !side(model.window.height))
    return fmt::format("a window of {}x{}; sides must be multiples of {} up to {}",
                       model.window.width, model.window.height, channels::kCell, kMostWindow);
  if (model.exact_per_octave < 0 || model.exact_per_octave > 64)
    return fmt::format("{} exact sizes an octave; expected 0 to 64", model.exact_per_octave);
  for (const float value : model.decay)
    if (!std::isfinite(value) || std::abs(value) > 4)
      return fmt::format("a decay of {}; expected -4 to 4", value);
  return {};
}

// The number of features of a window with so many values per cell.
template <class Model>
std::uint32_t feature_count(const Model& model, int values) {
  return static_cast<std::uint32_t>(model.window.width / model.shrink) *
         static_cast<std::uint32_t>(model.window.height / model.shrink) *
         static_cast<std::uint32_t>(values);
}

template <class Model>
void save_geometry(io::ModelFile& file, const Model& model) {
  file.add("geometry", {4},
           std::vector<std::int32_t>{model.window.width, model.window.height, model.shrink,
                                     model.exact_per_octave});
  file.add("decay", {channels::kChannels}, std::span<const float>(model.decay));
}

template <class Model>
void load_geometry(const io::ModelFile& file, Model& model) {
  const auto geometry = file.tensor<std::int32_t>("geometry", {4});
  model.window = {geometry[0], geometry[1]};
  model.shrink = geometry[2];
  model.exact_per_octave = geometry[3];
  const auto decay = file.tensor<float>("decay", {channels::kChannels});
  std::copy(decay.begin(), decay.end(), model.decay.begin());
}

}  // namespace fovea::people
