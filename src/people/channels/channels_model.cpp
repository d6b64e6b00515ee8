// Boosted trees over channels as tensors of a model file, and back.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "people/channels/channels_math.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr int kMostTrees = 1 << 16;
constexpr int kMostWindow = 2048;

std::uint32_t feature_count(const ChannelsModel& model) {
  return static_cast<std::uint32_t>(model.window.width / model.shrink) *
         static_cast<std::uint32_t>(model.window.height / model.shrink) * channels::kChannels;
}

// What is wrong with a model, or nothing.
std::string fault_of(const ChannelsModel& model) {
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
  if (model.trees.empty() || model.trees.size() > kMostTrees)
    return fmt::format("{} trees; expected 1 to {}", model.trees.size(), kMostTrees);
  if (model.rejection.size() != model.trees.size())
    return fmt::format("{} rejection sums; expected one for each of {} trees",
                       model.rejection.size(), model.trees.size());
  for (const ChannelTree& tree : model.trees)
    for (const std::uint32_t feature : tree.feature)
      if (feature >= feature_count(model))
        return fmt::format("a tree asks for feature {}; a window has {}", feature,
                           feature_count(model));
  return {};
}

}  // namespace

void check_channels(const ChannelsModel& model) {
  if (const std::string fault = fault_of(model); !fault.empty())
    throw ModelError("channels: " + fault);
}

void save(io::ModelFile& file, const ChannelsModel& model) {
  const auto count = static_cast<std::int64_t>(model.trees.size());
  std::vector<std::uint32_t> feature;
  std::vector<std::uint8_t> threshold;
  std::vector<std::int16_t> leaf;
  for (const ChannelTree& tree : model.trees) {
    feature.insert(feature.end(), tree.feature.begin(), tree.feature.end());
    threshold.insert(threshold.end(), tree.threshold.begin(), tree.threshold.end());
    leaf.insert(leaf.end(), tree.leaf.begin(), tree.leaf.end());
  }
  file.add("geometry", {4},
           std::vector<std::int32_t>{model.window.width, model.window.height, model.shrink,
                                     model.exact_per_octave});
  file.add("decay", {channels::kChannels}, std::span<const float>(model.decay));
  file.add("feature", {count, 3}, feature);
  file.add("threshold", {count, 3}, threshold);
  file.add("leaf", {count, 4}, leaf);
  file.add("rejection", {count}, model.rejection);
}

ChannelsModel load_channels(const io::ModelReader& in) {
  ChannelsModel model;
  const io::ModelFile& file = in.file();
  const auto geometry = file.tensor<std::int32_t>("geometry", {4});
  model.window.width = geometry[0];
  model.window.height = geometry[1];
  model.shrink = geometry[2];
  model.exact_per_octave = geometry[3];
  const auto decay = file.tensor<float>("decay", {channels::kChannels});
  std::copy(decay.begin(), decay.end(), model.decay.begin());
  const auto feature = file.tensor<std::uint32_t>("feature", {io::kAnySize, 3});
  const int count = in.row_count("feature", 0, kMostTrees);
  const auto threshold = file.tensor<std::uint8_t>("threshold", {count, 3});
  const auto leaf = file.tensor<std::int16_t>("leaf", {count, 4});
  const auto rejection = file.tensor<std::int32_t>("rejection", {count});
  model.trees.resize(static_cast<std::size_t>(count));
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    std::copy_n(feature.begin() + static_cast<std::ptrdiff_t>(3 * t), 3,
                model.trees[t].feature.begin());
    std::copy_n(threshold.begin() + static_cast<std::ptrdiff_t>(3 * t), 3,
                model.trees[t].threshold.begin());
    std::copy_n(leaf.begin() + static_cast<std::ptrdiff_t>(4 * t), 4, model.trees[t].leaf.begin());
  }
  model.rejection.assign(rejection.begin(), rejection.end());
  if (const std::string fault = fault_of(model); !fault.empty()) in.unfit(fault);
  return model;
}

}  // namespace fovea::people
