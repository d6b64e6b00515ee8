// The trees of a model as a scan uses them: features are offsets into the cells of a level, where
// all levels have the same distance between lines.
#pragma once
#include <fovea/people/channels.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "people/channels/channels_math.h"

namespace fovea::people {

struct FlatTree {
  std::int32_t offset[3];  // offset from the window's first cell of the first channel
  std::int32_t rejection;
  std::int16_t leaf[4];
  std::uint8_t threshold[3];
  std::uint8_t unused = 0;

  FOVEA_HD int value(const std::uint8_t* window) const {
    const int right = window[offset[0]] >= threshold[0] ? 1 : 0;
    const int further = window[offset[1 + right]] >= threshold[1 + right] ? 1 : 0;
    return leaf[2 * right + further];
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

inline std::vector<FlatTree> flat_trees(const ChannelsModel& model, std::ptrdiff_t stride) {
  const auto columns = static_cast<std::uint32_t>(model.window.width / channels::kCell),
             rows = static_cast<std::uint32_t>(model.window.height / channels::kCell);
  std::vector<FlatTree> flat(model.trees.size());
  for (std::size_t t = 0; t < flat.size(); ++t) {
    const ChannelTree& tree = model.trees[t];
    for (int n = 0; n < 3; ++n) {
      const std::uint32_t column = tree.feature[n] % columns,
                          row = tree.feature[n] / columns % rows,
                          channel = tree.feature[n] / columns / rows;
      flat[t].offset[n] = static_cast<std::int32_t>(
          (row * channels::kChannels + channel) * static_cast<std::uint32_t>(stride) + column);
      flat[t].threshold[n] = tree.threshold[n];
    }
    for (int n = 0; n < 4; ++n) flat[t].leaf[n] = tree.leaf[n];
    flat[t].rejection = model.rejection[t];
  }
  return flat;
}

}  // namespace fovea::people
