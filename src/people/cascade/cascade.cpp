// The blocks that a cascade chooses from, and a cascade as tensors of a model file: the window, the
// stages, the classifiers of all stages one after another, and those of the ranking.
#include <fovea/core/error.h>
#include <fovea/people/cascade.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "people/cascade/cascade_check.h"
#include "people/cascade/cascade_math.h"
#include "people/model_parts.h"
#include "people/rejected.h"

namespace fovea::people {
namespace {

constexpr int kLargestWindow = 512;  // pixels per side: sums of a cell stay below 2^31
constexpr int kLeastBlock = 4;       // pixels per side: one patch per cell
constexpr int kMostStages = 1000;
constexpr int kMostClassifiers = 100000;

// The options of a cascade by name. Files of version 0.1.0 have a tensor `options` instead, with a
// 0 or 1 for each of them in this order.
struct Flags {
  bool color = false, graded = false, chained = false;
};
constexpr std::string_view kFlagPrefix = "cascade.";
void describe(OptionVisitor& visit, Flags& flags) {
  visit("color", flags.color, "");
  visit("graded", flags.graded, "");
  visit("chained", flags.chained, "");
}

Flags load_flags(const io::ModelReader& in) {
  Flags flags;
  if (in.file().has("options")) {
    const auto numbers = in.file().tensor<std::int32_t>("options", {3});
    for (const std::int32_t number : numbers)
      if (number < 0 || number > 1)
        in.unfit(fmt::format("options has the number {}, expected 0 or 1", number));
    flags = {numbers[0] == 1, numbers[1] == 1, numbers[2] == 1};
  } else {
    in.options(kFlagPrefix, flags);
  }
  return flags;
}

std::string classifier_fault(const CascadeModel& model, const BlockClassifier& c) {
  const Block& b = c.block;
  const auto even = [](int v) { return v % 2 == 0; };
  const bool fits = b.x >= 0 && b.y >= 0 && b.width >= kLeastBlock && b.height >= kLeastBlock &&
                    b.width <= model.window.width - b.x && b.height <= model.window.height - b.y;
  if (!fits || !even(b.x) || !even(b.y) || !even(b.width) || !even(b.height))
    return fmt::format(
        "the block {},{},{},{} is impossible, expected even numbers, sides of {} or more, and a "
        "place inside the window of {}x{}",
        b.x, b.y, b.width, b.height, kLeastBlock, model.window.width, model.window.height);
  if (c.weights.size() != cascade::kNumbers)
    return fmt::format("a block has {} weights, expected {}", c.weights.size(), cascade::kNumbers);
  const bool finite =
      std::isfinite(c.bias) && std::isfinite(c.vote) &&
      std::all_of(c.weights.begin(), c.weights.end(), [](float w) { return std::isfinite(w); });
  return finite ? "" : "a block has a weight, bias or vote that is not finite";
}

// Classifiers as tensors with the names `prefix` + blocks, weights and votes.
void save_classifiers(io::ModelFile& file, const std::string& prefix,
                      const std::vector<const BlockClassifier*>& classifiers) {
  std::vector<std::int16_t> blocks;
  blocks.reserve(4 * classifiers.size());
  std::vector<float> weights, votes;
  for (const BlockClassifier* c : classifiers) {
    const Block& block = c->block;
    for (const int number : {block.x, block.y, block.width, block.height})
      blocks.push_back(static_cast<std::int16_t>(number));
    weights.insert(weights.end(), c->weights.begin(), c->weights.end());
    votes.insert(votes.end(), {c->bias, c->vote});
  }
  const auto count = static_cast<std::int64_t>(classifiers.size());
  file.add(prefix + "blocks", {count, 4}, blocks);
  file.add(prefix + "weights", {count, cascade::kNumbers}, weights);
  file.add(prefix + "votes", {count, 2}, votes);
}

std::vector<BlockClassifier> load_classifiers(const io::ModelReader& in,
                                              const std::string& prefix) {
  const io::ModelFile& file = in.file();
  const auto blocks = file.tensor<std::int16_t>(prefix + "blocks", {io::kAnySize, 4});
  const int count = in.row_count(prefix + "blocks", 0, kMostClassifiers);
  const auto weights = file.tensor<float>(prefix + "weights", {count, cascade::kNumbers});
  const auto votes = file.tensor<float>(prefix + "votes", {count, 2});
  std::vector<BlockClassifier> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto own = weights.subspan(i * cascade::kNumbers, cascade::kNumbers);
    result[i] = {{blocks[4 * i], blocks[4 * i + 1], blocks[4 * i + 2], blocks[4 * i + 3]},
                 {own.begin(), own.end()},
                 votes[2 * i],
                 votes[2 * i + 1]};
  }
  return result;
}

}  // namespace

std::vector<Block> block_pool(Extent window) {
  std::vector<Block> pool;
  const auto add = [&](int width, int height, int step) {
    for (int y = 0; y + height <= window.height; y += step)
      for (int x = 0; x + width <= window.width; x += step) pool.push_back({x, y, width, height});
  };
  for (int side = 12; side <= std::min(window.width, window.height); side += 2) {
    const int step = side < 16 ? 4 : side < 24 ? 6 : 8;
    add(side, side, step);
    add(side, 2 * side, step);
    add(2 * side, side, step);
  }
  return pool;
}

std::size_t stages_passed(const CascadeModel& model, float score) {
  return static_cast<std::size_t>(stages_passed(static_cast<int>(model.stages.size()), score));
}

std::string cascade_fault(const CascadeModel& model) {
  const auto possible = [](int side) {
    return side >= kLeastBlock && side <= kLargestWindow && side % 2 == 0;
  };
  if (!possible(model.window.width) || !possible(model.window.height))
    return fmt::format("a window of {}x{} is impossible, expected even sides of {} to {} pixels",
                       model.window.width, model.window.height, kLeastBlock, kLargestWindow);
  if (model.stages.empty() || model.stages.size() > kMostStages)
    return fmt::format("{} stages, expected 1 to {}", model.stages.size(), kMostStages);
  for (const CascadeStage& stage : model.stages) {
    if (stage.classifiers.empty()) return "a stage has no blocks";
    if (!std::isfinite(stage.threshold)) return "a stage has a threshold that is not finite";
    for (const BlockClassifier& c : stage.classifiers)
      if (std::string fault = classifier_fault(model, c); !fault.empty()) return fault;
  }
  for (const BlockClassifier& c : model.ranking)
    if (std::string fault = classifier_fault(model, c); !fault.empty()) return fault;
  return "";
}

void check_cascade(const CascadeModel& model) {
  if (const std::string fault = cascade_fault(model); !fault.empty())
    throw InvalidArgument("cascade: " + fault);
}

void save(io::ModelFile& file, const CascadeModel& model) {
  check_cascade(model);
  std::vector<const BlockClassifier*> classifiers, ranking;
  std::vector<std::int32_t> sizes;
  std::vector<float> thresholds;
  for (const CascadeStage& stage : model.stages) {
    sizes.push_back(static_cast<std::int32_t>(stage.classifiers.size()));
    thresholds.push_back(stage.threshold);
    for (const BlockClassifier& c : stage.classifiers) classifiers.push_back(&c);
  }
  for (const BlockClassifier& c : model.ranking) ranking.push_back(&c);
  const auto stages = static_cast<std::int64_t>(sizes.size());
  file.add("window", {2}, std::vector<std::int32_t>{model.window.width, model.window.height});
  io::add_options(file, kFlagPrefix, Flags{model.color, model.graded, model.chained});
  file.add("stage_sizes", {stages}, sizes);
  file.add("stage_thresholds", {stages}, thresholds);
  save_classifiers(file, "", classifiers);
  save_classifiers(file, "ranking_", ranking);
}

CascadeModel load_cascade(const io::ModelReader& in) {
  CascadeModel model;
  const io::ModelFile& file = in.file();
  const auto window = file.tensor<std::int32_t>("window", {2});
  model.window.width = window[0];
  model.window.height = window[1];
  const Flags flags = load_flags(in);
  model.color = flags.color;
  model.graded = flags.graded;
  model.chained = flags.chained;
  const auto sizes = file.tensor<std::int32_t>("stage_sizes", {io::kAnySize});
  const auto thresholds =
      file.tensor<float>("stage_thresholds", {static_cast<std::int64_t>(sizes.size())});
  std::vector<BlockClassifier> classifiers = load_classifiers(in, "");
  std::size_t used = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto size = static_cast<std::size_t>(std::max(sizes[i], 0));
    if (size == 0 || size > classifiers.size() - used) break;
    CascadeStage stage{{}, thresholds[i]};
    for (std::size_t k = 0; k < size; ++k)
      stage.classifiers.push_back(std::move(classifiers[used++]));
    model.stages.push_back(std::move(stage));
  }
  if (model.stages.size() != sizes.size() || used != classifiers.size())
    in.unfit(fmt::format("the sizes of {} stages do not add up to {} blocks", sizes.size(),
                         classifiers.size()));
  model.ranking = load_classifiers(in, "ranking_");
  if (const std::string fault = cascade_fault(model); !fault.empty()) in.unfit(fault);
  return model;
}

}  // namespace fovea::people
