// Words and ranges of block matching's options, and how deep its pyramid is.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/flow/block_matching.h>

#include <algorithm>

#include "flow/bm/block_matching_math.h"

namespace fovea::flow {

std::span<const Choice> choices(BlockCost) {
  static constexpr Choice kChoices[] = {{"sad", static_cast<int>(BlockCost::kSad)},
                                        {"ssd", static_cast<int>(BlockCost::kSsd)},
                                        {"ncc", static_cast<int>(BlockCost::kNcc)}};
  return kChoices;
}

void describe(OptionVisitor& visit, BlockMatchingOptions& options) {
  visit("cost", options.cost, "how blocks are compared");
  visit("block", options.block, "side of a block, pixels", bm::kLeastBlock, bm::kGreatestBlock);
  visit("step", options.step, "pixels between blocks; 1: a block around every pixel", 1,
        bm::kGreatestBlock);
  visit("range", options.range, "shifts tried each way at the coarsest level, pixels of it", 1,
        bm::kGreatestRange);
  visit("refine", options.refine, "shifts tried each way at finer levels", 1, bm::kGreatestRange);
  visit("levels", options.levels, "of the pyramid, the image included; 0: as many as make sense", 0,
        bm::kMostLevels);
  visit("subpixel", options.subpixel, "place peaks between pixels");
  visit("least-texture", options.least_texture,
        "standard deviation, gray levels of 255, below which a block is filled in, not matched", 0,
        128);
  visit("margin", options.margin,
        "of the best score over the second peak's that gives a confidence of a half", 0.001, 10);
  visit("passes", options.passes, "smoothings a level that fill in what is not reliable", 0, 16);
  visit("forward-backward", options.forward_backward,
        "match back too and trust what returns; twice the work");
}

namespace bm {

int level_count(int width, int height, const BlockMatchingOptions& options) {
  constexpr int kLeastSide = 24;
  const int least = options.levels > 0 ? 1 : std::max(kLeastSide, options.block);
  const int most = options.levels > 0 ? options.levels : kMostLevels;
  int levels = 1;
  for (; levels < most; ++levels) {
    const int next_width = half(width), next_height = half(height);
    if (std::min(next_width, next_height) < least) break;
    if (next_width == width && next_height == height) break;
    width = next_width, height = next_height;
  }
  return levels;
}

int grid(const BlockMatchingOptions& options) {
  const Layout layout = layout_of(options.block, options.step);
  return layout.tile * layout.step;
}

int reach(const BlockMatchingOptions& options, int level) {
  const Layout layout = layout_of(options.block, options.step);
  // A tile is searched from its neighbors' priors too; either way of a match there and back.
  const int shifts = level == options.levels - 1 ? options.range : options.refine;
  const int search = options.block / 2 + 1 + shifts + 2 * layout.tile * layout.step;
  return (options.forward_backward ? 2 : 1) * search + (options.passes * 3 + 1) * options.step;
}

std::uint64_t bytes_per_pixel(const BlockMatchingOptions& options) {
  // Two images, the result, and of each frame and level: gray, mask, sums and deviations, squares,
  // what is halved.
  constexpr std::uint64_t kImages = 20, kFrame = 28, kSquares = 6;
  const std::uint64_t frame = kFrame + (options.cost == BlockCost::kSsd ? kSquares : 0);
  const std::uint64_t fields = options.forward_backward ? 84 : 48;
  const auto cell = static_cast<std::uint64_t>(options.step) * options.step;
  return kImages + 2 * frame + (fields + cell - 1) / cell;
}

void require_levels(int levels, int before, int last) {
  if (last >= 0 && last < levels && last < before) return;
  throw InvalidArgument(
      fmt::format("block matching: levels {} to {} of a pyramid of {} levels were asked for",
                  before - 1, last, levels));
}

}  // namespace bm

}  // namespace fovea::flow
