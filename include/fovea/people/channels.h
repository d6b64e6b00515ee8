#pragma once
#include <fovea/people/scan.h>

#include <array>
#include <cstdint>
#include <vector>

namespace fovea::people {

// A decision tree of depth two over the features of a window. Feature (channel * rows + row) *
// columns + column is one cell of one channel. Where it is below a node's threshold the left child
// follows, else the right one.
struct ChannelTree {
  std::array<std::uint32_t, 3> feature{};   // of the root, its left child and its right child
  std::array<std::uint8_t, 3> threshold{};  // of the same three nodes
  std::array<std::int16_t, 4> leaf{};  // what each leaf, from left to right, adds to the score,
                                       // in units of 1/4096
};

// Boosted trees over ten aggregated channels (Dollar, Appel, Belongie and Perona, PAMI 2014): L, u,
// v, gradient magnitude, and six orientations of the gradient. Each has one byte per cell.
struct ChannelsModel {
  static constexpr int kChannels = 10;
  static constexpr int kScoreUnit = 4096;  // leaves and rejection are in units of 1/kScoreUnit
  Extent window{64, 128};
  int shrink = 4;            // side of a cell, in pixels; only 4 is supported
  int exact_per_octave = 2;  // number of levels per octave whose channels are computed from pixels;
                             // the levels between are resampled from them. 0: all are computed
  std::array<float, kChannels> decay{};  // a channel resampled to a level r times smaller is
                                         // multiplied by r to the power of -decay
  std::vector<ChannelTree> trees;
  std::vector<std::int32_t>
      rejection;  // a window whose score after tree t is below rejection[t] is rejected
};

}  // namespace fovea::people
