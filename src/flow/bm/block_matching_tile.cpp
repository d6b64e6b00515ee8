// Loads the pixels of a tile's region, widened to the 16 bits that products need.
#include "flow/bm/block_matching_tile.h"

#include <algorithm>

namespace fovea::flow::cpu {

void load_region(const BlockLevel& level, BlockRegion& region) {
  const int left = std::clamp(-region.x, 0, region.width);
  const int right = std::clamp(level.width - region.x, left, region.width);
  region.full = left == 0 && right == region.width && region.y >= 0 &&
                region.y + region.height <= level.height;
  for (int y = 0; y < region.height; ++y) {
    std::uint16_t* gray = region.gray.data() + static_cast<std::ptrdiff_t>(y) * region.stride;
    std::uint16_t* valid = region.valid.data() + static_cast<std::ptrdiff_t>(y) * region.stride;
    const int from_y = region.y + y;
    if (from_y < 0 || from_y >= level.height || left == right) {
      std::fill_n(gray, region.stride, std::uint16_t{0});
      std::fill_n(valid, region.stride, std::uint16_t{0});
      continue;
    }
    std::fill_n(gray, left, std::uint16_t{0});
    std::fill_n(valid, left, std::uint16_t{0});
    std::fill_n(gray + right, region.stride - right, std::uint16_t{0});
    std::fill_n(valid + right, region.stride - right, std::uint16_t{0});
    const std::uint8_t* from = level.gray.row(from_y) + region.x;
    for (int x = left; x < right; ++x) gray[x] = from[x];
    if (!level.has_mask()) {
      std::fill_n(valid + left, right - left, kPixelCounts);
      continue;
    }
    const std::uint8_t* counts = level.valid.row(from_y) + region.x;
    int all = 255;
    for (int x = left; x < right; ++x) {
      valid[x] = static_cast<std::uint16_t>(counts[x] * 257);
      all &= counts[x];
    }
    region.full = region.full && all == 255;
  }
}

}  // namespace fovea::flow::cpu
