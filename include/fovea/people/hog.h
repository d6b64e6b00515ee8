#pragma once
#include <fovea/exec.h>
#include <fovea/image.h>
#include <fovea/people/scan.h>

#include <cstdint>
#include <vector>

namespace fovea::people {

enum class Gamma : unsigned char { kNone, kSquareRoot };
FOVEA_API std::span<const Choice> choices(Gamma);
enum class BlockNorm : unsigned char { kL2, kL2Hys, kL1, kL1Sqrt };
FOVEA_API std::span<const Choice> choices(BlockNorm);
// Square blocks of cells, or the circular ones of Dalal and Triggs: a centre and rings of sectors.
enum class BlockShape : unsigned char { kRectangular, kCircular };
FOVEA_API std::span<const Choice> choices(BlockShape);

// Histograms of oriented gradients of a window (Dalal and Triggs, CVPR 2005).
struct HogOptions {
  int window_width = 64;      // pixels; a whole number of blocks must fit
  int window_height = 128;    // pixels
  int cell = 8;               // side of a cell, pixels; 2 to 32
  int block = 2;              // side of a block, cells; 1 to 8
  int block_stride = 8;       // between blocks, pixels; a multiple of the cell
  int bins = 9;               // of orientation; 2 to 32
  bool signed_angle = false;  // tell opposite edge directions apart
  bool colour = true;         // of each pixel the channel with the strongest gradient; else grey
  Gamma gamma = Gamma::kSquareRoot;    // of the pixels before differences are taken
  BlockNorm norm = BlockNorm::kL2Hys;  // how the numbers of a block are brought to one scale
  float clip = 0.2F;                   // of L2-Hys
  float sigma = 8;                     // of the Gaussian over a block, pixels; 0: none
  bool interpolate = true;             // share votes between neighbouring cells and bins
  BlockShape shape = BlockShape::kRectangular;
  int rings = 2;    // of a circular block
  int sectors = 4;  // of a ring

  Extent window() const { return {window_width, window_height}; }
};
FOVEA_API void describe(OptionVisitor& visit, HogOptions& options);

}  // namespace fovea::people
