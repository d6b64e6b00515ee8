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
  std::array<float, 3> threshold{};
  std::array<float, 4> leaf{};  // from left to right: what it adds to the score
};

// Boosted trees over aggregated channels (Dollar, Appel, Belongie and Perona, PAMI 2014).
struct ChannelsModel {
  int window_width = 64;
  int window_height = 128;
  int shrink = 4;  // side of a cell, pixels
  std::vector<ChannelTree> trees;
  std::vector<float>
      rejection;  // a window whose score after tree t is below rejection[t] is dropped
};

}  // namespace fovea::people
