// The votes of boosted trees for one window, tree by tree up to the one that rejects it, from the
// cells that the search itself reads.
#include <algorithm>
#include <cstdlib>

#include "people/channels/channel_levels.h"
#include "people/explain/window_parts.h"
#include "people/filtered/filter_cells.h"
#include "people/trees/scan_trees.h"

namespace fovea::people {
namespace {

constexpr double kUnit = 1.0 / ChannelsModel::kScoreUnit;

// The cells of the window's level, in memory of their own.
class LevelCells {
 public:
  LevelCells(const SearchedWindow& window, const ChannelPyramid& pyramid, const Exec& exec) {
    levels_.start(window.image, window.plan, pyramid);
    levels_.make_exact(levels_.sources()[static_cast<std::size_t>(window.hit.level)], exact_, exec);
    made_ = levels_.make_level(window.hit.level, exact_, space_, exec);
    const int step = std::max(1, window.plan.stride / channels::kCell);
    row_ = made_.first_row + (window.level().first_row + window.hit.row) * step;
    column_ = made_.first_column + window.hit.column * step;
  }
  const ChannelCells& cells() const { return *made_.cells; }
  int row() const { return row_; }
  int column() const { return column_; }

 private:
  cpu::ChannelLevels levels_;
  cpu::ExactSpace exact_;
  cpu::LevelSpace space_;
  cpu::ChannelLevels::Level made_{};
  int row_ = 0;  // of the window's first cell
  int column_ = 0;
};

// A feature of a tree: one cell of one line, which is a channel or a filtered channel.
struct Feature {
  int line, row, column;
};
Feature feature_of(std::uint32_t index, Extent window) {
  const auto columns = static_cast<std::uint32_t>(window.width / channels::kCell),
             rows = static_cast<std::uint32_t>(window.height / channels::kCell);
  return {static_cast<int>(index / columns / rows), static_cast<int>(index / columns % rows),
          static_cast<int>(index % columns)};
}

Rect<int> cell_at(int column, int row) {
  return {column * channels::kCell, row * channels::kCell, channels::kCell, channels::kCell};
}

// Adds the votes of trees one by one.
class TreeVotes {
 public:
  TreeVotes(const SearchedWindow& window, Extent size, WindowExplanation& to)
      : window_(window), heat_(size), to_(to) {}

  void test(int channel, int filter, const Feature& feature, int value, int threshold) {
    const Rect<int> cell = cell_at(feature.column, feature.row);
    tests_.push_back(
        {channel, filter,
         window_.in_image({static_cast<double>(cell.x), static_cast<double>(cell.y),
                           static_cast<double>(cell.width), static_cast<double>(cell.height)}),
         value, threshold});
    features_.push_back(feature);
  }
  // Ends a tree. `spread` gives a test's share to the cells that it saw. Returns whether the window
  // goes on.
  template <class Spread>
  bool vote(int leaf, int rejection, Spread spread) {
    sum_ += leaf;
    const double value = leaf * kUnit, share = value / static_cast<double>(tests_.size());
    for (std::size_t i = 0; i < tests_.size(); ++i) spread(tests_[i], features_[i], share, heat_);
    to_.trees.push_back({static_cast<int>(to_.trees.size()), value, sum_ * kUnit, rejection * kUnit,
                         std::move(tests_)});
    tests_.clear();
    features_.clear();
    const bool goes_on = sum_ >= rejection;
    if (goes_on) ++to_.passed;
    return goes_on;
  }
  void finish(int trees) {
    to_.steps = trees;
    to_.sum = sum_ * kUnit;
    to_.heat = heat_.image();
  }

 private:
  const SearchedWindow& window_;
  WindowHeat heat_;
  WindowExplanation& to_;
  int sum_ = 0;
  std::vector<CellTest> tests_{};
  std::vector<Feature> features_{};
};

// A test of a filtered cell saw the cells under the filter, each by its weight.
void spread_filter(const FilterBank& bank, const CellTest& test, const Feature& feature,
                   double share, WindowHeat& heat) {
  const std::int8_t* weights =
      bank.weights.data() +
      static_cast<std::ptrdiff_t>(test.channel * bank.filters + test.filter) * FilterBank::kTaps;
  int total = 0;
  for (int k = 0; k < FilterBank::kTaps; ++k) total += std::abs(int{weights[k]});
  if (total == 0) return heat.add(cell_at(feature.column, feature.row), share);
  for (int k = 0; k < FilterBank::kTaps; ++k) {
    const int column = feature.column + k % FilterBank::kSide - filtered::kReach,
              row = feature.row + k / FilterBank::kSide - filtered::kReach;
    heat.add(cell_at(column, row), share * std::abs(int{weights[k]}) / total);
  }
}

}  // namespace

void explain_channels(const ChannelsModel& model, const SearchedWindow& window, const Exec& exec,
                      WindowExplanation& to) {
  const LevelCells level(window, pyramid_of(model), exec);
  TreeVotes votes(window, model.window, to);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const ChannelTree& tree = model.trees[t];
    std::size_t node = 0;
    const auto goes_right = [&] {
      const Feature feature = feature_of(tree.feature[node], model.window);
      const int value = level.cells().line(level.row() + feature.row,
                                           feature.line)[level.column() + feature.column];
      votes.test(feature.line, -1, feature, value, tree.threshold[node]);
      return value >= tree.threshold[node] ? 1U : 0U;
    };
    const std::size_t right = goes_right();
    node = 1 + right;
    const int leaf = tree.leaf[2 * right + goes_right()];
    const auto spread = [](const CellTest&, const Feature& feature, double share,
                           WindowHeat& heat) {
      heat.add(cell_at(feature.column, feature.row), share);
    };
    if (!votes.vote(leaf, model.rejection[t], spread)) break;
  }
  votes.finish(static_cast<int>(model.trees.size()));
}

void explain_filtered(const FilteredModel& model, const SearchedWindow& window, const Exec& exec,
                      WindowExplanation& to) {
  const LevelCells level(window, pyramid_of(model), exec);
  FilteredCells cells;
  cpu::filter_cells(level.cells(), model.bank, cells, exec);
  const FilteredTrees& trees = model.trees;
  const auto nodes = static_cast<std::size_t>(trees.nodes()),
             leaves = static_cast<std::size_t>(trees.leaves());
  TreeVotes votes(window, model.window, to);
  for (std::size_t t = 0; t < static_cast<std::size_t>(trees.count()); ++t) {
    std::size_t node = 0;
    while (node < nodes) {
      const Feature feature = feature_of(trees.feature[t * nodes + node], model.window);
      const int value =
          cells.line(level.row() - filtered::kReach + feature.row,
                     feature.line)[level.column() - filtered::kReach + feature.column];
      const int threshold = trees.threshold[t * nodes + node];
      votes.test(feature.line / model.bank.filters, feature.line % model.bank.filters, feature,
                 value, threshold);
      node = 2 * node + 1 + (value >= threshold ? 1U : 0U);
    }
    const auto spread = [&](const CellTest& test, const Feature& feature, double share,
                            WindowHeat& heat) {
      spread_filter(model.bank, test, feature, share, heat);
    };
    if (!votes.vote(trees.leaf[t * leaves + node - nodes], model.rejection[t], spread)) break;
  }
  votes.finish(trees.count());
}

}  // namespace fovea::people
