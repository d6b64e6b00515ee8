#include "demo/overview.h"

#include <fovea/ops/resize.h>
#include <fovea/report/montage.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fovea::cli {
namespace {

constexpr Extent kOverviewCell{400, 264};

Image<std::uint8_t> scaled(ImageView<const std::uint8_t> picture, double scale) {
  Image<std::uint8_t> result(std::max(1, static_cast<int>(std::lround(picture.width * scale))),
                             std::max(1, static_cast<int>(std::lround(picture.height * scale))),
                             picture.channels);
  resize(picture, result.view());
  return result;
}

}  // namespace

void Overview::add(std::string title, ImageView<const std::uint8_t> picture, Fit fit) {
  const double across = static_cast<double>(kOverviewCell.width) / picture.width;
  const double down = static_cast<double>(kOverviewCell.height) / picture.height;
  const double scale = fit == Fit::kFill ? std::max(across, down) : std::min(across, down);
  const Image<std::uint8_t> sized = scaled(picture, scale);
  const int width = std::min(kOverviewCell.width, sized.width());
  const int height = std::min(kOverviewCell.height, sized.height());
  entries_.push_back(
      {std::move(title), clone(sized.view().crop((sized.width() - width) / 2,
                                                 (sized.height() - height) / 2, width, height))});
}

Image<std::uint8_t> Overview::draw() const {
  std::vector<report::Tile> tiles;
  tiles.reserve(entries_.size());
  for (const Entry& entry : entries_) tiles.push_back({entry.picture.view(), entry.title});
  return report::montage(tiles, {.columns = 3, .cell = kOverviewCell, .text_size = 15});
}

}  // namespace fovea::cli
