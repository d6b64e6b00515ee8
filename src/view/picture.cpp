#include "view/picture.h"

#include <fovea/core/error.h>
#include <fovea/io/image_memory.h>
#include <fovea/ops/resize.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fovea::view {
namespace {

// Tiles are made beside the work of a system, which has the cores and the GPU.
Exec one_thread() { return {.device = Device::cpu(), .threads = 1}; }

}  // namespace

Picture::Picture(Image<std::uint8_t> pixels, double seconds)
    : pixels_(std::move(pixels)), seconds_(seconds) {}

int Picture::levels() const {
  int count = 1;
  for (int side = std::max(width(), height()); side > kTileSide; side = (side + 1) / 2) ++count;
  return count;
}

std::size_t Picture::bytes() const {
  return static_cast<std::size_t>(pixels_.stride()) * static_cast<std::size_t>(height()) * 4 / 3;
}

ImageView<const std::uint8_t> Picture::level(int index) const {
  if (index == 0) return pixels_;
  std::call_once(built_, [this] {
    pyramid_ = Pyramid<std::uint8_t>({.filter = PyramidFilter::kGaussian,
                                      .levels = levels(),
                                      .min_size = {1, 1},
                                      .exec = one_thread()});
    pyramid_.build(pixels_.view());
  });
  return pyramid_.level(index);
}

std::string Picture::tile(int level_index, int x, int y) const {
  if (level_index < 0 || level_index >= levels())
    throw InvalidArgument(
        fmt::format("there is no level {}; the picture has {}", level_index, levels()));
  const ImageView<const std::uint8_t> whole = level(level_index);
  if (x < 0 || y < 0 || x > (whole.width - 1) / kTileSide || y > (whole.height - 1) / kTileSide)
    throw InvalidArgument(
        fmt::format("there is no tile {},{} in {}x{} pixels", x, y, whole.width, whole.height));
  const int left = x * kTileSide, top = y * kTileSide;
  return io::png_bytes(whole.crop(left, top, std::min(kTileSide, whole.width - left),
                                  std::min(kTileSide, whole.height - top)));
}

std::string Picture::thumbnail(int side) const {
  int index = 0;
  while (index + 1 < levels() && std::max(width(), height()) >> (index + 1) >= side) ++index;
  const ImageView<const std::uint8_t> nearest = level(index);
  const double scale =
      std::min(1.0, static_cast<double>(side) / std::max(nearest.width, nearest.height));
  Image<std::uint8_t> small(std::max(1, static_cast<int>(std::lround(nearest.width * scale))),
                            std::max(1, static_cast<int>(std::lround(nearest.height * scale))),
                            nearest.channels);
  resize(nearest, small, {.antialias = true, .exec = one_thread()});
  return io::png_bytes(small);
}

ImageView<const std::uint8_t> patch_of(const Picture& picture, const Rect<double>& place) {
  const Rect<double> inside = intersect(
      place, {0, 0, static_cast<double>(picture.width()), static_cast<double>(picture.height())});
  if (inside.empty()) return {};
  const int left = static_cast<int>(inside.x), top = static_cast<int>(inside.y);
  return picture.pixels().crop(left, top, static_cast<int>(std::ceil(inside.right())) - left,
                               static_cast<int>(std::ceil(inside.bottom())) - top);
}

Image<std::uint8_t> with_opacity(ImageView<const std::uint8_t> pixels,
                                 ImageView<const std::uint8_t> opacity) {
  Image<std::uint8_t> result(pixels.width, pixels.height, 4);
  for (int y = 0; y < pixels.height; ++y)
    for (int x = 0; x < pixels.width; ++x) {
      for (int c = 0; c < 3; ++c)
        result.at(x, y, c) = pixels.at(x, y, pixels.channels == 3 ? c : 0);
      result.at(x, y, 3) = opacity.at(x, y);
    }
  return result;
}

}  // namespace fovea::view
