// A picture that is shown in tiles, so that a browser loads only what it shows, in the size in
// which it shows it.
#pragma once
#include <fovea/core/image.h>
#include <fovea/ops/pyramid.h>

#include <cstdint>
#include <mutex>
#include <string>

namespace fovea::view {

inline constexpr int kTileSide = 256;  // pixels

class Picture {
 public:
  // 1 to 4 channels of bytes in host memory; a frame of a video has a time.
  explicit Picture(Image<std::uint8_t> pixels, double seconds = 0);

  ImageView<const std::uint8_t> pixels() const { return pixels_; }
  const Image<std::uint8_t>& image() const { return pixels_; }
  int width() const { return pixels_.width(); }
  int height() const { return pixels_.height(); }
  double seconds() const { return seconds_; }
  // The number of sizes: the whole picture, half of it, and so on down to about one tile.
  int levels() const;
  std::size_t bytes() const;

  // A tile as PNG: column x and row y of a level, where level 0 is the whole size. Throws
  // InvalidArgument where there is no such tile.
  std::string tile(int level, int x, int y) const;
  // The whole picture in at most side x side pixels, as PNG.
  std::string thumbnail(int side) const;

 private:
  ImageView<const std::uint8_t> level(int index) const;

  Image<std::uint8_t> pixels_;
  double seconds_;
  mutable std::once_flag built_{};
  mutable Pyramid<std::uint8_t> pyramid_{};  // is made when a level but the first is asked for
};

// The pixels of a picture in a rectangle, as far as it lies in the picture.
ImageView<const std::uint8_t> patch_of(const Picture& picture, const Rect<double>& place);

// A color picture with opacity: `pixels` is gray or RGB, and `opacity` has one channel.
Image<std::uint8_t> with_opacity(ImageView<const std::uint8_t> pixels,
                                 ImageView<const std::uint8_t> opacity);

}  // namespace fovea::view
