// The places of the blocks of a level, and the weights of its pixels in them: what both twins of
// the descriptor need to know. Gaussian and bilinear weights are products of one along x and one
// along y, so that pixels vote once into the histograms of a row, whose rows are then spread down.
#pragma once
#include <fovea/people/model.h>

#include <span>
#include <vector>

#include "people/hog/hog_math.h"

namespace fovea::people {

// The options with those that the kind itself decides: cells that windows share have neither
// Gaussian nor interpolation, and are gray.
HogOptions hog_of_kind(Kind kind, const HogOptions& hog);

// Throws InvalidArgument for options that only the CPU has: smooth, and cells or blocks that are
// not square.
void check_for_gpu(const HogOptions& hog);

VoteParams vote_params(const HogOptions& hog);
NormParams norm_params(const HogOptions& hog);
// The number of parts of a block, each with a histogram of its own.
int block_parts(const HogOptions& hog);
// Pixels around a window that its gradients depend on.
int surrounding_pixels(const HogOptions& hog);
// One half of the Gaussian that smooths pixels, from its middle outwards; 1 alone for none.
std::vector<float> smoothing_weights(const HogOptions& hog);
// The value of each byte after gamma correction.
std::vector<float> gamma_table(Gamma gamma);

// One direction of a level. Blocks are `grid` pixels apart and begin at `origin`: this is the
// largest step that reaches all blocks of all windows.
struct HogAxis {
  int origin;
  int grid;
  int windows;
  int window_step;    // blocks of the grid from one window to the next
  int block_step;     // blocks of the grid from one block of a window to the next
  int window_blocks;  // blocks per window
  int blocks;         // blocks of the grid
};
// One direction of the descriptor's geometry, in pixels but for `parts`.
struct HogSide {
  int window;
  int cell;
  int parts;  // cells of a block
  int stride;

  int block() const { return cell * parts; }
  int blocks() const { return (window - block()) / stride + 1; }
  int first() const { return (window - block()) % stride / 2; }  // of the first block
};
HogSide side_across(const HogOptions& hog);
HogSide side_down(const HogOptions& hog);

HogAxis hog_axis(const HogSide& side, int windows, const ScanPlan& plan, int origin);

// Histograms along one direction: `count` units (blocks, or single cells) of `size` pixels, `grid`
// apart, each with `parts` cells. A role is unit * parts + part.
struct HistogramAxis {
  int grid;
  int count;
  int size;
  int parts;
  std::vector<float> weights;  // [part][pixel of the unit]

  float weight(int part, int pixel) const {
    return weights[static_cast<std::size_t>(part) * size + pixel];
  }
  int open() const {
    return (size + grid - 1) / grid;
  }  // greatest number of units that share a pixel
  int pixels() const { return (count - 1) * grid + size; }
};
HistogramAxis block_axis(const HogOptions& hog, const HogSide& side, const HogAxis& axis);
// Single cells, as far apart as the blocks of the grid and the cells of a block need.
HistogramAxis cell_axis(const HogSide& side, const HogAxis& axis);

// The pixels of a line in the order in which they vote: those with the same place in a period are
// consecutive and form a class. A period is the shortest multiple of the grid that is not shorter
// than a unit, so that pixels of one class belong to different units, and each class has one set of
// weights.
struct RoleClasses {
  static constexpr int kLanes = 4;  // weights are padded to whole vectors of this size
  int period;
  int step;                // roles from one pixel of a class to the next
  int chunks;              // vectors of weights per class
  bool single;             // no class has more than one weight
  int margin;              // roles before the first and after the last that weights may touch
  std::vector<int> first;  // role of a class's first weight, relative to that of its first pixel;
                           // may be negative
  std::vector<float> weights;  // [class][chunks * kLanes]
};
RoleClasses role_classes(const HistogramAxis& axis);

// Circular blocks: the part to which a pixel of the block belongs (0 is the center, or its sectors
// come first; then sector by sector and ring by ring; -1 is outside), and its weight.
struct CircularBlock {
  std::vector<int> part;
  std::vector<float> weight;
};
CircularBlock circular_block(const HogOptions& hog);

}  // namespace fovea::people
