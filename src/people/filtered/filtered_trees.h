// The trees of a filtered model as a scan uses them: features are offsets into the filtered cells
// of a level, where all levels have the same distance between lines.
#pragma once
#include <fovea/core/error.h>
#include <fovea/people/filtered.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "people/channels/channels_math.h"

namespace fovea::people {

template <int kDepth>
struct DeepTree {
  static constexpr int kNodes = (1 << kDepth) - 1;
  static constexpr int kLeaves = 1 << kDepth;
  std::int32_t offset[kNodes];  // offset from the window's first cell of the first line
  std::int32_t rejection;
  std::int16_t leaf[kLeaves];
  std::uint8_t threshold[kNodes];
  std::uint8_t unused = 0;

  FOVEA_HD int value(const std::uint8_t* window) const {
    int node = 0;
    for (int level = 0; level < kDepth; ++level)
      node = 2 * node + 1 + (window[offset[node]] >= threshold[node] ? 1 : 0);
    return leaf[node - kNodes];
  }
};

template <int kDepth>
std::vector<DeepTree<kDepth>> deep_trees(const FilteredModel& model, std::ptrdiff_t stride) {
  using Tree = DeepTree<kDepth>;
  const auto columns = static_cast<std::uint32_t>(model.window.width / channels::kCell),
             rows = static_cast<std::uint32_t>(model.window.height / channels::kCell),
             lines = static_cast<std::uint32_t>(channels::kChannels * model.bank.filters);
  if (static_cast<std::uint64_t>(rows) * lines * static_cast<std::uint64_t>(stride) > INT32_MAX)
    throw InvalidArgument("the image is too wide for a model of so many filters; divide it");
  std::vector<Tree> deep(static_cast<std::size_t>(model.trees.count()));
  for (std::size_t t = 0; t < deep.size(); ++t) {
    for (std::size_t n = 0; n < Tree::kNodes; ++n) {
      const std::uint32_t feature = model.trees.feature[t * Tree::kNodes + n];
      const std::uint32_t column = feature % columns, row = feature / columns % rows,
                          line = feature / columns / rows;
      deep[t].offset[n] = static_cast<std::int32_t>(
          (row * lines + line) * static_cast<std::uint32_t>(stride) + column);
      deep[t].threshold[n] = model.trees.threshold[t * Tree::kNodes + n];
    }
    for (std::size_t n = 0; n < Tree::kLeaves; ++n)
      deep[t].leaf[n] = model.trees.leaf[t * Tree::kLeaves + n];
    deep[t].rejection = model.rejection[t];
  }
  return deep;
}

}  // namespace fovea::people
