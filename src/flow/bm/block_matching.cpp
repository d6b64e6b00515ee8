// The names, ranges and help texts of the options of block matching, the settings that each quality
// chooses, and the depth of the pyramid.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
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

std::span<const Choice> choices(BlockTrust) {
  static constexpr Choice kTrusts[] = {{"peak", static_cast<int>(BlockTrust::kPeak)},
                                       {"score", static_cast<int>(BlockTrust::kScore)}};
  return kTrusts;
}

void describe(OptionVisitor& visit, BlockMatchingOptions& options) {
  constexpr std::string_view kByQuality = "chosen by the quality";
  visit("cost", options.cost, "how blocks are compared");
  visit("block", options.block, "side of a block in pixels", bm::kLeastBlock, bm::kGreatestBlock);
  visit("step", options.step, "pixels between blocks; 1 matches a block around every pixel", 1,
        bm::kGreatestBlock, {.absent = kByQuality});
  visit("range", options.range, "pixels searched in each direction at the coarsest level", 1,
        bm::kGreatestRange, {.absent = kByQuality});
  visit("refine", options.refine, "pixels searched in each direction at finer levels", 1,
        bm::kGreatestRange, {.absent = kByQuality});
  visit("levels", options.levels, "levels of the pyramid, including the image", 1, bm::kMostLevels,
        {.absent = "down to a side of about 24 pixels"});
  visit("subpixel", options.subpixel, "interpolate the peak, so that motion has parts of a pixel",
        {.off_help = "keep motion at whole pixels of each level, without interpolating the peak"});
  visit("least-texture", options.least_texture,
        "standard deviation in gray levels of 255; a block below it is filled in from its "
        "neighbors",
        0, 128);
  visit("interpolate", options.interpolate, "interpolate the field between the centers of blocks",
        {.off_help = "give all pixels of a block its flow, without interpolating"});
  visit("neighbors", options.neighbors, "search also around the coarse flow of neighbors",
        {.off_help = "search around the coarse flow of the block alone"});
  visit("trust", options.trust,
        "what gives confidence: the peak of the scores, or the best score alone");
  visit("margin", options.margin,
        "difference between the scores of the best and the second peak that gives a confidence of "
        "0.5",
        0.001, 10);
  visit("passes", options.passes,
        "smoothing passes per level, which fill in blocks that are not reliable", 0, 16,
        {.absent = kByQuality});
  visit("forward-backward", options.forward_backward,
        "also match backward and trust what returns, for twice the work; the best quality always "
        "does");
}

namespace bm {

Settings settle(const BlockMatchingOptions& options, Quality quality) {
  Settings chosen;  // chosen on the Middlebury pairs (docs/flow.md)
  if (quality == Quality::kFast) {
    chosen.step = 4;
    chosen.passes = 1;
  } else if (quality == Quality::kBest) {
    chosen.range = 4;
    chosen.refine = 3;
    chosen.passes = 3;
    chosen.forward_backward = true;
  }
  return {.cost = options.cost,
          .block = options.block,
          .step = options.step.value_or(chosen.step),
          .range = options.range.value_or(chosen.range),
          .refine = options.refine.value_or(chosen.refine),
          .levels = options.levels.value_or(0),
          .subpixel = options.subpixel,
          .least_texture = options.least_texture,
          .margin = options.margin,
          .passes = options.passes.value_or(chosen.passes),
          .forward_backward = options.forward_backward || chosen.forward_backward,
          .interpolate = options.interpolate,
          .neighbors = options.neighbors,
          .trust = options.trust};
}

int level_count(int width, int height, const Settings& options) {
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

int grid(const Settings& options) {
  const Layout layout = layout_of(options.block, options.step);
  return layout.tile * layout.step;
}

int reach(const Settings& options, int level) {
  const Layout layout = layout_of(options.block, options.step);
  // A tile is also searched from its neighbors' priors. With a backward match the reach counts
  // twice.
  const int shifts = level == options.levels - 1 ? options.range : options.refine;
  const int search = options.block / 2 + 1 + shifts + 2 * layout.tile * layout.step;
  return (options.forward_backward ? 2 : 1) * search + (options.passes * 3 + 1) * options.step;
}

std::uint64_t bytes_per_pixel(const Settings& options) {
  // Two images and the result; and for each frame and level: gray, mask, sums and deviations,
  // squares, and the halved image.
  constexpr std::uint64_t kImages = 20, kFrame = 28, kSquares = 6;
  // Each further channel has an image, gray and sums.
  constexpr std::uint64_t kChannel = 12;
  const std::uint64_t frame = kFrame + (options.cost == BlockCost::kSsd ? kSquares : 0) +
                              kChannel * static_cast<std::uint64_t>(options.channels - 1);
  const std::uint64_t fields = options.forward_backward ? 84 : 48;
  const auto cell = static_cast<std::uint64_t>(options.step) * options.step;
  return kImages + 2 * frame + (fields + cell - 1) / cell;
}

void require_levels(int levels, int before, int last) {
  if (last >= 0 && last < levels && last < before) return;
  throw InvalidArgument(
      fmt::format("block matching: levels {} to {} do not exist in a pyramid of {} levels",
                  before - 1, last, levels));
}

}  // namespace bm

}  // namespace fovea::flow
