#pragma once
#include <fovea/people/scan.h>

#include <array>
#include <cstdint>
#include <vector>

namespace fovea::people {

// A tree of depth two over features of a window. A feature is a cell of a channel: (channel * rows
// + row) * columns + column. Where it is below the threshold of its node the left child is next.
struct ChannelTree {
  std::array<std::uint32_t, 3> feature{};  // of the root, its left and its right child
  std::array<std::uint8_t, 3> threshold{};
  std::array<std::int16_t, 4> leaf{};  // from left to right: what it adds to the score, in 1/4096
};

// Boosted trees over ten aggregated channels (Dollar, Appel, Belongie and Perona, PAMI 2014): L, u,
// v, gradient magnitude, and six orientations of the gradient, each a byte a cell.
struct ChannelsModel {
  static constexpr int kChannels = 10;
  static constexpr int kScoreUnit = 4096;  // leaves and rejection count in 1/kScoreUnit
  int window_width = 64;
  int window_height = 128;
  int shrink = 4;            // side of a cell, pixels; only 4 is known
  int exact_per_octave = 2;  // sizes an octave for which channels are computed from pixels; those
                             // of levels between are resampled. 0: all are computed
  std::array<float, kChannels> decay{};  // at a level r times smaller a resampled channel is
                                         // corrected by r to the power of -decay
  std::vector<ChannelTree> trees;
  std::vector<std::int32_t>
      rejection;  // a window whose score after tree t is below rejection[t] is dropped
};

}  // namespace fovea::people
