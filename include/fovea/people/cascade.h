#pragma once
#include <fovea/people/scan.h>

#include <cstdint>
#include <vector>

namespace fovea::people {

// A block of 2x2 cells anywhere in the window, pixels; all four are even.
struct Block {
  std::int16_t x = 0;
  std::int16_t y = 0;
  std::int16_t width = 0;
  std::int16_t height = 0;
  bool operator==(const Block&) const = default;
};

// One linear classifier over the 36 numbers of one block.
struct BlockClassifier {
  Block block;
  std::vector<float> weights;  // of cells left to right, then down; of a cell its 9 bins
  float bias = 0;
  float vote = 1;  // what it adds to its stage where it is sure of a person; as much is taken away
                   // where it is sure of the opposite
};

// A window passes a stage where the votes of its classifiers add up to the threshold or more.
struct CascadeStage {
  std::vector<BlockClassifier> classifiers;
  float threshold = 0;
};

// A cascade of rejectors (Zhu, Avidan, Yeh and Cheng, CVPR 2006; Viola and Jones, 2001).
struct CascadeModel {
  static constexpr int bins = 9;  // of orientation, over the half circle

  int window_width = 64;    // even
  int window_height = 128;  // even
  bool color = true;        // of each pixel the channel with the strongest gradient; else gray
  bool graded = true;   // a classifier votes by its margin, cut at -1 and 1; else by its sign alone
  bool chained = true;  // a stage adds to the votes of those before it; else it begins anew
  std::vector<CascadeStage> stages;
  // Scores the few windows that pass every stage: the sum of weights . block + bias, votes apart.
  // Where it is empty a window scores what it has above the threshold of the last stage.
  std::vector<BlockClassifier> ranking;
};

// The blocks that a training chooses from: smaller side m every even number from 12, as wide as
// high, twice as wide or twice as high, in steps of 4 pixels where m < 16, 6 where m < 24, 8
// beyond. 5029 for a window of 64x128.
FOVEA_API std::vector<Block> block_pool(Extent window);

}  // namespace fovea::people
