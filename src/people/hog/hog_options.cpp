// The options of the descriptor as users write them, and the checks of their combinations.
#include <fovea/core/error.h>
#include <fovea/people/hog.h>

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr int kMostNumbers =
    1 << 20;  // numbers of a descriptor: 4 MiB, far more than can be trained

[[noreturn]] void reject(const std::string& what) { throw InvalidArgument("hog: " + what); }

void check_side(const char* name, int window, const HogOptions& hog) {
  const int block = hog.cell * hog.block;
  if (window < block)
    reject(
        fmt::format("{} is {}, smaller than a block of {}x{} cells of {} pixels ({}); take a "
                    "larger window or smaller cells",
                    name, window, hog.block, hog.block, hog.cell, block));
  if ((window - block) % hog.block_stride != 0)
    reject(
        fmt::format("{} is {}, into which blocks of {} pixels every {} do not fit; expected {} "
                    "more than a multiple of {}",
                    name, window, block, hog.block_stride, block, hog.block_stride));
}

std::int64_t blocks_along(int window, const HogOptions& hog) {
  return (window - hog.cell * hog.block) / hog.block_stride + 1;
}

}  // namespace

std::span<const Choice> choices(Gamma) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"none", static_cast<int>(Gamma::kNone)},
       {"square-root", static_cast<int>(Gamma::kSquareRoot)}}};
  return kChoices;
}

std::span<const Choice> choices(BlockNorm) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"l2", static_cast<int>(BlockNorm::kL2)},
       {"l2-hys", static_cast<int>(BlockNorm::kL2Hys)},
       {"l1", static_cast<int>(BlockNorm::kL1)},
       {"l1-sqrt", static_cast<int>(BlockNorm::kL1Sqrt)}}};
  return kChoices;
}

std::span<const Choice> choices(BlockShape) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"rectangular", static_cast<int>(BlockShape::kRectangular)},
       {"circular", static_cast<int>(BlockShape::kCircular)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, HogOptions& options) {
  visit("window-width", options.window.width, "width of the detection window, in pixels", 4, 4096);
  visit("window-height", options.window.height, "height of the detection window, in pixels", 4,
        4096);
  visit("cell", options.cell, "side of a cell, in pixels", 2, 32);
  visit("block", options.block, "side of a block, in cells", 1, 8);
  visit("block-stride", options.block_stride,
        "step between blocks, in pixels; a multiple of the cell", 2, 256);
  visit("bins", options.bins, "number of orientation bins per cell", 2, 32);
  visit("signed-angle", options.signed_angle,
        "distinguish edges from light to dark from edges from dark to light");
  visit(
      "color", options.color, "take each pixel's gradient from its strongest color channel",
      {.off_help = "compute gradients from the gray image instead of the strongest color channel"});
  visit("gamma", options.gamma, "what is applied to pixels before gradients are computed");
  visit("norm", options.norm, "how the numbers of a block are normalized");
  visit("clip", options.clip, "the greatest number that the norm l2-hys leaves", 0.01, 1);
  visit("sigma", options.sigma,
        "standard deviation of the Gaussian weights over a block, in pixels; 0 weights all pixels "
        "equally",
        0, 256);
  visit("interpolate", options.interpolate, "share each vote between neighboring cells and bins",
        {.off_help = "count each vote in its own cell and bin only"});
  visit("shape", options.shape,
        "shape of a block: square, or a circle of a center and rings of sectors");
  visit("rings", options.rings, "number of rings of a circular block", 1, 4);
  visit("sectors", options.sectors, "number of sectors per ring", 1, 16);
}

void check_geometry(const HogOptions& hog) {
  check_options(hog);
  if (hog.block_stride % hog.cell != 0)
    reject(fmt::format("block-stride is {}, not a multiple of the cell's {} pixels",
                       hog.block_stride, hog.cell));
  check_side("window-width", hog.window.width, hog);
  check_side("window-height", hog.window.height, hog);
  const std::int64_t numbers =
      blocks_along(hog.window.width, hog) * blocks_along(hog.window.height, hog) * block_size(hog);
  if (numbers > kMostNumbers)
    reject(
        fmt::format("a window would be described by {} numbers, more than {}; take larger cells "
                    "or a larger block-stride",
                    numbers, kMostNumbers));
}

int block_size(const HogOptions& hog) {
  const int cells =
      hog.shape == BlockShape::kCircular ? 1 + hog.rings * hog.sectors : hog.block * hog.block;
  return cells * hog.bins;
}

int descriptor_size(const HogOptions& hog) {
  return static_cast<int>(blocks_along(hog.window.width, hog) *
                          blocks_along(hog.window.height, hog)) *
         block_size(hog);
}

}  // namespace fovea::people
