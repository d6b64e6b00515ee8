// The parts of block matching on the CPU: the levels of a frame, the search of one level, and the
// smoothing of a field.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "flow/bm/block_matching_math.h"
#include "flow/matcher.h"

namespace fovea::flow::cpu {

inline constexpr int kBlockRowsPerTask = 16;

// One level of a frame's pyramid. There are sums over every block that lies inside the level; (x,
// y) is the block's first pixel.
struct BlockLevel {
  int width = 0;
  int height = 0;
  // Of each channel: one, or three if colors are compared.
  std::array<Image<std::uint8_t>, bm::kColors> gray;  // 0 if a pixel does not count
  std::array<Image<std::int32_t>, bm::kColors> sums;
  Image<std::uint8_t> valid;  // 255 if a pixel counts; empty if all do
  // Over all channels together.
  Image<std::int32_t> squares;  // for SSD
  Image<float> inverse;         // bm::inverse_deviation()

  bool has_mask() const { return !valid.empty(); }
};

class BlockFrame final : public PreparedFrame {
 public:
  std::vector<BlockLevel> levels;
  Image<float> gray[bm::kColors][2], cover[2];  // for two levels, while the pyramid is built
};

// `channels` has one gray image or three.
void prepare_block_frame(BlockFrame& frame, std::span<const ImageView<const float>> channels,
                         ImageView<const std::uint8_t> mask, const bm::Settings& options,
                         const Exec& exec);

// A field of nodes that owns its planes.
struct BlockField {
  Image<float> u, v, confidence;
  int step = 1;

  // Keeps its memory if the size is the same.
  void resize(int columns, int rows, int new_step);
  bm::NodeField view() { return {u.view(), v.view(), confidence.view(), step}; }
};

struct BlockSearch {
  const BlockLevel& first;
  const BlockLevel& second;
  const bm::Settings& options;
  int range;
  const bm::CoarseField* prior;  // may be null
  Witness* witness = nullptr;    // of one node
};
void search_blocks(const BlockSearch& search, BlockField& found, const Exec& exec);

// Performs one pass of filling in and of the median; `work` is scratch.
void smooth_blocks(BlockField& field, BlockField& work, const Exec& exec);

}  // namespace fovea::flow::cpu
