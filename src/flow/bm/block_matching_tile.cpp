// Loads the pixels of a tile's region, widened to the 16 bits that products need.
#include "flow/bm/block_matching_tile.h"

#include <algorithm>

namespace fovea::flow::cpu {

void load_region(const BlockLevel& level, BlockRegion& region) {
  const int left = std::clamp(-region.x, 0, region.width);
  const int right = std::clamp(level.width - region.x, left, region.width);
  region.full = left == 0 && right == region.width && region.y >= 0 &&
                region.y + region.height <= level.height;
  region.any = false;
  for (int y = 0; y < region.height; ++y) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * region.stride;
    std::uint16_t* valid = region.valid.data() + at;
    const int from_y = region.y + y;
    const bool outside = from_y < 0 || from_y >= level.height || left == right;
    for (int c = 0; c < region.channels; ++c) {
      std::uint16_t* gray = region.gray.data() + c * region.plane + at;
      if (outside) {
        std::fill_n(gray, region.stride, std::uint16_t{0});
        continue;
      }
      std::fill_n(gray, left, std::uint16_t{0});
      std::fill_n(gray + right, region.stride - right, std::uint16_t{0});
      const std::uint8_t* from = level.gray[c].row(from_y) + region.x;
      for (int x = left; x < right; ++x) gray[x] = from[x];
    }
    if (outside) {
      std::fill_n(valid, region.stride, std::uint16_t{0});
      continue;
    }
    std::fill_n(valid, left, std::uint16_t{0});
    std::fill_n(valid + right, region.stride - right, std::uint16_t{0});
    if (!level.has_mask()) {
      std::fill_n(valid + left, right - left, kPixelCounts);
      region.any = true;
      continue;
    }
    const std::uint8_t* counts = level.valid.row(from_y) + region.x;
    int all = 255, any = 0;
    for (int x = left; x < right; ++x) {
      valid[x] = static_cast<std::uint16_t>(counts[x] * 257);
      all &= counts[x];
      any |= counts[x];
    }
    region.full = region.full && all == 255;
    region.any = region.any || any != 0;
  }
}

}  // namespace fovea::flow::cpu
