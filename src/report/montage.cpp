#include <fovea/core/error.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/font.h"
#include "report/raster.h"

namespace fovea::report {
namespace {

struct Grid {
  int columns = 1, rows = 0;
  Extent cell{1, 1};
  int caption_height = 0;
};

Grid plan(std::span<const Tile> tiles, const MontageOptions& options, int caption_height) {
  Grid grid;
  for (const Tile& tile : tiles) {
    grid.cell.width = std::max(grid.cell.width, tile.image.width);
    grid.cell.height = std::max(grid.cell.height, tile.image.height);
    if (!tile.caption.empty()) grid.caption_height = caption_height;
  }
  if (options.cell.width > 0) grid.cell.width = options.cell.width;
  if (options.cell.height > 0) grid.cell.height = options.cell.height;
  const int count = static_cast<int>(tiles.size());
  const double aspect =
      static_cast<double>(grid.cell.height + grid.caption_height) / grid.cell.width;
  const int square = static_cast<int>(std::ceil(std::sqrt(count * aspect)));
  grid.columns = std::clamp(options.columns > 0 ? options.columns : square, 1, std::max(1, count));
  grid.rows = (count + grid.columns - 1) / grid.columns;
  return grid;
}

// Writes the mean of the source pixels under each pixel of the target, where partly covered ones
// count in part. Writes RGB; `target` is no larger than the image.
void shrink_into(ImageView<const std::uint8_t> image, Canvas target) {
  const double sx = static_cast<double>(image.width) / target.width;
  const double sy = static_cast<double>(image.height) / target.height;
  for (int y = 0; y < target.height; ++y) {
    const double top = y * sy, bottom = std::min<double>((y + 1) * sy, image.height);
    for (int x = 0; x < target.width; ++x) {
      const double left = x * sx, right = std::min<double>((x + 1) * sx, image.width);
      double sum[3] = {0, 0, 0}, weights = 0;
      for (int j = static_cast<int>(top); j < bottom; ++j) {
        const double wy = std::min<double>(j + 1, bottom) - std::max<double>(j, top);
        for (int i = static_cast<int>(left); i < right; ++i) {
          const double w = wy * (std::min<double>(i + 1, right) - std::max<double>(i, left));
          for (int c = 0; c < 3; ++c) sum[c] += w * image.at(i, j, image.channels == 3 ? c : 0);
          weights += w;
        }
      }
      for (int c = 0; c < 3; ++c)
        target.at(x, y, c) = static_cast<std::uint8_t>(std::lround(sum[c] / weights));
    }
  }
}

// As much of the text as fits, with an ellipsis where it is cut.
std::string fitted(const std::string& text, const TextStyle& style, double width) {
  if (text_size(text, style).width <= width) return text;
  std::vector<std::size_t> ends;  // the byte after each character
  std::string_view rest = text;
  while (!rest.empty()) {
    next_character(rest);
    ends.push_back(text.size() - rest.size());
  }
  while (!ends.empty()) {
    std::string cut = text.substr(0, ends.back()) + "…";
    if (text_size(cut, style).width <= width) return cut;
    ends.pop_back();
  }
  return "";
}

}  // namespace

void describe(OptionVisitor& visit, MontageOptions& options) {
  constexpr double kMost = 1e6;
  visit("columns", options.columns, "pictures in a row; 0 makes the sheet about as wide as high", 0,
        kMost);
  visit("cell", options.cell,
        "room of a picture in pixels, 0 as wide or high as the largest; larger ones shrink");
  visit("gap", options.gap, "pixels between cells and around the sheet", 0, kMost);
  visit("text-size", options.text_size, "size of captions in pixels", 1, 1000);
}

Image<std::uint8_t> montage(std::span<const Tile> tiles, const MontageOptions& options) {
  for (const Tile& tile : tiles)
    if (!tile.image.empty())
      require_canvas("montage", {nullptr, 0, 0, tile.image.channels, 0, tile.image.memory});
  if (options.gap < 0 || options.columns < 0 || options.cell.width < 0 || options.cell.height < 0)
    throw InvalidArgument(fmt::format(
        "montage: columns {}, cell {}x{}, gap {}: none may be negative; 0 chooses by itself",
        options.columns, options.cell.width, options.cell.height, options.gap));
  TextStyle text{.color = options.ink, .size = options.text_size};
  text.horizontal = Horizontal::kCenter;
  const int caption_height = static_cast<int>(text_size("x", text).height) + 2;
  const Grid grid = plan(tiles, options, caption_height);
  const int step_x = grid.cell.width + options.gap;
  const int step_y = grid.cell.height + grid.caption_height + options.gap;
  Image<std::uint8_t> sheet(grid.columns * step_x + options.gap,
                            std::max(1, grid.rows * step_y + options.gap), 3);
  const Canvas canvas = sheet.view();
  fill_box(canvas, {0, 0, double(canvas.width), double(canvas.height)}, {options.background});
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Tile& tile = tiles[i];
    const int x = options.gap + static_cast<int>(i) % grid.columns * step_x;
    const int y = options.gap + static_cast<int>(i) / grid.columns * step_y;
    if (!tile.image.empty()) {
      const double scale = std::min({1.0, static_cast<double>(grid.cell.width) / tile.image.width,
                                     static_cast<double>(grid.cell.height) / tile.image.height});
      const int width = std::max(1, static_cast<int>(std::lround(tile.image.width * scale)));
      const int height = std::max(1, static_cast<int>(std::lround(tile.image.height * scale)));
      shrink_into(tile.image, canvas.crop(x + (grid.cell.width - width) / 2,
                                          y + grid.cell.height - height, width, height));
    }
    if (!tile.caption.empty())
      draw_text(canvas, {x + grid.cell.width / 2.0, y + grid.cell.height + 1.0},
                fitted(tile.caption, text, grid.cell.width), text);
  }
  return sheet;
}

}  // namespace fovea::report
