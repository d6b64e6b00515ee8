#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/people/scan.h>

#include <cstdint>
#include <vector>

namespace fovea::people {

enum class Gamma : unsigned char { kNone, kSquareRoot };
FOVEA_API std::span<const Choice> choices(Gamma);
enum class BlockNorm : unsigned char { kL2, kL2Hys, kL1, kL1Sqrt };
FOVEA_API std::span<const Choice> choices(BlockNorm);
// Square blocks of cells, or the circular ones of Dalal and Triggs: a center and rings of sectors.
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
  bool color = true;          // of each pixel the channel with the strongest gradient; else gray
  Gamma gamma = Gamma::kSquareRoot;    // of the pixels before differences are taken
  BlockNorm norm = BlockNorm::kL2Hys;  // how the numbers of a block are brought to one scale
  float clip = 0.2F;                   // of L2-Hys
  float sigma = 8;                     // of the Gaussian over a block, pixels; 0: none
  bool interpolate = true;             // share votes between neighboring cells and bins
  BlockShape shape = BlockShape::kRectangular;
  int rings = 2;    // of a circular block
  int sectors = 4;  // of a ring

  Extent window() const { return {window_width, window_height}; }
};
FOVEA_API void describe(OptionVisitor& visit, HogOptions& options);

// The numbers that describe the window in the middle of a crop: the window itself, or with an equal
// margin all around, into which gradients at the window's border then look. 1, 3 or 4 channels
// (gray, RGB, RGBA whose opacity does not count). 3780 numbers by default; blocks run down first,
// then across, in a block cells do likewise, then bins. The same as OpenCV's HOGDescriptor gives
// for a sigma of 4, to about 1e-3.
FOVEA_API std::vector<float> hog_descriptor(ImageView<const std::uint8_t> crop,
                                            const HogOptions& options = {});

// Votes of the cells of an image, before blocks are formed: what glyphs are drawn from.
struct HogCells {
  int columns = 0;
  int rows = 0;
  int bins = 0;
  std::vector<float> votes;  // [row][column][bin]

  float at(int column, int row, int bin) const {
    return votes[(static_cast<std::size_t>(row) * columns + column) * bins + bin];
  }
};
// Whole cells from the left upper corner on; each pixel votes in its own cell alone.
FOVEA_API HogCells hog_cells(ImageView<const std::uint8_t> image, const HogOptions& options = {});

}  // namespace fovea::people
