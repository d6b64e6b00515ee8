// Boosted trees over channels as tensors of a model file, and back.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "people/trees/tree_model.h"

namespace fovea::people {
namespace {

// What is wrong with a model, or nothing.
std::string fault_of(const ChannelsModel& model) {
  if (std::string fault = geometry_fault(model); !fault.empty()) return fault;
  if (model.trees.empty() || model.trees.size() > kMostTrees)
    return fmt::format("{} trees; expected 1 to {}", model.trees.size(), kMostTrees);
  if (model.rejection.size() != model.trees.size())
    return fmt::format("{} rejection sums; expected one for each of {} trees",
                       model.rejection.size(), model.trees.size());
  const std::uint32_t features = feature_count(model, channels::kChannels);
  for (const ChannelTree& tree : model.trees)
    for (const std::uint32_t feature : tree.feature)
      if (feature >= features)
        return fmt::format("a tree asks for feature {}; a window has {}", feature, features);
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
  save_geometry(file, model);
  file.add("feature", {count, 3}, feature);
  file.add("threshold", {count, 3}, threshold);
  file.add("leaf", {count, 4}, leaf);
  file.add("rejection", {count}, model.rejection);
}

ChannelsModel load_channels(const io::ModelReader& in) {
  ChannelsModel model;
  const io::ModelFile& file = in.file();
  load_geometry(file, model);
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
