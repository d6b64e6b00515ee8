// Boosted trees of depth two over ten channels.
#include "people/train/train_trees.h"

namespace fovea::people {
namespace {

// Scores grow with the number of trees. On images of half a megapixel that were not learned from,
// this threshold lets one false positive pass in twenty images.
constexpr float kThresholdPerTree = 0.005F;

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
  static std::unique_ptr<Scanner> scanner(const Model& model, bool cuda) {
    return cuda ? cuda::make_channels_scanner(model) : cpu::make_channels_scanner(model);
  }
};

}  // namespace

void describe(OptionVisitor& visit, ChannelsTrainOptions& options) {
  visit("trees", options.trees, "number of trees of the last of four rounds", 64, 65536);
  visit("negatives-per-round", options.negatives_per_round,
        "the most new windows without a person in a round", 1, 1000000);
  visit("most-negatives", options.most_negatives,
        "the most windows without a person that a round learns from", 1, 1000000);
  visit("negatives-per-image", options.negatives_per_image,
        "the most new windows from one negative", 1, 100000);
  visit("feature-share", options.feature_share,
        "share of the features that each node may choose from", 1e-4, 1);
  visit("kept-weight", options.kept_weight,
        "share of all weight of the samples that a tree learns from, the greatest weights first; "
        "less is faster",
        0.5, 1);
  visit("rejection", options.rejection,
        "score below which a window is rejected before all trees are evaluated", -7, 0);
  visit("enlarge", options.enlarge,
        "search the negatives from this many times their size downwards", 1, 8);
  visit("ratio", options.ratio,
        "size of a pyramid level divided by the size of the next, in the search of negatives", 1.01,
        4);
  visit(
      "exact-per-octave", options.exact_per_octave,
      "number of levels per octave whose channels are computed from pixels; 0 computes all levels",
      0, 64);
  visit("mirror", options.mirror, "also learn the mirror image of every positive",
        {.off_help = "learn from the positives as they are, without their mirror images"});
  visit(
      "jitter", options.jitter,
      "also learn so many copies of every positive, moved by up to a pixel and resized by up to 5 "
      "%",
      0, 100);
}

Model train_channels(const TrainData& data, const ChannelsTrainOptions& options) {
  check_options(options);
  resolve(options.exec.device);  // throws at once where the device does not exist
  TreeTraining<ChannelsTraits> training(data, options);
  Model model;
  model.kind = Kind::kChannels;
  model.person_height = kTreePersonHeight;
  model.stride = channels::kCell;
  model.threshold = kThresholdPerTree * static_cast<float>(options.trees);
  model.classifier = training.train();
  model.facts = training.facts();
  return model;
}

}  // namespace fovea::people
