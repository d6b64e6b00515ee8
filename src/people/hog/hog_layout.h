// Where the blocks of a level lie, and how its pixels share in them: what both twins of the
// descriptor are told. Gaussian and bilinear weights are products of one along x and one along y,
// so that pixels vote once into a row's histograms, whose rows are then spread down.
#pragma once
#include <fovea/people/model.h>

#include <span>
#include <vector>

#include "people/hog/hog_math.h"

namespace fovea::people {

// The options with what the kind itself decides: cells that windows share have neither Gaussian nor
// interpolation, and are gray.
HogOptions hog_of_kind(Kind kind, const HogOptions& hog);

VoteParams vote_params(const HogOptions& hog);
NormParams norm_params(const HogOptions& hog);
// What a byte counts as.
std::vector<float> gamma_table(Gamma gamma);

// One direction of a level. Blocks lie `grid` pixels apart from `origin` on: the largest step that
// reaches all blocks of all windows.
struct HogAxis {
  int origin;
  int grid;
  int windows;
  int window_step;    // blocks of the grid from a window to the next
  int block_step;     // blocks of the grid from a block of a window to its next
  int window_blocks;  // blocks of a window
  int blocks;         // of the grid
};
HogAxis hog_axis(const HogOptions& hog, int window, int windows, const ScanPlan& plan);

// Histograms along one direction: `count` units (blocks, or single cells) of `size` pixels, `grid`
// apart, each of `parts` cells. Role unit * parts + part.
struct HistogramAxis {
  int grid;
  int count;
  int size;
  int parts;
  std::vector<float> weights;  // [part][pixel of the unit]

  float weight(int part, int pixel) const {
    return weights[static_cast<std::size_t>(part) * size + pixel];
  }
  int open() const { return (size + grid - 1) / grid; }  // most units that share a pixel
  int pixels() const { return (count - 1) * grid + size; }
};
HistogramAxis block_axis(const HogOptions& hog, const HogAxis& axis);
// Single cells, as far apart as blocks of the grid and cells of a block need.
HistogramAxis cell_axis(const HogOptions& hog, const HogAxis& axis);

// The pixels of a line in the order in which they vote: those with the same place in a period
// follow each other. A period is the shortest multiple of the grid that is not shorter than a unit,
// so that pixels of one class share in different units, and each class has one set of weights.
struct RoleClasses {
  static constexpr int kLanes = 4;  // weights come in whole vectors of these
  int period;
  int step;                    // roles from a pixel of a class to its next
  int chunks;                  // vectors of weights a class
  bool single;                 // no class has more than one weight
  int margin;                  // roles before the first and after the last that weights may touch
  std::vector<int> first;      // role of a class' first weight, relative to its first pixel's; may
                               // be negative
  std::vector<float> weights;  // [class][chunks * kLanes]
};
RoleClasses role_classes(const HistogramAxis& axis);

// Circular blocks: where a pixel of the block belongs (0 the center, then sector by sector and ring
// by ring; -1 outside) and what it weighs.
struct CircularBlock {
  std::vector<int> part;
  std::vector<float> weight;
};
CircularBlock circular_block(const HogOptions& hog);

}  // namespace fovea::people
