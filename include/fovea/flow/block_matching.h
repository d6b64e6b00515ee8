#pragma once
#include <fovea/core/options_fwd.h>

#include <optional>
#include <span>

namespace fovea::flow {

// How two blocks are compared: by the sum of absolute differences, by the sum of squared
// differences, or by normalized cross correlation.
enum class BlockCost : unsigned char { kSad, kSsd, kNcc };
FOVEA_API std::span<const Choice> choices(BlockCost);

// How much a match is trusted: by its peak, which is compared with the second one and must be
// curved, or by its score alone.
enum class BlockTrust : unsigned char { kPeak, kScore };
FOVEA_API std::span<const Choice> choices(BlockTrust);

// Searches the second image for square blocks of the first, coarse to fine over an image pyramid.
// Gray levels or colors are compared with 8 bits. An
// option without a value is chosen by FlowOptions::quality; the values in parentheses are those of
// Quality::kDefault, which measured best on small and medium motion (docs/flow.md). The classic
// setting of blocks side by side is block = 16, step = 16, range = 16.
struct BlockMatchingOptions {
  BlockCost cost = BlockCost::kNcc;
  int block = 7;                // side of a block in pixels; 2 to 128
  std::optional<int> step{};    // pixels between the centers of blocks; 1 matches a block around
                                // every pixel; 1 to 128 (2)
  std::optional<int> range{};   // pixels that are searched in each direction at the coarsest level;
                                // 1 to 64 (3)
  std::optional<int> refine{};  // pixels that are searched in each direction at finer levels,
                                // around the result of the coarser level; 1 to 64 (2)
  std::optional<int> levels{};  // levels of the pyramid including the image, at most 16; without a
                                // value it ends where a side has about 24 pixels
  bool subpixel = true;         // fit a paraboloid to the peak, so that motion has parts of a pixel
  float least_texture = 0.5F;   // standard deviation in gray levels of 255; a block below it is not
                                // matched but filled in from its neighbors with confidence 0
  bool interpolate = true;  // interpolate the field between the centers of blocks; otherwise the
                            // pixels between blocks take the flow of the nearest
  bool neighbors = true;    // search also around the coarse flow of neighbors
  BlockTrust trust = BlockTrust::kPeak;  // what confidence means
  float margin = 0.2F;  // difference between the scores of the best and the second peak that
                        // gives a confidence of 0.5
  std::optional<int> passes{};  // smoothing passes per level: reliable neighbors fill in unreliable
                                // blocks, then a 3x3 median follows; 0 to 16 (2)
  bool forward_backward = false;  // also match backward and trust blocks that return to where they
                                  // began: twice the work. Quality::kBest always does it
};
FOVEA_API void describe(OptionVisitor& visit, BlockMatchingOptions& options);

}  // namespace fovea::flow
