// The numbers of the variational refinement: what is done on a level of the pyramid. They were
// chosen on drawn pairs (docs/flow.md).
#pragma once

namespace fovea::flow::refine {

// Weights of the energy; images are gray levels from 0 to 255.
struct Energy {
  float alpha = 50;    // smoothness
  float delta = 5;     // constancy of brightness
  float gamma = 10;    // constancy of its gradient
  float edge = 3;      // difference of gray levels between neighbors that halves their smoothness
  float omega = 1.9F;  // relaxation: 1 is that of Gauss and Seidel, below 2
};

// What is done on one level.
struct Work {
  int warps = 3;        // linearizations, each on the second image warped anew
  int fixed = 2;        // robust weights per linearization
  int relaxations = 5;  // of both colors of the board, per weights
  int median = 2;       // radius of the median after each warp; 0: none
  bool mend = false;    // a weighted median ends the work, of pixels that are seen in both images
};

struct Plan {
  int warps = 3;     // on the finest level; 0: none on any
  bool fuse = true;  // take the flow of the other method where it fits better
  Energy energy{};
  Work of(int level) const {
    constexpr int kMoreWarps = 5;  // coarse levels cost little, and steer the finer ones
    return {.warps = warps > 0 && level > 0 ? warps + kMoreWarps : warps,
            .mend = warps > 0 && level == 0};
  }
};

// How far a level's refinement carries an error of its border, in pixels. Relaxations reach
// farther, but with little weight.
constexpr int kReach = 32;

// By how much the other method's sum of differences (lk::trial_difference) must be lower.
constexpr int kFuseMargin = 196;

}  // namespace fovea::flow::refine
