// Boosted trees over channels that filters have decorrelated. The filters are learned first, from
// all positives and as many random windows of negatives.
#include "people/train/train_filters.h"
#include "people/train/train_trees.h"

namespace fovea::people {
namespace {

struct FilteredTraits {
  using Model = FilteredModel;
  using Options = FilteredTrainOptions;
  static constexpr Kind kKind = Kind::kFiltered;

  static int depth(const Options& options) { return options.depth; }
  static double mining_rejection(const Options& options) { return options.mining_rejection; }
  static Model load(const io::ModelReader& in) { return load_filtered(in); }
  static void prepare(Model& model, ChannelWindows& windows, const Options& options) {
    model.decay = windows.decay();
    windows.use(pyramid_of(model));
    std::vector<std::uint8_t> samples = windows.positives(options.mirror, {});
    const std::vector<std::uint8_t> negatives = windows.negatives(windows.choose(
        static_cast<int>(samples.size() / static_cast<std::size_t>(windows.features()))));
    samples.insert(samples.end(), negatives.begin(), negatives.end());
    model.bank = learn_filters(
        samples, {model.window.width / channels::kCell, model.window.height / channels::kCell},
        options.filters);
  }
  static void use(const Model& model, ChannelWindows& windows) {
    windows.use(pyramid_of(model), &model.bank);
  }
  static void set_trees(Model& model, FilteredTrees trees) { model.trees = std::move(trees); }
};

}  // namespace

void describe(OptionVisitor& visit, FilteredTrainOptions& options) {
  visit("trees", options.trees, "number of trees of the full rounds", 64, 65536);
  visit("depth", options.depth, "decisions from the root of a tree to its leaves", 2, 5);
  visit("filters", options.filters, "number of filters per channel", 1, filtered::kMostFilters);
  describe_samples(visit, options);
  visit("mining-rejection", options.mining_rejection, "the same while negatives are searched", -7,
        0);
  describe_search(visit, options);
}

Model train_filtered(const TrainData& data, const FilteredTrainOptions& options) {
  Model model = train_boosted<FilteredTraits>(data, options);
  auto& rejection = std::get<FilteredModel>(model.classifier).rejection;
  rejection.assign(rejection.size(), rejection_sum<FilteredModel>(options.rejection, options));
  return model;
}

}  // namespace fovea::people
