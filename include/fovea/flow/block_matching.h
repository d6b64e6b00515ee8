#pragma once
#include <fovea/core/options.h>

#include <span>

namespace fovea::flow {

// How alike two blocks are: sum of absolute or squared differences, normalized cross correlation.
enum class BlockCost : unsigned char { kSad, kSsd, kNcc };
FOVEA_API std::span<const Choice> choices(BlockCost);

// Square blocks of the first image are looked for in the second, coarse to fine. Gray levels are
// compared in 8 bits. Where blocks lie apart, the field between their middles is interpolated.
// Blocks side by side are `step` == `block`; 16, 16 with a range of 16 is the classic setting. The
// defaults are what measured best on small and middle motion (docs/flow.md).
struct BlockMatchingOptions {
  BlockCost cost = BlockCost::kNcc;
  int block = 7;         // side of a block, pixels; 2 to 128
  int step = 2;          // between blocks, pixels: 1 is a block around every pixel; 1 to 128
  int range = 3;         // shifts tried each way at the coarsest level, pixels of it; 1 to 64
  int refine = 2;        // and at finer levels, around what the level before found; 1 to 64
  int levels = 0;        // of the pyramid, the image included; 0: down to a side of about 24 pixels
  bool subpixel = true;  // place the peak between shifts, by a paraboloid
  float least_texture = 0.5F;  // standard deviation of a block, gray levels of 255, below which
                               // it is not matched but filled in with confidence 0
  float margin = 0.2F;         // of the best score over the second peak's that gives a confidence
                               // of a half
  int passes = 2;              // smoothings a level: reliable neighbors fill in for unreliable
                               // blocks, then a 3x3 median; 0: blocks stay as they were found
  bool forward_backward = false;  // match back too, and trust what returns to where it began; twice
                                  // the work
};
FOVEA_API void describe(OptionVisitor& visit, BlockMatchingOptions& options);

}  // namespace fovea::flow
