#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/people/scan.h>

#include <cstdint>
#include <vector>

namespace fovea::people {

enum class Gamma : unsigned char { kNone, kSquareRoot };
FOVEA_API std::span<const Choice> choices(Gamma);
// How a gradient is computed. All masks are scaled so that a ramp that rises by 1 per pixel has a
// gradient of 2, as the centered mask has it.
enum class GradientMask : unsigned char {
  kCentered,    // [-1 0 1]
  kUncentered,  // [-1 1]
  kCubic,       // [1 -8 0 8 -1], exact for polynomials of the third degree
  kSobel,       // 3x3
  kDiagonal     // 2x2, the differences along both diagonals
};
FOVEA_API std::span<const Choice> choices(GradientMask);
// What a pixel adds to a histogram: the length of its gradient, the root or the square of that, or
// 1 where the gradient has at least the length HogOptions::edge.
enum class VoteWeight : unsigned char { kMagnitude, kRoot, kSquare, kBinary };
FOVEA_API std::span<const Choice> choices(VoteWeight);
// kNone divides every block by the same constant, which is what the others add to a block's norm.
enum class BlockNorm : unsigned char { kL2, kL2Hys, kL1, kL1Sqrt, kNone };
FOVEA_API std::span<const Choice> choices(BlockNorm);
// Rectangular blocks of cells, or the circular blocks of Dalal and Triggs: a center and rings of
// sectors.
enum class BlockShape : unsigned char { kRectangular, kCircular };
FOVEA_API std::span<const Choice> choices(BlockShape);

// The histograms of oriented gradients that describe a window (Dalal and Triggs, CVPR 2005).
struct HogOptions {
  Extent window{64, 128};     // pixels; blocks that do not fill it stand in its middle
  int cell = 8;               // side of a cell, in pixels; 2 to 32
  int cell_height = 0;        // height of a cell, in pixels, 0 or 2 to 32; 0: that of a square
  int block = 2;              // side of a block, in cells; 1 to 8
  int block_height = 0;       // height of a block, in cells; 0: as many as across
  int block_stride = 8;       // step between blocks, in pixels
  int bins = 9;               // number of orientations; 2 to 32
  bool signed_angle = false;  // distinguish an edge from light to dark from one from dark to light
  bool color = true;  // take each pixel's gradient from its strongest color channel; if not,
                      // from the gray image
  Gamma gamma = Gamma::kSquareRoot;  // applied to the pixels before gradients are computed
  float smooth = 0;  // standard deviation of a Gaussian blur before gradients are computed, in
                     // pixels, 0 to 8; 0: none. The CPU only
  GradientMask mask = GradientMask::kCentered;
  VoteWeight vote = VoteWeight::kMagnitude;
  float edge = 1;  // least gradient of a binary vote, for pixels from 0 to 255, or to 16 where
                   // gamma takes their root
  BlockNorm norm = BlockNorm::kL2Hys;  // how the numbers of a block are normalized
  float clip = 0.2F;                   // the greatest number that the norm L2-Hys leaves
  float epsilon = 0.1F;     // this much for every number of a block is added to the block's norm,
                            // so that blocks without contrast are not amplified
  float sigma = 8;          // of the Gaussian weights over a block, in pixels; 0: equal weights
  bool interpolate = true;  // share each vote between neighboring cells and bins
  BlockShape shape = BlockShape::kRectangular;
  int rings = 2;                 // number of rings of a circular block
  int sectors = 4;               // number of sectors of a ring
  bool sectored_center = false;  // divide the center of a circular block into sectors too

  // A cell and a block have these sides in pixels; block_cells() counts cells.
  Extent cell_size() const { return {cell, cell_height > 0 ? cell_height : cell}; }
  Extent block_cells() const { return {block, block_height > 0 ? block_height : block}; }
  Extent block_size() const {
    return {block_cells().width * cell_size().width, block_cells().height * cell_size().height};
  }
};
FOVEA_API void describe(OptionVisitor& visit, HogOptions& options);

// The descriptor of the window in the middle of a crop. The crop is the window itself, or has an
// equal margin on all sides, from which the gradients at the window's border are computed. It has
// 1, 3 or 4 channels (gray, RGB, or RGBA, whose opacity is ignored). By default a descriptor has
// 3780 numbers; blocks run down first, then across, and so do the cells of a block; the bins of a
// cell follow each other. With a sigma of 4 it equals that of OpenCV's HOGDescriptor to about 1e-3.
// The CPU does the work; a crop on a GPU is brought to the host in the order of exec.stream.
FOVEA_API std::vector<float> hog_descriptor(ImageView<const std::uint8_t> crop,
                                            const HogOptions& options = {}, const Exec& exec = {});

// The histograms of the cells of an image, before blocks are formed. Glyphs are drawn from them.
struct HogCells {
  int columns = 0;
  int rows = 0;
  int bins = 0;
  std::vector<float> votes;  // [row][column][bin]

  float at(int column, int row, int bin) const {
    return votes[(static_cast<std::size_t>(row) * columns + column) * bins + bin];
  }
};
// The whole cells of an image from its upper left corner on. Each pixel votes in its own cell only.
FOVEA_API HogCells hog_cells(ImageView<const std::uint8_t> image, const HogOptions& options = {},
                             const Exec& exec = {});

}  // namespace fovea::people
