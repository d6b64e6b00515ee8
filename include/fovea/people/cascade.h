#pragma once
#include <fovea/people/scan.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea::people {

// A block of 2x2 cells anywhere in the window, in pixels. All four numbers are even.
using Block = Rect<int>;

// A linear classifier over the 36 numbers that describe one block.
struct BlockClassifier {
  Block block;
  std::vector<float> weights;  // nine bins per cell; the cells run from left to right, then down
  float bias = 0;
  float vote = 1;  // the most that it adds to the sum of its stage, or subtracts from it
};

// A window passes a stage where the votes of the stage's classifiers sum up to the threshold.
struct CascadeStage {
  std::vector<BlockClassifier> classifiers;
  float threshold = 0;
};

// A cascade of rejectors (Zhu, Avidan, Yeh and Cheng, CVPR 2006; Viola and Jones, 2001).
struct CascadeModel {
  static constexpr int bins = 9;  // orientations over the half circle

  Extent window{64, 128};  // both even
  bool color = true;       // each pixel's gradient is that of its strongest color channel; if not,
                           // gradients are those of the gray image
  bool graded = true;      // a classifier votes by its margin, cut at -1 and 1; if not, by its sign
  bool chained = true;     // a stage adds to the votes of the stages before it; if not, it starts
                           // from 0
  std::vector<CascadeStage> stages;
  // Scores the few windows that pass every stage: the sum of weights . block + bias, without votes.
  // Where it is empty, the score is the sum of the last stage minus its threshold.
  std::vector<BlockClassifier> ranking;
};

// The blocks that training chooses from. Their smaller side is 12, 14, 16, ... pixels; they are
// square, twice as wide or twice as high; their positions are 4 pixels apart where that side is
// below 16, 6 pixels where it is below 24, and 8 otherwise. A window of 64x128 has 5029 of them.
FOVEA_API std::vector<Block> block_pool(Extent window);

// How many stages let a window with this score pass. Detector::scores() gives windows that were
// rejected early lower scores than windows that were rejected late.
FOVEA_API std::size_t stages_passed(const CascadeModel& model, float score);

}  // namespace fovea::people
