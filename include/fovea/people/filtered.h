#pragma once
#include <fovea/people/scan.h>

#include <array>
#include <cstdint>
#include <vector>

namespace fovea::people {

// Filters of 5x5 cells, the same number for each channel. The response of a filter at a cell is the
// sum of its weights times the values of the cells around it less 128. What trees read is one byte,
// offset + (response * gain) / 65536, rounded down and limited to 0 to 255.
struct FilterBank {
  static constexpr int kSide = 5;
  static constexpr int kTaps = kSide * kSide;
  int filters = 0;                   // filters per channel
  std::vector<std::int8_t> weights;  // [channel][filter][row][column]; the sum of a filter's
                                     // absolute weights is at most 255
  std::vector<std::int16_t> gain;    // [channel][filter], not negative
  std::vector<std::int16_t> offset;  // [channel][filter]
};

// Decision trees of the same depth over the features of a window. The nodes of a tree follow each
// other level by level, so that the children of node n are 2n + 1 and 2n + 2. Feature ((channel *
// filters + filter) * rows + row) * columns + column is one cell of one filtered channel. Where it
// is below a node's threshold the left child follows, else the right one.
struct FilteredTrees {
  int depth = 3;                        // 2 to 5
  std::vector<std::uint32_t> feature;   // [tree][2^depth - 1]
  std::vector<std::uint8_t> threshold;  // [tree][2^depth - 1]
  std::vector<std::int16_t> leaf;  // [tree][2^depth]: what each leaf, from left to right, adds to
                                   // the score, in units of 1/4096
  int nodes() const { return (1 << depth) - 1; }
  int leaves() const { return 1 << depth; }
  int count() const { return static_cast<int>(leaf.size()) >> depth; }
};

// Boosted trees over locally decorrelated channels (Nam, Dollar and Han, NIPS 2014): the ten
// channels of ChannelsModel, each filtered by the first eigenvectors of the autocovariance of its
// windows.
struct FilteredModel {
  static constexpr int kChannels = 10;
  static constexpr int kScoreUnit = 4096;  // leaves and rejection are in units of 1/kScoreUnit
  Extent window{64, 128};
  int shrink = 4;                        // as ChannelsModel::shrink
  int exact_per_octave = 2;              // as ChannelsModel::exact_per_octave
  std::array<float, kChannels> decay{};  // as ChannelsModel::decay
  FilterBank bank;
  FilteredTrees trees;
  std::vector<std::int32_t>
      rejection;  // a window whose score after tree t is below rejection[t] is rejected
};

}  // namespace fovea::people
