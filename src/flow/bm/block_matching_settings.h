// The options of block matching after the quality has chosen those that were left open.
#pragma once
#include <fovea/flow/block_matching.h>
#include <fovea/flow/quality.h>

namespace fovea::flow::bm {

// The fields have the meaning of those of BlockMatchingOptions.
struct Settings {
  BlockCost cost = BlockCost::kNcc;
  int block = 7;
  int step = 2;
  int range = 3;
  int refine = 2;
  int levels = 0;  // 0: as many as the image has
  bool subpixel = true;
  float least_texture = 0.5F;
  float margin = 0.2F;
  int passes = 2;
  bool forward_backward = false;
  bool interpolate = true;
  bool neighbors = true;
  BlockTrust trust = BlockTrust::kPeak;
  int channels = 1;  // 3 if colors are compared
};
Settings settle(const BlockMatchingOptions& options, Quality quality);

}  // namespace fovea::flow::bm
