// The trees of a model as a scan uses them: features are offsets into the cells of a level, where
// all levels have the same distance between lines.
#pragma once
#include <fovea/core/error.h>
#include <fovea/people/channels.h>
#include <fovea/people/filtered.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "people/channels/channels_math.h"

namespace fovea::people {

template <int kDepth>
struct ScanTree {
  static constexpr int kNodes = (1 << kDepth) - 1;
  static constexpr int kLeaves = 1 << kDepth;
  std::int32_t offset[kNodes];  // offset from the window's first cell of the first line
  std::int32_t rejection;
  std::int16_t leaf[kLeaves];
  std::uint8_t threshold[kNodes];
  std::uint8_t unused = 0;

  FOVEA_HD int value(const std::uint8_t* window) const {
    int place = 0;  // among the nodes of a depth, then among the leaves
    for (int depth = 0; depth < kDepth; ++depth) {
      const int node = (1 << depth) - 1 + place;
      place = 2 * place + (window[offset[node]] >= threshold[node] ? 1 : 0);
    }
    return leaf[place];
  }
};

// The score of a rejected window, where every window must have one: it is below that of any window
// that passes, and higher the more trees the window passed.
FOVEA_HD inline float rejected_score(int trees_passed) {
  return -1e6F + static_cast<float>(trees_passed);
}
FOVEA_HD inline float final_score(int sum) {
  return static_cast<float>(sum) * (1.F / ChannelsModel::kScoreUnit);
}

// Where the features of a window are: a row of cells has `lines` lines of `stride` bytes.
class FeatureOffsets {
 public:
  FeatureOffsets(Extent window, int lines, std::ptrdiff_t stride)
      : columns_(static_cast<std::uint32_t>(window.width / channels::kCell)),
        rows_(static_cast<std::uint32_t>(window.height / channels::kCell)),
        lines_(static_cast<std::uint32_t>(lines)),
        stride_(static_cast<std::uint32_t>(stride)) {
    if (static_cast<std::uint64_t>(rows_) * lines_ * static_cast<std::uint64_t>(stride) > INT32_MAX)
      throw InvalidArgument("the image is too wide for so many cells of a window; divide it");
  }
  std::int32_t operator()(std::uint32_t feature) const {
    const std::uint32_t column = feature % columns_, row = feature / columns_ % rows_,
                        line = feature / columns_ / rows_;
    return static_cast<std::int32_t>((row * lines_ + line) * stride_ + column);
  }

 private:
  std::uint32_t columns_, rows_, lines_, stride_;
};

// A tree whose nodes and leaves begin at these places.
template <int kDepth>
ScanTree<kDepth> scan_tree(const FeatureOffsets& offset, const std::uint32_t* feature,
                           const std::uint8_t* threshold, const std::int16_t* leaf) {
  ScanTree<kDepth> tree;
  for (int n = 0; n < tree.kNodes; ++n) {
    tree.offset[n] = offset(feature[n]);
    tree.threshold[n] = threshold[n];
  }
  for (int n = 0; n < tree.kLeaves; ++n) tree.leaf[n] = leaf[n];
  return tree;
}

template <int kDepth>
std::vector<ScanTree<kDepth>> scan_trees(const FilteredModel& model, std::ptrdiff_t stride) {
  using Tree = ScanTree<kDepth>;
  const FeatureOffsets offset(model.window, channels::kChannels * model.bank.filters, stride);
  std::vector<Tree> trees(static_cast<std::size_t>(model.trees.count()));
  for (std::size_t t = 0; t < trees.size(); ++t) {
    trees[t] = scan_tree<kDepth>(offset, &model.trees.feature[t * Tree::kNodes],
                                 &model.trees.threshold[t * Tree::kNodes],
                                 &model.trees.leaf[t * Tree::kLeaves]);
    trees[t].rejection = model.rejection[t];
  }
  return trees;
}

template <int kDepth>
std::vector<ScanTree<kDepth>> scan_trees(const ChannelsModel& model, std::ptrdiff_t stride) {
  static_assert(kDepth == 2);
  const FeatureOffsets offset(model.window, channels::kChannels, stride);
  std::vector<ScanTree<2>> trees(model.trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const ChannelTree& tree = model.trees[t];
    trees[t] = scan_tree<2>(offset, tree.feature.data(), tree.threshold.data(), tree.leaf.data());
    trees[t].rejection = model.rejection[t];
  }
  return trees;
}

}  // namespace fovea::people
