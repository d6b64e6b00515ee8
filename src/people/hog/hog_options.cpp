// The options of the descriptor as users write them, and the checks of their combinations.
#include <fovea/core/error.h>
#include <fovea/people/hog.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "people/hog/hog_layout.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr int kMostNumbers =
    1 << 20;  // numbers of a descriptor: 4 MiB, far more than can be trained

[[noreturn]] void reject(const std::string& what) { throw InvalidArgument("hog: " + what); }

void check_side(const char* name, const HogSide& side) {
  if (side.window < side.block())
    reject(
        fmt::format("{} is {}, smaller than a block of {} cells of {} pixels ({}); take a larger "
                    "window or smaller cells",
                    name, side.window, side.parts, side.cell, side.block()));
}

// The options that were added after models had been written. A file names them only where they are
// not as every model had them before, so that other files stay what they were.
constexpr std::array<std::string_view, 8> kLaterOptions{
    "cell-height", "block-height", "smooth", "mask", "vote", "edge", "epsilon", "sectored-center"};

}  // namespace

std::span<const Choice> choices(Gamma) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"none", static_cast<int>(Gamma::kNone)},
       {"square-root", static_cast<int>(Gamma::kSquareRoot)}}};
  return kChoices;
}

std::span<const Choice> choices(GradientMask) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"centered", static_cast<int>(GradientMask::kCentered)},
       {"uncentered", static_cast<int>(GradientMask::kUncentered)},
       {"cubic", static_cast<int>(GradientMask::kCubic)},
       {"sobel", static_cast<int>(GradientMask::kSobel)},
       {"diagonal", static_cast<int>(GradientMask::kDiagonal)}}};
  return kChoices;
}

std::span<const Choice> choices(VoteWeight) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"magnitude", static_cast<int>(VoteWeight::kMagnitude)},
       {"root", static_cast<int>(VoteWeight::kRoot)},
       {"square", static_cast<int>(VoteWeight::kSquare)},
       {"binary", static_cast<int>(VoteWeight::kBinary)}}};
  return kChoices;
}

std::span<const Choice> choices(BlockNorm) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"l2", static_cast<int>(BlockNorm::kL2)},
       {"l2-hys", static_cast<int>(BlockNorm::kL2Hys)},
       {"l1", static_cast<int>(BlockNorm::kL1)},
       {"l1-sqrt", static_cast<int>(BlockNorm::kL1Sqrt)},
       {"none", static_cast<int>(BlockNorm::kNone)}}};
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
  visit("cell-height", options.cell_height,
        "height of a cell, in pixels, 2 to 32; 0 makes cells square", 0, 32);
  visit("block", options.block, "side of a block, in cells", 1, 8);
  visit("block-height", options.block_height,
        "height of a block, in cells; 0 takes as many as across", 0, 8);
  visit("block-stride", options.block_stride, "step between blocks, in pixels", 2, 256);
  visit("bins", options.bins, "number of orientation bins per cell", 2, 32);
  visit("signed-angle", options.signed_angle,
        "distinguish edges from light to dark from edges from dark to light");
  visit(
      "color", options.color, "take each pixel's gradient from its strongest color channel",
      {.off_help = "compute gradients from the gray image instead of the strongest color channel"});
  visit("gamma", options.gamma, "what is applied to pixels before gradients are computed");
  visit("smooth", options.smooth,
        "standard deviation of a Gaussian blur before gradients are computed, in pixels; 0 does "
        "not blur; on the CPU only",
        0, 8);
  visit("mask", options.mask, "mask by which gradients are computed");
  visit("vote", options.vote,
        "what a pixel adds to a histogram: the length of its gradient, the root or the square of "
        "that, or 1 for each edge");
  visit("edge", options.edge,
        "least gradient of an edge where votes are binary, for pixels from 0 to 255, or to 16 "
        "where gamma takes their root",
        0, 1000);
  visit("norm", options.norm, "how the numbers of a block are normalized");
  visit("clip", options.clip, "the greatest number that the norm l2-hys leaves", 0.01, 1);
  visit("epsilon", options.epsilon,
        "what is added to the norm of a block for each of its numbers, so that blocks without "
        "contrast are not amplified",
        1e-6, 1000);
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
  visit("sectored-center", options.sectored_center,
        "divide the center of a circular block into sectors too");
}

void check_geometry(const HogOptions& hog) {
  check_options(hog);
  if (hog.cell_height == 1) reject("cell-height is 1; expected 2 to 32, or 0 for square cells");
  const Extent block = hog.block_size();
  if (hog.shape == BlockShape::kCircular && block.width != block.height)
    reject(
        fmt::format("circular blocks of {}x{} pixels; they need square cells, as many down as "
                    "across",
                    block.width, block.height));
  check_side("window-width", side_across(hog));
  check_side("window-height", side_down(hog));
  const std::int64_t numbers = static_cast<std::int64_t>(side_across(hog).blocks()) *
                               side_down(hog).blocks() * block_size(hog);
  if (numbers > kMostNumbers)
    reject(
        fmt::format("a window would be described by {} numbers, more than {}; take larger cells "
                    "or a larger block-stride",
                    numbers, kMostNumbers));
}

void check_for_gpu(const HogOptions& hog) {
  if (hog.smooth > 0)
    reject(
        fmt::format("smooth is {:g}, but a GPU does not blur before gradients; use the CPU, or "
                    "smooth 0",
                    hog.smooth));
  const Extent cell = hog.cell_size(), cells = hog.block_cells();
  if (cell.width != cell.height || cells.width != cells.height)
    reject(
        fmt::format("blocks of {}x{} cells of {}x{} pixels, but a GPU has square ones only; use "
                    "the CPU",
                    cells.width, cells.height, cell.width, cell.height));
}

int block_size(const HogOptions& hog) { return block_parts(hog) * hog.bins; }

int descriptor_size(const HogOptions& hog) {
  return side_across(hog).blocks() * side_down(hog).blocks() * block_size(hog);
}

bool is_later_option(std::string_view name) {
  return std::find(kLaterOptions.begin(), kLaterOptions.end(), name) != kLaterOptions.end();
}

void for_each_stored_option(const HogOptions& hog,
                            const std::function<void(const OptionField&)>& visit) {
  HogOptions plain, given = hog;
  std::map<std::string, std::string> defaults;
  for_each_option(plain,
                  [&](const OptionField& field) { defaults[field.name] = option_text(field); });
  for_each_option(given, [&](const OptionField& field) {
    if (!is_later_option(field.name) || option_text(field) != defaults[field.name]) visit(field);
  });
}

std::string stored_options_json(const HogOptions& hog) {
  std::string json;
  for_each_stored_option(hog, [&](const OptionField& field) {
    json += fmt::format("{}\"{}\": {}", json.empty() ? "" : ", ", field.name, option_json(field));
  });
  return "{" + json + "}";
}

}  // namespace fovea::people
