// Boosted trees over filtered channels as tensors of a model file, and back.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "people/filtered/filter_cells.h"
#include "people/trees/tree_model.h"

namespace fovea::people {
namespace {

constexpr int kLeastDepth = 2, kMostDepth = 5;

std::string fault_of(const FilterBank& bank) {
  if (bank.filters < 1 || bank.filters > filtered::kMostFilters)
    return fmt::format("{} filters per channel; expected 1 to {}", bank.filters,
                       filtered::kMostFilters);
  const auto count = static_cast<std::size_t>(channels::kChannels) * bank.filters;
  if (bank.weights.size() != count * FilterBank::kTaps || bank.gain.size() != count ||
      bank.offset.size() != count)
    return fmt::format("{} weights, {} gains and {} offsets; expected those of {} filters",
                       bank.weights.size(), bank.gain.size(), bank.offset.size(), count);
  for (std::size_t f = 0; f < count; ++f) {
    int sum = 0;
    for (int t = 0; t < FilterBank::kTaps; ++t)
      sum += std::abs(int{bank.weights[f * FilterBank::kTaps + static_cast<std::size_t>(t)]});
    if (sum > filtered::kMostWeight)
      return fmt::format("a filter whose absolute weights add up to {}; expected at most {}", sum,
                         filtered::kMostWeight);
    if (bank.gain[f] < 0) return fmt::format("a gain of {}; expected 0 or more", bank.gain[f]);
  }
  return {};
}

std::string fault_of(const FilteredTrees& trees, std::uint32_t features) {
  if (trees.depth < kLeastDepth || trees.depth > kMostDepth)
    return fmt::format("trees of depth {}; expected {} to {}", trees.depth, kLeastDepth,
                       kMostDepth);
  const auto count = static_cast<std::size_t>(trees.count()),
             nodes = static_cast<std::size_t>(trees.nodes()),
             leaves = static_cast<std::size_t>(trees.leaves());
  if (count < 1 || count > kMostTrees)
    return fmt::format("{} trees; expected 1 to {}", count, kMostTrees);
  if (trees.feature.size() != count * nodes || trees.threshold.size() != count * nodes ||
      trees.leaf.size() != count * leaves)
    return fmt::format("{} features, {} thresholds and {} leaves; expected those of {} trees",
                       trees.feature.size(), trees.threshold.size(), trees.leaf.size(), count);
  for (const std::uint32_t feature : trees.feature)
    if (feature >= features)
      return fmt::format("a tree asks for feature {}; a window has {}", feature, features);
  return {};
}

// What is wrong with a model, or nothing.
std::string fault_of(const FilteredModel& model) {
  if (std::string fault = geometry_fault(model); !fault.empty()) return fault;
  if (std::string fault = fault_of(model.bank); !fault.empty()) return fault;
  const std::uint32_t features = feature_count(model, channels::kChannels * model.bank.filters);
  if (std::string fault = fault_of(model.trees, features); !fault.empty()) return fault;
  if (model.rejection.size() != static_cast<std::size_t>(model.trees.count()))
    return fmt::format("{} rejection sums; expected one for each of {} trees",
                       model.rejection.size(), model.trees.count());
  return {};
}

}  // namespace

void check_filtered(const FilteredModel& model) {
  if (const std::string fault = fault_of(model); !fault.empty())
    throw ModelError("filtered: " + fault);
}

void save(io::ModelFile& file, const FilteredModel& model) {
  const std::int64_t count = model.trees.count(), nodes = model.trees.nodes(),
                     leaves = model.trees.leaves(), filters = model.bank.filters;
  save_geometry(file, model);
  file.add("filter", {channels::kChannels, filters, FilterBank::kSide, FilterBank::kSide},
           model.bank.weights);
  file.add("gain", {channels::kChannels, filters}, model.bank.gain);
  file.add("offset", {channels::kChannels, filters}, model.bank.offset);
  file.add("feature", {count, nodes}, model.trees.feature);
  file.add("threshold", {count, nodes}, model.trees.threshold);
  file.add("leaf", {count, leaves}, model.trees.leaf);
  file.add("rejection", {count}, model.rejection);
}

FilteredModel load_filtered(const io::ModelReader& in) {
  FilteredModel model;
  const io::ModelFile& file = in.file();
  load_geometry(file, model);
  const auto weights = file.tensor<std::int8_t>(
      "filter", {channels::kChannels, io::kAnySize, FilterBank::kSide, FilterBank::kSide});
  const std::int64_t filters = file.shape("filter")[1];
  if (filters < 1 || filters > filtered::kMostFilters)
    in.unfit(
        fmt::format("{} filters per channel; expected 1 to {}", filters, filtered::kMostFilters));
  model.bank.filters = static_cast<int>(filters);
  const auto gain = file.tensor<std::int16_t>("gain", {channels::kChannels, filters}),
             offset = file.tensor<std::int16_t>("offset", {channels::kChannels, filters});
  model.bank.weights.assign(weights.begin(), weights.end());
  model.bank.gain.assign(gain.begin(), gain.end());
  model.bank.offset.assign(offset.begin(), offset.end());
  const auto leaf = file.tensor<std::int16_t>("leaf", {io::kAnySize, io::kAnySize});
  const std::int64_t leaves = file.shape("leaf")[1];
  model.trees.depth = 0;
  for (int depth = kLeastDepth; depth <= kMostDepth; ++depth)
    if (leaves == std::int64_t{1} << depth) model.trees.depth = depth;
  if (model.trees.depth == 0)
    in.unfit(fmt::format("trees of {} leaves; expected 4, 8, 16 or 32", leaves));
  const int count = in.row_count("leaf", 0, kMostTrees);
  const auto feature = file.tensor<std::uint32_t>("feature", {count, leaves - 1});
  const auto threshold = file.tensor<std::uint8_t>("threshold", {count, leaves - 1});
  const auto rejection = file.tensor<std::int32_t>("rejection", {count});
  model.trees.feature.assign(feature.begin(), feature.end());
  model.trees.threshold.assign(threshold.begin(), threshold.end());
  model.trees.leaf.assign(leaf.begin(), leaf.end());
  model.rejection.assign(rejection.begin(), rejection.end());
  if (const std::string fault = fault_of(model); !fault.empty()) in.unfit(fault);
  return model;
}

}  // namespace fovea::people
