#pragma once
#include <fovea/people/scan.h>

#include <cstdint>
#include <vector>

namespace fovea::people {

// A block of 2x2 cells anywhere in the window, pixels.
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
  std::vector<float> weights;  // 4 * bins
  float bias = 0;
  float vote = 0;  // what it adds to its stage where it says person
};

// A window passes a stage where the votes of its classifiers add up to the threshold or more.
struct CascadeStage {
  std::vector<BlockClassifier> classifiers;
  float threshold = 0;
};

// A cascade of rejectors (Zhu, Avidan, Yeh and Cheng, CVPR 2006; Viola and Jones, 2001).
struct CascadeModel {
  int window_width = 64;
  int window_height = 128;
  int bins = 9;
  bool signed_angle = false;
  std::vector<CascadeStage> stages;
};

}  // namespace fovea::people
