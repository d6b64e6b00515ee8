// The data for the search of a level on the CPU: the plan that its tiles share, and the pixels and
// sums of the current tile, which stay in the cache.
#pragma once
#include <vector>

#include "flow/bm/block_matching_cpu.h"

namespace fovea::flow::cpu {

constexpr int kBlockLanes = 8;                  // 16-bit numbers in a vector
constexpr std::uint16_t kPixelCounts = 0xffff;  // the value that marks a pixel as valid
constexpr int kMostTileNodes = 64;

// Rounds up to whole vectors.
inline int block_padded(int pixels) {
  return (pixels + kBlockLanes - 1) / kBlockLanes * kBlockLanes;
}

// What all tiles of a level share.
struct BlockSearchPlan {
  const BlockSearch& search;
  bm::Layout layout;
  bm::NodeField out;
  int columns, rows;  // number of tiles
  int side;           // number of candidates along a window
  std::vector<bm::Shift> priors;
  std::vector<std::int32_t> order;  // positions in a window, sorted by bm::rank_of()
};

// The pixels around a tile as 16-bit numbers, and whether they count.
struct BlockRegion {
  std::vector<std::uint16_t> gray, valid;  // gray: one plane per channel
  int channels = 1;
  int stride = 0;
  std::ptrdiff_t plane = 0;  // from a channel to the next
  int x = 0, y = 0, width = 0, height = 0;
  bool full = false;  // every pixel counts
  bool any = false;   // at least one pixel counts

  void reserve(int greatest_width, int greatest_height, int channel_count) {
    channels = channel_count;
    stride = block_padded(greatest_width) + kBlockLanes;
    plane = static_cast<std::ptrdiff_t>(stride) * greatest_height;
    valid.resize(static_cast<std::size_t>(plane));
    gray.resize(valid.size() * static_cast<std::size_t>(channels));
  }
};

// The current tile: its nodes, beginning at (column, row), and all pixels of their blocks,
// beginning at (x, y).
struct BlockTile {
  int column, row, columns, rows;
  int x, y, width, height;
};

// One value per node, row by row; rows are layout.tile apart.
template <class T>
using PerTileNode = T[kMostTileNodes];

struct BlockScratch {
  explicit BlockScratch(const BlockSearchPlan& plan) {
    const bm::Layout& layout = plan.layout;
    const int pixels = (layout.tile - 1) * layout.step + layout.block;
    const int around = 2 * plan.search.range;
    const int channels = plan.search.options.channels;
    first.reserve(pixels, pixels, channels);
    second.reserve(block_padded(pixels) + around, pixels + around, channels);
    line = block_padded(pixels) + kBlockLanes;
    prefix.resize(static_cast<std::size_t>(line) * (pixels + 1));
    sums.resize(static_cast<std::size_t>(line) + 1);
    columns.resize(static_cast<std::size_t>(line) * layout.tile + 2 * kBlockLanes);
    nodes = layout.tile == 1 ? 4 : layout.tile * layout.tile;
    const int windows = plan.search.prior == nullptr ? 1 : bm::kMostWindows;
    const auto candidates = static_cast<std::size_t>(plan.side) * plan.side * windows;
    scores.resize(candidates * nodes);
    shift_u.resize(candidates);
    shift_v.resize(candidates);
  }

  BlockRegion first, second;
  int line;   // length of a line of prefix sums
  int nodes;  // number of nodes per score
  std::vector<std::uint32_t> prefix, columns, sums;
  std::vector<float> scores;  // [window][place][node]
  std::vector<std::int32_t> shift_u, shift_v;

  // Sums over the blocks of the first image; plain sums are those of each channel.
  PerTileNode<std::uint32_t> own_count{}, own_sum[bm::kColors]{}, own_squares{};
  PerTileNode<float> own_inverse{}, own_scale{};
  // Sums over pairs of blocks.
  PerTileNode<std::uint32_t> count{}, sum_x[bm::kColors]{}, sum_y[bm::kColors]{};
  PerTileNode<std::uint32_t> squares_x{}, squares_y{}, product{};
  PerTileNode<float> inverse_y{};
  // The best shift of each node.
  PerTileNode<float> second_best{};
  PerTileNode<std::int32_t> index{};
};

// Fills the region at its place and with its size; outside of the level no pixel counts.
void load_region(const BlockLevel& level, BlockRegion& region);

}  // namespace fovea::flow::cpu
