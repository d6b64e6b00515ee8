// The shares of blocks in the score of a linear classifier. Numbers come from the grid that the
// search itself reads, and products are added in double precision.
#include <fovea/io/image_io.h>

#include <algorithm>

#include "people/explain/window_parts.h"
#include "people/hog/hog_grid.h"
#include "people/hog/hog_layout.h"
#include "people/level_image.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

// The place of a part of a block, in pixels from the block's corner. Parts of circular blocks are
// not told apart.
Rect<int> place_in_block(const HogOptions& hog, int part) {
  const Extent block = hog.block_size(), cell = hog.cell_size();
  if (hog.shape == BlockShape::kCircular) return {0, 0, block.width, block.height};
  const int rows = hog.block_cells().height;
  return {part / rows * cell.width, part % rows * cell.height, cell.width, cell.height};
}

// The numbers of the window, from its level alone and one row of windows.
std::vector<float> window_numbers(Kind kind, const HogOptions& hog, const SearchedWindow& window,
                                  const Exec& exec) {
  ImageView<const std::uint8_t> image = window.image;
  Image<std::uint8_t> gray;
  if (!hog_of_kind(kind, hog).color && image.channels > 1) {
    gray = io::to_gray(image);
    image = gray;
  }
  ScanLevel row = window.level();
  row.first_row += window.hit.row;
  row.rows = 1;
  ScanPlan plan = window.plan;
  plan.levels = {row};
  const Extent size = plan.padded(row);
  Image<std::uint8_t> pixels(size.width, size.height, image.channels);
  cpu::level_image(image, plan, row, pixels, exec);
  cpu::HogGrid grid(kind, hog);
  grid.build(pixels, plan, exec);
  std::vector<float> numbers(static_cast<std::size_t>(descriptor_size(hog)));
  grid.descriptor(window.hit.column, 0, numbers);
  return numbers;
}

}  // namespace

void explain_linear(Kind kind, const LinearModel& model, const SearchedWindow& window,
                    const Exec& exec, WindowExplanation& to) {
  const HogOptions hog = hog_of_kind(kind, model.hog);
  const std::vector<float> numbers = window_numbers(kind, model.hog, window, exec);
  const HogSide across = side_across(hog), down = side_down(hog);
  const int parts = block_parts(hog), bins = block_size(hog) / parts;
  const int blocks = across.blocks() * down.blocks();
  const double bias = static_cast<double>(model.bias) / blocks;
  WindowHeat heat(hog.window);
  std::size_t at = 0;
  to.blocks.reserve(static_cast<std::size_t>(blocks));
  for (int bx = 0; bx < across.blocks(); ++bx) {
    for (int by = 0; by < down.blocks(); ++by) {
      const Rect<int> block{across.first() + bx * across.stride, down.first() + by * down.stride,
                            across.block(), down.block()};
      BlockShare share{
          window.in_image({static_cast<double>(block.x), static_cast<double>(block.y),
                           static_cast<double>(block.width), static_cast<double>(block.height)}),
          -1, bias};
      heat.add(block, bias);
      for (int part = 0; part < parts; ++part) {
        double value = 0;
        for (int bin = 0; bin < bins; ++bin, ++at)
          value += static_cast<double>(model.weights[at]) * static_cast<double>(numbers[at]);
        Rect<int> place = place_in_block(hog, part);
        place.x += block.x;
        place.y += block.y;
        heat.add(place, value);
        share.value += value;
      }
      to.sum += share.value;
      to.blocks.push_back(share);
    }
  }
  to.heat = heat.image();
}

}  // namespace fovea::people
