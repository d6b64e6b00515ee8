// Boosted trees of depth two over ten channels.
#include "people/train/train_trees.h"

namespace fovea::people {
namespace {

struct ChannelsTraits {
  using Model = ChannelsModel;
  using Options = ChannelsTrainOptions;
  static constexpr Kind kKind = Kind::kChannels;

  static int depth(const Options&) { return 2; }
  static double mining_rejection(const Options& options) { return options.rejection; }
  static Model load(const io::ModelReader& in) { return load_channels(in); }
  static void prepare(Model& model, ChannelWindows& windows, const Options&) {
    model.decay = windows.decay();
  }
  static void use(const Model& model, ChannelWindows& windows) { windows.use(pyramid_of(model)); }
  static void set_trees(Model& model, const FilteredTrees& trees) {
    model.trees.assign(static_cast<std::size_t>(trees.count()), {});
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      ChannelTree& tree = model.trees[t];
      std::copy_n(trees.feature.begin() + static_cast<std::ptrdiff_t>(3 * t), 3,
                  tree.feature.begin());
      std::copy_n(trees.threshold.begin() + static_cast<std::ptrdiff_t>(3 * t), 3,
                  tree.threshold.begin());
      std::copy_n(trees.leaf.begin() + static_cast<std::ptrdiff_t>(4 * t), 4, tree.leaf.begin());
    }
  }
};

}  // namespace

void describe(OptionVisitor& visit, ChannelsTrainOptions& options) {
  visit("trees", options.trees, "number of trees of the full rounds", 64, 65536);
  describe_samples(visit, options);
  describe_search(visit, options);
}

Model train_channels(const TrainData& data, const ChannelsTrainOptions& options) {
  return train_boosted<ChannelsTraits>(data, options);
}

}  // namespace fovea::people
